/** A tile: a picture with its bar of choices. */
import { h, useEffect, useRef, useState, useSignal } from "../ui/dom.js";
import { Icon } from "../ui/icons.js";
import { Menu } from "../ui/menu.js";
import { copy, tell } from "../ui/notice.js";
import { download, png } from "../export/files.js";
import { KINDS } from "../workspace/format.js";
import { COLOURS } from "./colouring.js";
import { theme } from "./colours.js";
import { bysOf, kindsOf, requestOf, sliceDims, sliceOf } from "./request.js";
import { toggled } from "./bits.js";
import { Stage } from "./stage.js";
import { Steps } from "./steps.js";
import { Wavefronts } from "./wavefronts.js";

/** @typedef {import("../workspace/state.js").State} State */
/** @typedef {import("../workspace/state.js").Tile} TileState */
/** @typedef {import("./picture.js").Picture} Picture */

/** @param {{state: State, tile: TileState, isDark: import("@preact/signals").Signal<boolean>, replace: (from: number, to: number, text: string) => void}} props */
export function Tile({ state, tile, isDark, replace }) {
  const [picture, setPicture] = useState(/** @type {Picture | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {import("../protocol.js").Refusal | undefined} */ (undefined));
  const [hasOptions, setOptions] = useState(false);
  const frame = useSignal(/** @type {string | undefined} */ (undefined));
  const api = useRef(/** @type {import("./stage.js").StageApi | undefined} */ (undefined));
  const loaded = useRef((/** @type {Picture | undefined} */ got, /** @type {any} */ refusal) => {
    setPicture(got);
    if (got) {
      const { width, height } = got;
      state.extents.value = { ...state.extents.peek(), [tile.id]: { width, height } };
    }
    setError(refusal);
  });
  const line = state.lines.value.find((each) => each.name === tile.expression || each.expression === tile.expression);
  const kinds = kindsOf(line);
  const shownKinds = kinds.includes(tile.kind) ? kinds : [...kinds, tile.kind];
  const set = (/** @type {string} */ key, /** @type {string} */ value) =>
    state.changeTile(tile.id, { options: { ...tile.options, [key]: value } });
  const isSteps = tile.kind === "steps";
  const drawn = isSteps ? (frame.value ?? tile.expression) : tile.expression;
  const needsTile = tile.kind === "tv" && !tile.options.tile;
  const options = needsTile ? { ...tile.options, tile: guessedTile(line) } : tile.options;
  const slice = sliceOf(line, options.slice);
  const request = requestOf({ ...tile, expression: drawn, options: { ...options, slice } });
  const toggle = tile.kind === "bits" ? bitToggle(line, replace) : undefined;
  const { groups } = theme(state.groups.value, isDark.value);
  const legend = picture?.model.header.legend ?? [];
  // The title of two layouts that are compared is the answer.
  const { title = "", footnote: note = "" } = picture?.model.header ?? {};
  const footnote = /\s==\s/.test(tile.expression) ? title.split("\n").at(-1) : note;
  return h(
    "section",
    { class: "tile", "aria-label": `${KINDS[/** @type {keyof typeof KINDS} */ (tile.kind)]} of ${tile.expression}` },
    h(
      "header",
      { class: "tile-bar" },
      h("span", { class: "tile-name", title: tile.expression }, tile.expression),
      h(
        "select",
        {
          class: "select",
          "aria-label": "view",
          value: tile.kind,
          onChange: (/** @type {any} */ event) => state.changeTile(tile.id, { kind: event.currentTarget.value }),
        },
        shownKinds.map((kind) =>
          h("option", { value: kind, key: kind }, KINDS[/** @type {keyof typeof KINDS} */ (kind)]),
        ),
      ),
      h("span", { class: "spring" }),
      h(
        "button",
        {
          type: "button",
          class: `button icon-only ${hasOptions ? "on" : ""}`,
          title: "colour, text and other choices",
          "aria-label": "choices",
          "aria-expanded": hasOptions,
          onClick: () => setOptions(!hasOptions),
        },
        h(Icon, { name: "options" }),
      ),
      h(Menu, {
        class: "icon-only",
        label: h(Icon, { name: "save" }),
        title: "export this picture",
        items: exports(state, request, tile),
      }),
      button("close this view", "close", () => state.closeTile(tile.id)),
    ),
    hasOptions && h(Options, { state, tile, options, set, line, find: (text) => api.current?.find(text) ?? false }),
    tile.kind === "grid" && sliceDims(line).length > 0 && h(Sliders, { dims: sliceDims(line), slice, set }),
    isSteps && h(Steps, { state, tile, frame, set }),
    tile.kind === "banks" && h(Wavefronts, { state, tile, set }),
    h(
      "div",
      { class: "tile-body" },
      h(Stage, {
        key: tile.id,
        state,
        request,
        expression: drawn,
        kind: tile.kind,
        colour: tile.options.colour || "drawn",
        text: tile.options.text || "drawn",
        isDark,
        tag: String(tile.id),
        expose: (given) => {
          api.current = given;
        },
        loaded: loaded.current,
        activate: toggle,
      }),
      h(
        "div",
        { class: "zoom" },
        button("zoom out", "minus", () => api.current?.zoom(0.8)),
        button("zoom in", "plus", () => api.current?.zoom(1.25)),
        button("show all", "fit", () => api.current?.fit()),
      ),
      error && h("div", { class: "tile-error", role: "note" }, h("strong", null, error.code), ` ${error.message}`),
    ),
    (legend.length > 0 || footnote) &&
      h(
        "footer",
        { class: "tile-foot", tabIndex: 0 },
        legend.map((entry) =>
          h(
            "span",
            { class: "legend", key: `${entry.fill} ${entry.text}` },
            h("i", { class: `swatch ${swatch(entry.fill)}`, style: { backgroundColor: entry.fill < 0 ? "" : groups[entry.fill % 24] } }),
            entry.text,
          ),
        ),
        footnote && h("span", { class: "footnote" }, footnote),
      ),
  );
}

