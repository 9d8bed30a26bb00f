/**
 * A {@link Picture}: the model of the engine laid out in units of one pixel at zoom 1, with an index from elements and places to
 * cells. It draws nothing.
 */

/** @typedef {import("../protocol.js").Model} Model */
/** @typedef {import("../protocol.js").GridHeader} GridHeader */

/** What a cell is: a grid of the picture and the number of its row and column there. */
/** @typedef {{grid: Grid, row: number, col: number}} Cell */

/**
 * @typedef {object} Grid
 * @property {GridHeader} header
 * @property {number} rows all rows, drawn or not
 * @property {number} cols
 * @property {number} firstRow the first row of the window
 * @property {number} firstCol
 * @property {number} x where its cells begin
 * @property {number} y
 * @property {number} headWidth
 * @property {number} headHeight
 */

/** A text beside a grid: a title ends above it, a caption begins below. It has room up to `right` and `bottom`. @typedef {{x: number, y: number, right: number, bottom: number, text: string, lines: string[], style: "title" | "caption"}} Label */

/** Sizes in pixels at zoom 1. */
const LETTER = 7.3;
const TITLE_LETTER = 8;
/** How far a title may reach beyond the grid below it; the rest of it is left out. */
const TITLE_BEYOND = 240;
const CELL_HEIGHT = 26;
const CELL_MIN_WIDTH = 30;
const LINE = 15;
const GAP = 28;
const HEAD_GAP = 7;

/** The numbers as JavaScript can key them: a number below 2^53, else the BigInt. @param {bigint} value */
export const keyOf = (value) =>
  value <= 9007199254740991n && value >= -9007199254740991n ? Number(value) : value;

/** The place of a cell that has none; offsets may be negative, so that -1 is one of them. */
export const NO_PLACE = -(2n ** 63n);

