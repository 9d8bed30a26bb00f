/** The page: sheet, views and Why panel beside each other, one at a time on narrow screens, and the cursor line below. */
import { h, useEffect, useRef, useState, useSignal } from "./dom.js";
import { Icon } from "./icons.js";
import { Menu } from "./menu.js";
import { Notice, copy, tell } from "./notice.js";
import { CursorLine } from "./cursor-line.js";
import { Gallery } from "./gallery.js";
import { Help } from "./help.js";
import { commands, download } from "../export/files.js";
import { kindsOf } from "../views/request.js";
import { Tile } from "../views/tile.js";
import { Why } from "../why/panel.js";
import { print } from "../workspace/format.js";
import { encode, hashOf } from "../workspace/link.js";
import { SheetPane } from "./sheet-pane.js";
import { Splitter } from "./splitter.js";

/** @typedef {import("../workspace/state.js").State} State */

/**
 * @typedef {object} AppProps
 * @property {State} state
 * @property {import("./gallery.js").Sheet[]} sheets
 * @property {import("@preact/signals").Signal<boolean>} isDark
 * @property {() => void} toggleTheme
 */

/** @param {AppProps} props */
export function App({ state, sheets, isDark, toggleTheme }) {
  const [dialog, setDialog] = useState(/** @type {"" | "gallery" | "help"} */ (""));
  const pane = useSignal(/** @type {"sheet" | "views" | "why"} */ ("sheet"));
  const replace = useRef(/** @type {(from: number, to: number, text: string) => void} */ (() => {}));
  const share = async () => {
    const lines = state.lines.peek();
    const made = `${state.version.peek()} ${hashOf(lines)}`;
    const fragment = await encode({ ...state.workspace(), made });
    await copy(`${location.href.split("#")[0]}${fragment}`, "link");
  };
  useEffect(() => {
    const keys = (/** @type {KeyboardEvent} */ event) => {
      const isTyping = event.composedPath().some(
        (node) => node instanceof HTMLElement && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName)),
      );
      const pick = /** @type {Record<string, () => void>} */ ({
        "Alt-1": () => focus("sheet"),
        "Alt-2": () => focus("views"),
        "Alt-3": () => focus("why"),
        "Alt-g": () => setDialog("gallery"),
        "Alt-s": () => void share(),
      });
      const name = event.altKey && !event.ctrlKey ? `Alt-${event.code.replace(/^(Key|Digit)/, "").toLowerCase()}` : event.key;
      if (pick[name]) {
        event.preventDefault();
        pick[name]();
      } else if (event.key === "?" && !isTyping) {
        setDialog("help");
      }
    };
    const focus = (/** @type {"sheet" | "views" | "why"} */ to) => {
      pane.value = to;
      requestAnimationFrame(() => {
        const host = document.querySelector(`.pane-${to}`);
        const inner = host?.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content") ?? host?.querySelector(".stage") ?? host?.querySelector("summary, button");
        /** @type {HTMLElement | null | undefined} */ (inner)?.focus();
      });
    };
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  }, []);
  const draw = (/** @type {import("../protocol.js").Line} */ line) => {
    const expression = line.name ?? line.expression;
    const drawn = state.tiles.peek().find((tile) => tile.expression === expression);
    if (drawn) {
      state.closeTile(drawn.id);
    } else {
      state.addTile({ kind: kindsOf(line)[0], expression, options: {} });
    }
  };
  const drawExpression = (/** @type {string} */ expression) => {
    const line = state.lines.peek().find((each) => each.name === expression || each.expression === expression);
    state.addTile({ kind: kindsOf(line).includes("tensor") ? "tensor" : "grid", expression, options: {} });
    pane.value = "views";
  };
  const tiles = state.tiles.value;
  const views = useRef(/** @type {HTMLElement | null} */ (null));
  const isBeside = tiles.length === 2 && besideIsLarger(tiles.map(({ id }) => state.extents.value[id]), views.current);
  return h(
    "div",
    { class: "app" },
    h(
      "header",
      { class: "top" },
      h("h1", { class: "brand" }, h(Mark, null), h("span", null, "bitstride")),
      h("span", { class: "sheet-title" }, state.title.value),
      h("span", { class: "spring" }),
      topButton("Examples", "book", () => setDialog("gallery"), "examples (Alt-G)"),
      topButton("Share", "link", () => void share(), "copy a link to this sheet (Alt-S)"),
      h(Menu, {
        label: [h(Icon, { name: "save", key: "icon" }), h("span", { class: "wide", key: "text" }, "Export")],
        title: "export the sheet",
        items: [
          {
            text: "Shell commands",
            hint: "this sheet on the command line",
            act: () => void copy(commands(state.lines.peek()), "shell commands"),
          },
          {
            text: "Sheet as a text file",
            hint: "with its views",
            act: () => download("sheet.txt", new Blob([print(state.workspace())], { type: "text/plain" })),
          },
          {
            text: "Answers as JSON",
            act: () => download("sheet.json", new Blob([JSON.stringify(state.lines.peek(), null, 2)], { type: "application/json" })),
          },
        ],
      }),
      h(
        "button",
        {
          type: "button",
          class: "button icon-only",
          title: isDark.value ? "light colours" : "dark colours",
          "aria-label": isDark.value ? "light colours" : "dark colours",
          onClick: toggleTheme,
        },
        h(Icon, { name: isDark.value ? "sun" : "moon" }),
      ),
      h(
        "button",
        { type: "button", class: "button icon-only", title: "help (?)", "aria-label": "help", onClick: () => setDialog("help") },
        h(Icon, { name: "help" }),
      ),
    ),
    h(
      "nav",
      { class: "tabs", "aria-label": "parts" },
      /** @type {const} */ (["sheet", "views", "why"]).map((name) =>
        h(
          "button",
          {
            type: "button",
            key: name,
            "aria-pressed": pane.value === name,
            onClick: () => {
              pane.value = name;
            },
          },
          { sheet: "Sheet", views: `Views ${tiles.length || ""}`, why: "Why" }[name],
        ),
      ),
    ),
    h(
      "main",
      { class: "panes", "data-pane": pane.value },
      h(
        "section",
        { class: "pane pane-sheet", "aria-label": "sheet" },
        state.about.value && h("p", { class: "about" }, state.about.value),
        h(Unchanged, { state }),
        state.isWaiting.value && h("p", { class: "made waiting", role: "status" }, "The rest of the engine is being loaded; some answers wait for it."),
        h(SheetPane, {
          state,
          draw,
          mounted: (given) => {
            replace.current = given;
          },
        }),
      ),
      h(Splitter, { name: "--sheet-width", label: "width of the sheet", least: 260, most: 900, start: 400, side: "left" }),
      h(
        "section",
        { class: `pane pane-views count-${tiles.length} ${isBeside ? "beside" : ""}`, "aria-label": "views", ref: views },
        tiles.length === 0 && h(Empty, { open: () => setDialog("gallery") }),
        tiles.map((tile) =>
          h(Tile, { key: tile.id, state, tile, isDark, replace: (from, to, text) => replace.current(from, to, text) }),
        ),
      ),
      h(Splitter, { name: "--why-width", label: "width of the Why panel", least: 240, most: 800, start: 350, side: "right" }),
      h("section", { class: "pane pane-why", "aria-label": "why", tabIndex: -1 }, h(Why, { state, draw: drawExpression })),
    ),
    h(CursorLine, { state }),
    h(Notice, null),
    dialog === "gallery" &&
      h(Gallery, {
        sheets,
        open: (sheet) => {
          state.open(sheet);
          setDialog("");
          tell(`opened: ${sheet.title}`);
        },
        close: () => setDialog(""),
      }),
    dialog === "help" && h(Help, { version: state.version.value, close: () => setDialog("") }),
  );
}