/** @param {string} title @param {"plus" | "minus" | "fit" | "close"} name @param {() => void} act */
function button(title, name, act) {
  return h(
    "button",
    { type: "button", class: "button icon-only", title, "aria-label": title, onClick: act },
    h(Icon, { name }),
  );
}

/** @param {number} fill */
const swatch = (fill) => (fill >= 0 ? "" : ["", "", "", "swatch-marked", "swatch-empty"][-fill]);

/** A column-major tile of the size of a layout of threads and values: as square as its threads and values say. @param {import("../protocol.js").Line | undefined} line */
function guessedTile(line) {
  const shape = /** @type {{shape?: any}} */ (line?.data ?? {}).shape;
  const count = (/** @type {any} */ part) =>
    Array.isArray(part) ? part.reduce((product, each) => product * count(each), 1) : Number(part);
  const size = Array.isArray(shape) ? count(shape) : 0;
  if (!Number.isSafeInteger(size) || size < 1) {
    return "(16,8)";
  }
  let rows = 1;
  while (rows * rows < size && size % (rows * 2) === 0) {
    rows *= 2;
  }
  return `(${rows},${size / rows})`;
}

/**
 * @param {import("../protocol.js").Line | undefined} line
 * @param {(from: number, to: number, text: string) => void} replace
 */
function bitToggle(line, replace) {
  return (/** @type {import("./picture.js").Cell} */ cell) => {
    const { row_heads: rows, col_heads: cols } = cell.grid.header;
    const written = line && toggled(line, rows[cell.row - cell.grid.firstRow], cols[cell.col - cell.grid.firstCol]);
    if (!line || !written) {
      tell("bits can be changed where the line is written as linear<…>");
      return false;
    }
    replace(line.at[0], line.at[1], written);
    return true;
  };
}

