/**
 * The canvas of a tile: asks the engine for the model of a request, shows it, lights what the cursor links, and moves its own cursor by keys.
 */
import { h, useEffect, useRef, useSignalEffect } from "../ui/dom.js";
import { SUPERSEDED } from "../engine/client.js";
import { related } from "../workspace/relations.js";
import { CanvasView } from "./canvas.js";
import { colouring } from "./colouring.js";
import { theme } from "./colours.js";
import { lit, threadOf } from "./linked.js";
import { NO_PLACE, Picture } from "./picture.js";

/** @typedef {import("../workspace/state.js").State} State */
/** @typedef {import("./picture.js").Cell} Cell */

/** Windows of at most this many cells are requested at once; pictures of one that fits are requested whole. */
const WHOLE = 256;

/**
 * @typedef {object} StageProps
 * @property {State} state
 * @property {import("../protocol.js").Request} request
 * @property {string} expression what is drawn: the name by which views are linked
 * @property {string} kind the view
 * @property {string} colour a key of COLOURS, or `as NAME`
 * @property {string} text what cells say: drawn, element, place, both or nothing
 * @property {import("@preact/signals").Signal<boolean>} isDark
 * @property {string} tag a number that is unique among tiles
 * @property {(api: StageApi) => void} [expose]
 * @property {(picture: Picture | undefined, error?: import("../protocol.js").Refusal) => void} [loaded]
 * @property {(cell: Cell, picture: Picture) => boolean} [activate] what a double click does; whether it did something
 */

/** @typedef {{zoom: (factor: number) => void, fit: () => void, find: (text: string) => boolean, picture: () => Picture | undefined}} StageApi */

/** @param {StageProps} props */
export function Stage(props) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const stage = useRef(/** @type {StageWork | undefined} */ (undefined));
  useEffect(() => {
    const work = new StageWork(/** @type {HTMLDivElement} */ (host.current), props);
    stage.current = work;
    props.expose?.(work.api());
    return () => work.destroy();
  }, []);
  const { request, colour, text, expression } = props;
  const wanted = JSON.stringify(request);
  useEffect(() => {
    stage.current?.change(props, wanted);
  }, [wanted, colour, text, expression, props.loaded, props.activate]);
  useSignalEffect(() => {
    const { state, isDark } = props;
    const meaning = state.meaning(stage.current?.asked() ?? wanted);
    const groups = state.groups.value;
    const dark = isDark.value;
    if (groups.length) {
      stage.current?.reload(meaning, groups, dark);
    }
  });
  useSignalEffect(() => {
    const { state } = props;
    void [state.cursor.value, state.pins.value, state.link.value, state.lines.value];
    stage.current?.light();
  });
  return h("div", {
    class: "stage",
    ref: host,
    tabIndex: 0,
    role: "application",
    "aria-roledescription": "picture of a layout",
    "aria-label": `Picture of ${expression}. Arrow keys move from cell to cell, Enter pins, plus and minus zoom, 0 shows all.`,
    onKeyDown: (/** @type {KeyboardEvent} */ event) => stage.current?.key(event),
    onDblClick: () => stage.current?.activate(),
    onBlur: () => stage.current?.blur(),
  });
}

class StageWork {
  /** @param {HTMLDivElement} host @param {StageProps} props */
  constructor(host, props) {
    this.props = props;
    this.host = host;
    this.wanted = JSON.stringify(props.request);
    /** @type {Picture | undefined} */
    this.picture = undefined;
    this.shown = "";
    /** @type {Cell | undefined} */
    this.cell = undefined;
    /** The values of the names in the request when it was last asked. */
    this.meaning = "";
    /** @type {string[]} */
    this.groups = [];
    this.isDark = false;
    /** @type {{rows?: [number, number], cols?: [number, number]}} */
    this.window = { rows: [0, WHOLE], cols: [0, WHOLE] };
    this.view = new CanvasView(host, {
      point: (cell) => this.point(cell),
      pick: (cell, more) => this.pick(cell, more),
      window: (rows, cols) => {
        this.window = { rows, cols };
        void this.load(true);
      },
      painted: () => {
        host.dataset.painted = String(performance.now());
        host.dataset.scale = this.view.viewport.scale.toFixed(3);
      },
    });
  }

  destroy() {
    this.view.destroy();
  }

  /** What the picture speaks of: its request, and the layout that lends its colours. */
  asked() {
    return `${this.wanted} ${this.props.colour}`;
  }

  /** @returns {StageApi} */
  api() {
    return {
      zoom: (factor) => this.view.viewport.zoom(factor, this.view.width / 2, this.view.height / 2),
      fit: () => this.view.fit(true),
      find: (text) => this.find(text),
      picture: () => this.picture,
    };
  }

