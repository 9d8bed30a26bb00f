/**
 * `<bitstride-view>`: one picture in a page of somebody else, live. What it contains, usually the SVG of the same picture, stays until
 * the engine has answered, and for good where there is no script.
 *
 *     <bitstride-view sheet="a = (4,8):(8,1)" view="grid a; by: row"><svg>…</svg></bitstride-view>
 *
 * All elements of a page share one worker.
 */
import { spawnWorker } from "spawn";
import { Engine } from "./engine/client.js";
import { CanvasView } from "./views/canvas.js";
import { colouring } from "./views/colouring.js";
import { theme } from "./views/colours.js";
import { Picture } from "./views/picture.js";
import { requestOf } from "./views/request.js";
import { parseView } from "./workspace/format.js";

/** @type {{engine: Engine, groups: Promise<string[]>} | undefined} */
let shared;

function engineOf() {
  if (!shared) {
    const engine = new Engine(spawnWorker);
    shared = { engine, groups: engine.ask("about", []).then((about) => about.groups ?? []) };
  }
  return shared;
}

const STYLE = `
:host { display: block; position: relative; min-height: 220px; contain: content; }
.stage { position: absolute; inset: 0; overflow: hidden; touch-action: pan-y; cursor: crosshair; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
`;

class BitstrideView extends HTMLElement {
  static observedAttributes = ["sheet", "view"];

  connectedCallback() {
    this.root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [sheet];
    this.root.replaceChildren(document.createElement("slot"));
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.again = () => void this.load();
    this.dark.addEventListener("change", this.again);
    void this.load();
  }

  disconnectedCallback() {
    this.dark?.removeEventListener("change", /** @type {() => void} */ (this.again));
    this.canvas?.destroy();
    this.canvas = undefined;
  }

  attributeChangedCallback() {
    if (this.isConnected && this.root) {
      void this.load();
    }
  }

  /** @param {{rows?: [number, number], cols?: [number, number]}} [window] */
  async load(window = { rows: [0, 256], cols: [0, 256] }) {
    const view = parseView(this.getAttribute("view") ?? "");
    const { engine, groups } = engineOf();
    if (!view) {
      return;
    }
    // The names of this element's sheet, and right after them its picture: other elements ask before or after both.
    const [, model, fills] = await Promise.all([
      engine.ask("update", [this.getAttribute("sheet") ?? ""]),
      engine.ask("model", [JSON.stringify(requestOf(view)), JSON.stringify(window)]),
      groups,
    ]);
    if (!this.isConnected || model.error || !this.root) {
      return;
    }
    const isFirst = !this.canvas;
    if (!this.canvas) {
      const host = document.createElement("div");
      host.className = "stage";
      this.root.replaceChildren(host);
      this.canvas = new CanvasView(host, {
        point: (cell) => this.point(cell),
        pick: () => {},
        window: (rows, cols) => void this.load({ rows, cols }),
        painted: () => this.setAttribute("data-painted", ""),
      });
    }
    this.picture = new Picture(model);
    const colours = theme(fills, Boolean(this.dark?.matches));
    const { picture } = this;
    const paint = colouring(picture, view.options.colour || "drawn", colours);
    this.canvas.show(picture, paint, colours, (index) => picture.textOf(index), !isFirst);
  }

  /** @param {import("./views/picture.js").Cell | undefined} cell */
  point(cell) {
    const index = cell && this.picture?.indexOf(cell);
    const element = index === undefined ? undefined : this.picture?.model.elements[index];
    const elements = element === undefined || element < 0n ? [] : (this.picture?.cellsWith("element", element) ?? []);
    this.canvas?.light({ elements, places: [], pins: [] });
  }
}

customElements.define("bitstride-view", BitstrideView);