/** @param {{state: State, tile: TileState, options: Record<string, string>, line: import("../protocol.js").Line | undefined, set: (key: string, value: string) => void, find: (text: string) => boolean}} props */
function Options({ state, tile, options, line, set, find }) {
  const names = state.lines.value.filter((each) => each.name && each.view && each.name !== tile.expression);
  const colour = tile.options.colour || "drawn";
  const id = (/** @type {string} */ name) => `${name}-${tile.id}`;
  const input = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string} */ hint) =>
    h(
      "label",
      { class: "field", key },
      h("span", null, label),
      h("input", {
        value: options[key] ?? "",
        placeholder: hint,
        spellcheck: false,
        autocapitalize: "off",
        onChange: (/** @type {any} */ event) => set(key, event.currentTarget.value.trim()),
      }),
    );
  return h(
    "div",
    { class: "tile-options" },
    h(
      "label",
      { class: "field" },
      h("span", null, "colour by"),
      h(
        "select",
        { value: colour, onChange: (/** @type {any} */ event) => set("colour", event.currentTarget.value) },
        Object.entries(COLOURS).map(([key, text]) => h("option", { value: key, key }, text)),
        names.map(({ name }) => h("option", { value: `as ${name}`, key: `as ${name}` }, `the colours of ${name}`)),
      ),
    ),
    h(
      "label",
      { class: "field" },
      h("span", null, "groups"),
      h("input", {
        list: id("bys"),
        value: options.by ?? "",
        placeholder: "row, tile, a tiler …",
        onChange: (/** @type {any} */ event) => set("by", event.currentTarget.value.trim()),
      }),
      h(
        "datalist",
        { id: id("bys") },
        bysOf(line).map((by) => h("option", { value: by, key: by })),
      ),
    ),
    h(
      "label",
      { class: "field" },
      h("span", null, "text"),
      h(
        "select",
        { value: tile.options.text || "drawn", onChange: (/** @type {any} */ event) => set("text", event.currentTarget.value) },
        ["drawn", "element", "place", "nothing"].map((text) =>
          h("option", { value: text, key: text }, text === "drawn" ? "as drawn" : text),
        ),
      ),
    ),
    tile.kind === "tv" && input("tile", "tile", "(16,8)"),
    (tile.kind === "grid" || tile.kind === "tv") && input("mark", "mark", "<3:4, 8:2>"),
    (tile.kind === "grid" || tile.kind === "tensor") && input("at", "at", "(1,_)"),
    h(
      "form",
      {
        class: "field",
        onSubmit: (/** @type {any} */ event) => {
          event.preventDefault();
          const text = event.currentTarget.elements.number.value;
          if (!find(text)) {
            tell(`no cell that is drawn says ${text} or lies there`);
          }
        },
      },
      h("label", { for: id("find") }, "find"),
      h("input", { id: id("find"), name: "number", placeholder: "37 or t5", autocomplete: "off" }),
    ),
  );
}

/** A slider for each dim that is not drawn. @param {{dims: number[], slice: string, set: (key: string, value: string) => void}} props */
function Sliders({ dims, slice, set }) {
  const parts = slice.replace(/[()\s]/g, "").split(",");
  const now = dims.map((_, dim) => (parts.length === dims.length ? parts[dim] : dim >= dims.length - 2 ? "_" : "0"));
  useEffect(() => {
    if (!slice) {
      set("slice", `(${now.join(",")})`);
    }
  }, [slice]);
  return h(
    "div",
    { class: "tile-options" },
    dims.map(
      (extent, dim) =>
        now[dim] !== "_" &&
        extent > 1 &&
        h(
          "label",
          { class: "field slider", key: dim },
          h("span", null, `dim ${dim}: ${now[dim]} of ${extent}`),
          h("input", {
            type: "range",
            min: 0,
            max: extent - 1,
            value: now[dim],
            onInput: (/** @type {any} */ event) =>
              set("slice", `(${now.map((part, at) => (at === dim ? event.currentTarget.value : part)).join(",")})`),
          }),
        ),
    ),
  );
}

/** @param {State} state @param {import("../protocol.js").Request} request @param {TileState} tile */
function exports(state, request, tile) {
  const stem = tile.expression.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40) || "layout";
  const drawn = async (/** @type {string} */ format) => {
    const answer = await state.engine.ask("show", [JSON.stringify(request), format]);
    if (answer.error) {
      tell(answer.error.message);
    }
    return /** @type {string | undefined} */ (answer.picture);
  };
  const save = async (/** @type {string} */ format, /** @type {string} */ ending, /** @type {string} */ type) => {
    const text = await drawn(format);
    if (text !== undefined) {
      download(`${stem}.${ending}`, new Blob([text], { type }));
    }
  };
  return [
    { text: "SVG", hint: "as the command line draws it", act: () => void save("svg", "svg", "image/svg+xml") },
    {
      text: "PNG",
      hint: "twice as fine",
      act: async () => {
        const svg = await drawn("svg");
        if (svg !== undefined) {
          download(`${stem}.png`, await png(svg, 2));
        }
      },
    },
    { text: "TikZ", hint: "for LaTeX", act: () => void save("tikz", "tex", "text/x-tex") },
    { text: "Text", hint: "for a terminal", act: () => void save("text", "txt", "text/plain") },
    {
      text: "JSON",
      hint: "every cell",
      act: async () => {
        const model = await state.engine.ask("model", [JSON.stringify(request), "{}"]);
        const plain = (/** @type {unknown} */ _, /** @type {any} */ value) =>
          ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value), String) : value;
        download(`${stem}.json`, new Blob([JSON.stringify(model, plain)], { type: "application/json" }));
      },
    },
    {
      text: "Copy the shell command",
      act: async () => {
        const { shell, error } = await state.engine.ask("command", [JSON.stringify(request)]);
        if (error) {
          tell(error.message);
        } else {
          await copy(shell, "shell command");
        }
      },
    },
  ];
}