  /** @param {StageProps} props @param {string} wanted */
  change(props, wanted) {
    this.props = props;
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      this.meaning = props.state.meaning(this.asked());
      this.window = { rows: [0, WHOLE], cols: [0, WHOLE] };
      void this.load(false);
    } else {
      void this.repaint();
    }
  }

  /** @param {string} meaning @param {string[]} groups @param {boolean} isDark */
  reload(meaning, groups, isDark) {
    if (meaning === this.meaning && this.groups === groups && this.isDark === isDark && this.picture) {
      return;
    }
    const isNew = meaning !== this.meaning || !this.picture;
    this.groups = groups;
    this.isDark = isDark;
    if (isNew) {
      this.meaning = meaning;
      void this.load(this.shown === this.wanted);
    } else {
      void this.repaint();
    }
  }

  /** @param {boolean} keepsView */
  async load(keepsView) {
    if (this.groups.length === 0) {
      return;
    }
    const { state, tag } = this.props;
    const wanted = this.wanted;
    if (keepsView && this.picture?.isPartial) {
      this.window = this.view.spread() ?? this.window;
    }
    const model = await state.engine.ask("model", [wanted, JSON.stringify(this.window)], `model ${tag}`);
    if (model === SUPERSEDED || wanted !== this.wanted) {
      return;
    }
    // A picture of what was typed before stays in sight, but not as if it were the answer.
    this.host.classList.toggle("past", Boolean(model.error));
    if (model.error) {
      this.props.loaded?.(undefined, model.error);
      return;
    }
    const picture = new Picture(model);
    const before = this.picture;
    const isSame = keepsView && this.shown === wanted && before && sameFrame(before, picture);
    this.picture = picture;
    this.shown = wanted;
    this.props.loaded?.(picture);
    await this.repaint(Boolean(isSame));
  }

  async repaint(keepsView = true) {
    const { picture, groups } = this;
    if (!picture || groups.length === 0) {
      return;
    }
    const colours = theme(groups, this.isDark);
    const { colour, text, state } = this.props;
    let other;
    if (colour.startsWith("as ")) {
      const request = JSON.stringify({ expressions: [colour.slice(3)], view: "grid" });
      const model = await state.engine.ask("model", [request, "{}"], `colours ${this.props.tag}`);
      other = model === SUPERSEDED || model.error ? undefined : new Picture(model);
      if (picture !== this.picture) {
        return;
      }
    }
    const paint = colouring(picture, colour.startsWith("as ") ? "drawn" : colour, colours, other);
    this.view.show(picture, paint, colours, textsOf(picture, text), keepsView);
    this.host.dataset.cells = String(picture.model.texts.length);
    this.light();
  }

  light() {
    const { picture } = this;
    if (!picture) {
      return;
    }
    const { state, expression } = this.props;
    const cursor = state.cursor.peek();
    const lines = state.lines.peek();
    const cells = cursor
      ? lit(picture, { expression, kind: this.props.kind }, cursor, lines, state.link.peek())
      : { elements: [], places: [] };
    const pins = state.pins.peek().map((pin, number) => ({
      cells: this.pinned(picture, BigInt(pin)),
      label: String(number + 1),
    }));
    const own = cursor?.expression === expression ? this.cell : undefined;
    this.view.light({ ...cells, pins, cursor: own });
    this.host.dataset.lit = String(cells.elements.length + cells.places.length);
  }

  /** Pins are elements of the tensor; a layout whose elements are places of another one has none of them. @param {Picture} picture @param {bigint} element */
  pinned(picture, element) {
    const lines = this.props.state.lines.peek();
    const named = lines.filter((line) => line.name && line.name !== this.props.expression);
    const isInner = named.some(
      (line) => related(lines, { expression: /** @type {string} */ (line.name) }, this.props) === "place to element",
    );
    return isInner ? [] : picture.cellsWith("element", element);
  }

  /** @param {Cell | undefined} cell */
  point(cell) {
    const { state, expression } = this.props;
    const index = cell && this.picture?.indexOf(cell);
    this.cell = cell;
    if (index === undefined || !this.picture) {
      if (state.cursor.peek()?.expression === expression) {
        state.cursor.value = undefined;
      }
      return;
    }
    const { elements, places } = this.picture.model;
    const before = state.cursor.peek();
    const [element, place] = [elements[index], places[index]];
    if (before?.expression === expression && before.element === element && before.place === place) {
      this.light();
      return;
    }
    state.cursor.value = { expression, element, place, kind: this.props.kind, elements: this.heldBy(place) };
  }

  /** All elements that the thread of a place holds, where views are linked by thread and the picture has threads. @param {bigint} place */
  heldBy(place) {
    const { state, expression, kind } = this.props;
    const line = state.lines.peek().find((each) => each.name === expression || each.expression === expression);
    const thread = state.link.peek() === "thread" ? threadOf(line, kind) : undefined;
    if (!thread || !this.picture || place === NO_PLACE) {
      return undefined;
    }
    const { elements, places } = this.picture.model;
    const wanted = thread(place);
    return [...new Set(elements.filter((element, cell) => element !== -1n && places[cell] !== NO_PLACE && thread(places[cell]) === wanted))];
  }

  /** @param {Cell} cell @param {boolean} more */
  pick(cell, more) {
    this.host.focus({ preventScroll: true });
    this.point(cell);
    const cursor = this.props.state.cursor.peek();
    if (cursor) {
      this.props.state.pin(cursor.element, more);
    }
  }

  activate() {
    if (this.cell && this.picture) {
      this.props.activate?.(this.cell, this.picture);
    }
  }

  blur() {
    this.point(undefined);
  }

  /** Moves the cursor to the first cell that says a text, such as `t5`, or has this place or element. @param {string} text */
  find(text) {
    const wanted = text.trim();
    if (wanted === "" || !this.picture) {
      return false;
    }
    const { strings } = this.picture.model.header;
    const said = new Set(strings.flatMap((each, at) => (each.split("\n").includes(wanted) ? [at] : [])));
    let index = said.size ? this.picture.model.texts.findIndex((each) => said.has(each)) : -1;
    if (index < 0 && /^-?\d{1,18}$/.test(wanted)) {
      const value = BigInt(wanted);
      index = this.picture.cellsWith("place", value)[0] ?? this.picture.cellsWith("element", value)[0] ?? -1;
    }
    const cell = index < 0 ? undefined : this.picture.cellOf(index);
    if (!cell) {
      return false;
    }
    this.host.focus();
    this.go(cell);
    return true;
  }

  /** @param {Cell} cell */
  go(cell) {
    this.view.reveal(cell);
    this.point(cell);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { picture } = this;
    if (!picture || picture.grids.length === 0 || event.altKey || event.metaKey) {
      return;
    }
    const centre = /** @type {const} */ ([this.view.width / 2, this.view.height / 2]);
    const keys = /** @type {Record<string, () => void>} */ ({
      "+": () => this.view.viewport.zoom(1.25, ...centre),
      "=": () => this.view.viewport.zoom(1.25, ...centre),
      "-": () => this.view.viewport.zoom(0.8, ...centre),
      0: () => this.view.fit(true),
      Escape: () => {
        this.props.state.pins.value = [];
        this.point(undefined);
      },
      Enter: () => this.press(event.shiftKey),
      " ": () => this.press(event.shiftKey),
      F2: () => this.activate(),
      ArrowLeft: () => this.step(0, -1),
      ArrowRight: () => this.step(0, 1),
      ArrowUp: () => this.step(-1, 0),
      ArrowDown: () => this.step(1, 0),
      PageUp: () => this.step(-8, 0),
      PageDown: () => this.step(8, 0),
      Home: () => this.step(event.ctrlKey ? -Infinity : 0, -Infinity),
      End: () => this.step(event.ctrlKey ? Infinity : 0, Infinity),
    });
    const act = keys[event.key];
    if (act && (!event.ctrlKey || event.key === "Home" || event.key === "End")) {
      event.preventDefault();
      event.stopPropagation();
      act();
    }
  }

  /** @param {boolean} more */
  press(more) {
    if (this.cell) {
      this.pick(this.cell, more);
    } else {
      this.step(0, 0);
    }
  }

  /** @param {number} rows @param {number} cols */
  step(rows, cols) {
    const picture = /** @type {Picture} */ (this.picture);
    const at = this.cell && picture.grids.includes(this.cell.grid) ? this.cell : undefined;
    if (!at) {
      const [grid] = picture.grids;
      this.go({ grid, row: grid.firstRow, col: grid.firstCol });
      return;
    }
    const clip = (/** @type {number} */ value, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, value));
    const number = picture.grids.indexOf(at.grid);
    const next = { grid: at.grid, row: clip(at.row + rows, at.grid.rows), col: clip(at.col + cols, at.grid.cols) };
    const isStuck = next.row === at.row && next.col === at.col;
    const neighbour = picture.grids[number + Math.sign(rows + cols)];
    if (isStuck && neighbour && Math.abs(rows + cols) === 1) {
      const back = Math.sign(rows + cols) < 0;
      this.go({
        grid: neighbour,
        row: rows === 0 ? Math.min(at.row, neighbour.rows - 1) : back ? neighbour.rows - 1 : 0,
        col: cols === 0 ? Math.min(at.col, neighbour.cols - 1) : back ? neighbour.cols - 1 : 0,
      });
      return;
    }
    this.go(next);
  }
}

/** Whether two pictures have grids of the same extents. @param {Picture} one @param {Picture} other */
function sameFrame(one, other) {
  return (
    one.grids.length === other.grids.length &&
    one.grids.every(({ rows, cols }, at) => rows === other.grids[at].rows && cols === other.grids[at].cols)
  );
}

/** @param {Picture} picture @param {string} text @returns {(index: number) => string} */
function textsOf(picture, text) {
  const { elements, places } = picture.model;
  const number = (/** @type {BigInt64Array} */ values, /** @type {number} */ index) =>
    elements[index] === -1n || values[index] === NO_PLACE ? "" : String(values[index]);
  switch (text) {
    case "element":
      return (index) => number(elements, index);
    case "place":
      return (index) => number(places, index);
    case "nothing":
      return () => "";
    default:
      return (index) => picture.textOf(index);
  }
}