export class Picture {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const { header } = model;
    const longest = lettersOf(header.strings);
    this.cellWidth = Math.max(CELL_MIN_WIDTH, Math.ceil(longest.letters * LETTER) + 12);
    this.cellHeight = Math.max(CELL_HEIGHT, longest.lines * LINE + 8);
    /** @type {Grid[]} */
    this.grids = [];
    /** @type {Label[]} */
    this.labels = [];
    this.width = 0;
    this.height = 0;
    this.layOut();
    /** @type {Map<number | bigint, number[]> | undefined} */
    this.byElement = undefined;
    /** @type {Map<number | bigint, number[]> | undefined} */
    this.byPlace = undefined;
  }

  layOut() {
    let y = 0;
    for (const row of this.model.header.rows) {
      const before = this.labels.length;
      let x = 0;
      let bottom = y;
      const top = Math.max(...row.map((panel) => (panel.title ? LINE + 6 : 0)), 0);
      const heads = Math.max(
        0,
        ...row.map((panel) => (panel.grids[0]?.col_heads.length ? LINE + HEAD_GAP : 0)),
      );
      for (const panel of row) {
        let below = y + top + heads;
        let right = x;
        const headWidth = Math.max(0, ...panel.grids.map((grid) => widthOf(grid.row_heads)));
        panel.grids.forEach((header, number) => {
          const headHeight = header.col_heads.length ? LINE + HEAD_GAP : 0;
          below += number === 0 ? 0 : headHeight;
          const grid = {
            header,
            rows: Number(header.rows),
            cols: Number(header.cols),
            firstRow: Number(header.first_row),
            firstCol: Number(header.first_col),
            x: x + headWidth,
            y: below,
            headWidth,
            headHeight,
          };
          if (!panel.hidden) {
            this.grids.push(grid);
          }
          right = Math.max(right, grid.x + grid.cols * this.cellWidth);
          below += grid.rows * this.cellHeight + (number + 1 < panel.grids.length ? 12 : 0);
        });
        if (panel.title && !panel.hidden) {
          const letters = Math.floor((right + TITLE_BEYOND - x - headWidth) / TITLE_LETTER);
          const text = panel.title.length > letters ? `${panel.title.slice(0, letters - 1)}…` : panel.title;
          this.labels.push({ x: x + headWidth, y, right: Infinity, bottom: Infinity, text, lines: [text], style: "title" });
          right = Math.max(right, x + headWidth + text.length * TITLE_LETTER);
        }
        if (panel.caption && !panel.hidden) {
          const lines = wrap(panel.caption, Math.max(right - x - headWidth, 220));
          this.labels.push({ x: x + headWidth, y: below + 8, right: Infinity, bottom: Infinity, text: panel.caption, lines, style: "caption" });
          right = Math.max(right, x + headWidth + Math.max(...lines.map((text) => text.length)) * 6.4);
          below += 8 + lines.length * LINE;
        }
        bottom = Math.max(bottom, below);
        x = right + GAP;
        this.width = Math.max(this.width, right);
      }
      const labels = this.labels.slice(before);
      for (const label of labels) {
        label.right = Math.min(...labels.filter((other) => other.x > label.x).map((other) => other.x));
        label.bottom = row === this.model.header.rows.at(-1) ? Infinity : bottom + GAP / 2;
      }
      y = bottom + GAP;
      this.height = Math.max(this.height, bottom);
    }
  }

  /** Whether more rows or columns exist than were drawn. */
  get isPartial() {
    return this.grids.some((grid) => grid.header.height < grid.rows || grid.header.width < grid.cols);
  }

  /** The number of a cell in the arrays, or undefined outside the window. @param {Cell} cell */
  indexOf({ grid, row, col }) {
    const [i, j] = [row - grid.firstRow, col - grid.firstCol];
    const { height, width, start } = grid.header;
    return i >= 0 && j >= 0 && i < height && j < width ? start + i * width + j : undefined;
  }

  /** The cell at a point. @param {number} x @param {number} y @returns {Cell | undefined} */
  cellAt(x, y) {
    for (const grid of this.grids) {
      const col = Math.floor((x - grid.x) / this.cellWidth);
      const row = Math.floor((y - grid.y) / this.cellHeight);
      if (row >= 0 && col >= 0 && row < grid.rows && col < grid.cols) {
        return { grid, row, col };
      }
    }
    return undefined;
  }

  /** The cell of a number in the arrays. @param {number} index @returns {Cell | undefined} */
  cellOf(index) {
    for (const grid of this.grids) {
      const within = index - grid.header.start;
      if (within >= 0 && within < grid.header.height * grid.header.width) {
        return {
          grid,
          row: grid.firstRow + Math.floor(within / grid.header.width),
          col: grid.firstCol + (within % grid.header.width),
        };
      }
    }
    return undefined;
  }

  /** The cells with an element, or with a place. @param {"element" | "place"} what @param {bigint} value @returns {number[]} */
  cellsWith(what, value) {
    if (what === "element") {
      this.byElement ??= indexBy(this.model.elements);
      return this.byElement.get(keyOf(value)) ?? [];
    }
    this.byPlace ??= indexBy(this.model.places, this.model.elements);
    return this.byPlace.get(keyOf(value)) ?? [];
  }

  /** The text of a cell. @param {number} index */
  textOf(index) {
    return this.model.header.strings[this.model.texts[index]] ?? "";
  }
}

/**
 * From a number to the cells that have it; cells of padding, whose element is -1, have none.
 * @param {BigInt64Array} values
 * @param {BigInt64Array} [guard] cells where this is -1 are left out
 */
function indexBy(values, guard = values) {
  /** @type {Map<number | bigint, number[]>} */
  const index = new Map();
  for (let cell = 0; cell < values.length; cell += 1) {
    if (guard[cell] === -1n || values[cell] === NO_PLACE) {
      continue;
    }
    const key = keyOf(values[cell]);
    const cells = index.get(key);
    if (cells) {
      cells.push(cell);
    } else {
      index.set(key, [cell]);
    }
  }
  return index;
}

/** @param {string[]} strings */
function lettersOf(strings) {
  let [letters, lines] = [1, 1];
  for (const text of strings) {
    const parts = text.split("\n");
    lines = Math.max(lines, parts.length);
    letters = Math.max(letters, ...parts.map((part) => part.length));
  }
  return { letters: Math.min(letters, 24), lines: Math.min(lines, 4) };
}

/** @param {string[]} heads */
const widthOf = (heads) =>
  heads.length ? Math.max(...heads.map((head) => head.length)) * LETTER + HEAD_GAP + 3 : 0;

/** Lines of at most a width in letters of 12 pixels, broken at spaces. @param {string} text @param {number} width */
export function wrap(text, width) {
  const letters = Math.max(20, Math.floor(width / 6.2));
  /** @type {string[]} */
  const lines = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line && line.length + 1 + word.length > letters) {
        lines.push(line);
        line = word;
      } else {
        line = line ? `${line} ${word}` : word;
      }
    }
    lines.push(line);
  }
  return lines;
}