/** Space that the bar and the foot of a tile take, in pixels. */
const TILE_CHROME = 90;

/**
 * Whether two pictures are drawn larger beside than below each other.
 * @param {({width: number, height: number} | undefined)[]} extents
 * @param {HTMLElement | null} pane
 */
function besideIsLarger(extents, pane) {
  if (!pane || extents.some((extent) => extent === undefined)) {
    return false;
  }
  const { clientWidth, clientHeight } = pane;
  const scale = (/** @type {number} */ width, /** @type {number} */ height) =>
    extents.reduce(
      (least, extent) => (extent ? Math.min(least, width / extent.width, (height - TILE_CHROME) / extent.height) : least),
      1.7,
    );
  return scale(clientWidth / 2, clientHeight) > scale(clientWidth, clientHeight / 2) * 1.05;
}

/** @param {string} text @param {"book" | "link"} icon @param {() => void} act @param {string} title */
function topButton(text, icon, act, title) {
  return h(
    "button",
    { type: "button", class: "button", onClick: act, title, "aria-label": text },
    h(Icon, { name: icon }),
    h("span", { class: "wide" }, text),
  );
}

/** The mark of the project: four cells, one of them elsewhere. */
function Mark() {
  return h(
    "svg",
    { class: "mark", viewBox: "0 0 22 22", width: 22, height: 22, "aria-hidden": "true" },
    h("rect", { x: 1, y: 1, width: 9, height: 9, rx: 2, class: "mark-a" }),
    h("rect", { x: 12, y: 1, width: 9, height: 9, rx: 2, class: "mark-b" }),
    h("rect", { x: 1, y: 12, width: 9, height: 9, rx: 2, class: "mark-b" }),
    h("rect", { x: 12, y: 12, width: 9, height: 9, rx: 2, class: "mark-c" }),
  );
}

/** @param {{open: () => void}} props */
function Empty({ open }) {
  return h(
    "div",
    { class: "empty" },
    h("p", null, "No picture yet. Press “draw” under a line of the sheet, or begin with an example."),
    h("button", { type: "button", class: "button primary", onClick: open }, "Examples"),
  );
}

/** Of a link that has them: whether the answers are those that the sender saw. @param {{state: State}} props */
function Unchanged({ state }) {
  const made = state.made.value;
  const lines = state.lines.value;
  const text = state.text.value;
  const first = useRef({ made: "", text: "" });
  if (first.current.made !== made) {
    first.current = { made, text };
  }
  if (!made || lines.length === 0 || state.answered.value !== first.current.text) {
    return null;
  }
  const [version, hash] = made.split(" ");
  const isSame = hashOf(lines) === hash;
  return h(
    "p",
    { class: `made ${isSame ? "" : "changed"}` },
    isSame
      ? `Shared from bitstride ${version}: the answers are unchanged since.`
      : `Shared from bitstride ${version}: some answers differ from those that the sender saw.`,
  );
}
