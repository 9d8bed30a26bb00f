/**
 * {@link CanvasView}: one canvas for a picture and one above it for what is lit. It draws only what is seen: cells as a bitmap of
 * colours where they are small, with text where there is room. Whatever changes asks for one frame.
 */
import { wrap } from "./picture.js";
import { Viewport } from "./viewport.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./picture.js").Grid} Grid */
/** @typedef {import("./picture.js").Cell} Cell */
/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./colouring.js").Colouring} Colouring */
/** @typedef {{elements: number[], places: number[], pins: {cells: number[], label: string}[], cursor?: Cell}} Lit */

const FONT = 'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SANS = 'system-ui, -apple-system, "Segoe UI", "Inter", "DejaVu Sans", sans-serif';

/** Text is drawn from this height of letters on, in pixels. */
const LEAST_LETTERS = 6.5;
/** Titles and captions are never smaller: where the picture is, they are broken anew, and left out where there is no room. */
const LEAST_LABEL = 8.5;
/** The space between labels side by side, and how far below its place a title ends, in pixels. */
const LABEL_GAP = 6;
const TITLE_BASE = 16;
/** The distance of lines, the width of a letter of a title, and the least width of a caption, in heights of letters. */
const LINE_HEIGHT = 1.25;
const TITLE_LETTER_WIDTH = 0.61;
const LEAST_CAPTION_WIDTH = 10.4;
/** Below this zoom pictures are too near each other for titles. */
const LEAST_TITLE_SCALE = 0.3;
/** Below this height of a cell, in pixels, cells are a bitmap. */
const BITMAP_BELOW = 6;

export class CanvasView {
  /**
   * @param {HTMLElement} host
   * @param {object} callbacks
   * @param {(cell: Cell | undefined) => void} callbacks.point
   * @param {(cell: Cell, more: boolean) => void} callbacks.pick
   * @param {(rows: [number, number], cols: [number, number]) => void} callbacks.window more of the grid is seen than was drawn
   * @param {() => void} callbacks.painted
   */
  constructor(host, callbacks) {
    this.host = host;
    this.callbacks = callbacks;
    this.base = this.canvas("base");
    this.over = this.canvas("over");
    /** @type {Picture | undefined} */
    this.picture = undefined;
    /** @type {Colouring | undefined} */
    this.colours = undefined;
    /** @type {Theme | undefined} */
    this.theme = undefined;
    /** @type {((index: number) => string) | undefined} */
    this.texts = undefined;
    /** @type {Lit} */
    this.lit = { elements: [], places: [], pins: [] };
    /** @type {Map<Grid, HTMLCanvasElement>} */
    this.bitmaps = new Map();
    /** @type {CanvasPattern | null} */
    this.hatch = null;
    this.width = 0;
    this.height = 0;
    this.frame = 0;
    this.isBaseOld = true;
    this.viewport = new Viewport(host, {
      changed: () => this.invalidate(true),
      point: (x, y) => callbacks.point(this.picture?.cellAt(x, y)),
      leave: () => callbacks.point(undefined),
      pick: (x, y, more) => {
        const cell = this.picture?.cellAt(x, y);
        if (cell) {
          callbacks.pick(cell, more);
        }
      },
    });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
  }

  /** @param {string} name */
  canvas(name) {
    const canvas = document.createElement("canvas");
    canvas.className = `canvas-${name}`;
    canvas.setAttribute("aria-hidden", "true");
    this.host.append(canvas);
    return canvas;
  }

  destroy() {
    this.observer.disconnect();
    this.viewport.destroy();
    cancelAnimationFrame(this.frame);
    this.base.remove();
    this.over.remove();
  }

  resize() {
    const { clientWidth, clientHeight } = this.host;
    const ratio = window.devicePixelRatio || 1;
    if (clientWidth === this.width && clientHeight === this.height) {
      return;
    }
    const wasFitted = this.viewport.isFitted;
    [this.width, this.height] = [clientWidth, clientHeight];
    for (const canvas of [this.base, this.over]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
    }
    if (wasFitted) {
      this.fit(this.viewport.isWhole);
    }
    this.invalidate(true);
  }

  /**
   * @param {Picture} picture
   * @param {Colouring} colours
   * @param {Theme} theme
   * @param {(index: number) => string} texts
   * @param {boolean} keepsView whether the reader stays where they are
   */
  show(picture, colours, theme, texts, keepsView) {
    const before = this.picture;
    this.picture = picture;
    this.colours = colours;
    this.theme = theme;
    this.texts = texts;
    this.bitmaps.clear();
    this.hatch = null;
    this.viewport.least = picture.isPartial ? Math.max(0.12, 3 / picture.cellHeight, 3 / picture.cellWidth) : 0.02;
    if (!keepsView || !before) {
      this.fit(false);
    } else if (before.cellWidth !== picture.cellWidth) {
      this.viewport.rescale(before, picture);
    }
    this.invalidate(true);
  }

  /** @param {boolean} isWhole whether all is shown, though it be a band */
  fit(isWhole) {
    if (this.picture && this.width > 0) {
      this.viewport.fit(this.picture, this.width, this.height, isWhole);
    }
  }

  /** @param {Lit} lit */
  light(lit) {
    this.lit = lit;
    this.invalidate(false);
  }

  /** Moves so that a cell is seen. @param {Cell} cell */
  reveal({ grid, row, col }) {
    const { picture } = this;
    if (picture) {
      const [x, y] = [grid.x + col * picture.cellWidth, grid.y + row * picture.cellHeight];
      this.viewport.reveal(x, y, picture.cellWidth, picture.cellHeight, this.width, this.height);
    }
  }

  /** @param {boolean} isBaseOld */
  invalidate(isBaseOld) {
    this.isBaseOld ||= isBaseOld;
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
    }
  }

  paint() {
    if (!this.picture || !this.theme || this.width === 0) {
      return;
    }
    if (this.isBaseOld) {
      this.isBaseOld = false;
      this.paintBase();
      this.askForWindow();
    }
    this.paintOver();
    this.callbacks.painted();
  }

  /** The rows and columns of a grid that are seen and drawn. @param {Grid} grid */
  seen(grid) {
    const picture = /** @type {Picture} */ (this.picture);
    const { x, y, scale } = this.viewport;
    const left = (-x / scale - grid.x) / picture.cellWidth;
    const top = (-y / scale - grid.y) / picture.cellHeight;
    return {
      firstCol: Math.max(0, Math.floor(left)),
      lastCol: Math.min(grid.cols, Math.ceil(left + this.width / scale / picture.cellWidth)),
      firstRow: Math.max(0, Math.floor(top)),
      lastRow: Math.min(grid.rows, Math.ceil(top + this.height / scale / picture.cellHeight)),
    };
  }

  /** The rows and columns that are seen, with a third as many around them; of the first grid in sight. @param {Grid[]} [grids] */
  spread(grids = this.picture?.grids ?? []) {
    for (const grid of grids) {
      const { firstRow, lastRow, firstCol, lastCol } = this.seen(grid);
      if (firstRow < lastRow && firstCol < lastCol) {
        const [spareRows, spareCols] = [Math.ceil((lastRow - firstRow) / 3), Math.ceil((lastCol - firstCol) / 3)];
        return {
          rows: /** @type {[number, number]} */ ([Math.max(0, firstRow - spareRows), Math.min(grid.rows, lastRow + spareRows)]),
          cols: /** @type {[number, number]} */ ([Math.max(0, firstCol - spareCols), Math.min(grid.cols, lastCol + spareCols)]),
        };
      }
    }
    return undefined;
  }

  askForWindow() {
    const picture = /** @type {Picture} */ (this.picture);
    if (!picture.isPartial) {
      return;
    }
    for (const grid of picture.grids) {
      const { firstRow, lastRow, firstCol, lastCol } = this.seen(grid);
      if (firstRow >= lastRow || firstCol >= lastCol) {
        continue;
      }
      const { height, width } = grid.header;
      const isDrawn =
        firstRow >= grid.firstRow &&
        lastRow <= grid.firstRow + height &&
        firstCol >= grid.firstCol &&
        lastCol <= grid.firstCol + width;
      if (!isDrawn) {
        const spread = this.spread([grid]);
        if (spread) {
          this.callbacks.window(spread.rows, spread.cols);
        }
        return;
      }
    }
  }

  /** @param {HTMLCanvasElement} canvas */
  begin(canvas) {
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }

  paintBase() {
    const context = this.begin(this.base);
    const picture = /** @type {Picture} */ (this.picture);
    const theme = /** @type {Theme} */ (this.theme);
    const { x, y, scale } = this.viewport;
    for (const grid of picture.grids) {
      this.paintGrid(context, grid);
    }
    for (const label of picture.labels) {
      this.paintLabel(context, label);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./picture.js").Label} label */
  paintLabel(context, { style, text, x, y, right, bottom, lines }) {
    const theme = /** @type {Theme} */ (this.theme);
    const { x: left0, y: top0, scale } = this.viewport;
    const isTitle = style === "title";
    const wanted = (isTitle ? 13 : 12) * scale;
    const size = Math.min(isTitle ? 15 : 13, Math.max(LEAST_LABEL, wanted));
    const [left, line] = [left0 + x * scale, size * LINE_HEIGHT];
    const top = top0 + (isTitle ? (y + TITLE_BASE) * scale : y * scale + Math.max(0, 4 - 8 * scale));
    if (wanted < size) {
      const room = Math.min(this.width, left0 + right * scale) - LABEL_GAP - left;
      if (isTitle) {
        const letters = Math.floor(room / size / TITLE_LETTER_WIDTH);
        if (letters < 4 || scale < LEAST_TITLE_SCALE) {
          return;
        }
        lines = letters < text.length ? [`${text.slice(0, letters - 1)}…`] : lines;
      } else {
        lines = wrap(text, (room / size) * 12);
        const end = top0 + y * scale + lines.length * line;
        if (room < LEAST_CAPTION_WIDTH * size || end > Math.min(this.height, top0 + bottom * scale)) {
          return;
        }
      }
    }
    context.font = isTitle ? `600 ${size}px ${FONT}` : `${size}px ${SANS}`;
    context.textAlign = "left";
    context.textBaseline = isTitle ? "bottom" : "top";
    context.fillStyle = isTitle ? theme.ink : theme.mutedInk;
    lines.forEach((words, number) => context.fillText(words, left, top + number * line));
  }

  /** @param {CanvasRenderingContext2D} context @param {Grid} grid */
  paintGrid(context, grid) {
    const picture = /** @type {Picture} */ (this.picture);
    const theme = /** @type {Theme} */ (this.theme);
    const colours = /** @type {Colouring} */ (this.colours);
    const { x, y, scale } = this.viewport;
    const seen = this.seen(grid);
    const { header } = grid;
    const firstRow = Math.max(seen.firstRow, grid.firstRow);
    const lastRow = Math.min(seen.lastRow, grid.firstRow + header.height);
    const firstCol = Math.max(seen.firstCol, grid.firstCol);
    const lastCol = Math.min(seen.lastCol, grid.firstCol + header.width);
    const [wide, high] = [picture.cellWidth * scale, picture.cellHeight * scale];
    const [left, top] = [x + grid.x * scale, y + grid.y * scale];
    if (firstRow >= lastRow || firstCol >= lastCol) {
      return;
    }
    if (high < BITMAP_BELOW || wide < BITMAP_BELOW) {
      const bitmap = this.bitmapOf(grid);
      context.imageSmoothingEnabled = false;
      context.drawImage(
        bitmap,
        left + grid.firstCol * wide,
        top + grid.firstRow * high,
        header.width * wide,
        header.height * high,
      );
      this.paintLines(context, grid, { firstRow, lastRow, firstCol, lastCol }, 1);
      return;
    }
    this.paintCells(context, grid, colours, { firstRow, lastRow, firstCol, lastCol });
    this.paintLines(context, grid, { firstRow, lastRow, firstCol, lastCol }, 0);
    const letters = Math.min(13, 12.5 * scale * 1.02);
    if (letters >= LEAST_LETTERS) {
      this.paintTexts(context, grid, colours, { firstRow, lastRow, firstCol, lastCol });
    }
    this.paintHeads(context, grid, theme, { firstRow, lastRow, firstCol, lastCol });
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Grid} grid
   * @param {Colouring} colours
   * @param {{firstRow: number, lastRow: number, firstCol: number, lastCol: number}} part
   */
  paintCells(context, grid, { paints, codes }, { firstRow, lastRow, firstCol, lastCol }) {
    const picture = /** @type {Picture} */ (this.picture);
    const { x, y, scale } = this.viewport;
    const { start, width } = grid.header;
    let code = -1;
    for (let row = firstRow; row < lastRow; row += 1) {
      const top = Math.round(y + (grid.y + row * picture.cellHeight) * scale);
      const bottom = Math.round(y + (grid.y + (row + 1) * picture.cellHeight) * scale);
      const base = start + (row - grid.firstRow) * width - grid.firstCol;
      for (let col = firstCol; col < lastCol; col += 1) {
        const own = codes[base + col];
        if (own !== code) {
          code = own;
          context.fillStyle = paints[code].isHatched ? this.hatchOf(context) : paints[code].fill;
        }
        const left = Math.round(x + (grid.x + col * picture.cellWidth) * scale);
        const right = Math.round(x + (grid.x + (col + 1) * picture.cellWidth) * scale);
        context.fillRect(left, top, right - left, bottom - top);
      }
    }
  }

  /**
   * Lines between cells: thin ones within, heavier where levels of nesting end.
   * @param {CanvasRenderingContext2D} context
   * @param {Grid} grid
   * @param {{firstRow: number, lastRow: number, firstCol: number, lastCol: number}} part
   * @param {number} least lines below this level are left out
   */
  paintLines(context, grid, { firstRow, lastRow, firstCol, lastCol }, least) {
    const picture = /** @type {Picture} */ (this.picture);
    const theme = /** @type {Theme} */ (this.theme);
    const { x, y, scale } = this.viewport;
    const { header } = grid;
    const across = (/** @type {number} */ col) => Math.round(x + (grid.x + col * picture.cellWidth) * scale);
    const down = (/** @type {number} */ row) => Math.round(y + (grid.y + row * picture.cellHeight) * scale);
    const levels = new Set([...header.row_levels, ...header.col_levels].map((level) => Math.min(level, 4)));
    for (const level of [...levels].sort()) {
      if (level < least) {
        continue;
      }
      const weight = level === 0 ? 1 : Math.max(1, Math.round(Math.min(4, level * 1.25 + 0.5) * Math.min(1, Math.max(scale, 0.5))));
      context.fillStyle = level === 0 ? theme.line : theme.strong;
      const half = Math.floor(weight / 2);
      for (let row = firstRow; row <= lastRow; row += 1) {
        if (Math.min(header.row_levels[row - grid.firstRow] ?? 0, 4) === level) {
          context.fillRect(across(firstCol) - half, down(row) - half, across(lastCol) - across(firstCol) + 2 * half, weight);
        }
      }
      for (let col = firstCol; col <= lastCol; col += 1) {
        if (Math.min(header.col_levels[col - grid.firstCol] ?? 0, 4) === level) {
          context.fillRect(across(col) - half, down(firstRow) - half, weight, down(lastRow) - down(firstRow) + 2 * half);
        }
      }
    }
    if (levels.size === 1 && levels.has(0)) {
      // A grid without nesting has a thin frame.
      context.strokeStyle = theme.strong;
      context.lineWidth = 1;
      context.strokeRect(
        across(firstCol) + 0.5,
        down(firstRow) + 0.5,
        across(lastCol) - across(firstCol),
        down(lastRow) - down(firstRow),
      );
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Grid} grid
   * @param {Colouring} colours
   * @param {{firstRow: number, lastRow: number, firstCol: number, lastCol: number}} part
   */
  paintTexts(context, grid, { paints, codes }, { firstRow, lastRow, firstCol, lastCol }) {
    const picture = /** @type {Picture} */ (this.picture);
    const texts = /** @type {(index: number) => string} */ (this.texts);
    const { x, y, scale } = this.viewport;
    const { start, width } = grid.header;
    const size = Math.min(18, 12.5 * scale);
    const room = picture.cellWidth * scale - 4;
    context.font = `${size}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const letter = context.measureText("0").width;
    let ink = "";
    for (let row = firstRow; row < lastRow; row += 1) {
      const middle = y + (grid.y + (row + 0.5) * picture.cellHeight) * scale + size * 0.06;
      const base = start + (row - grid.firstRow) * width - grid.firstCol;
      for (let col = firstCol; col < lastCol; col += 1) {
        const text = texts(base + col);
        if (text === "") {
          continue;
        }
        const own = paints[codes[base + col]].ink;
        if (own !== ink) {
          ink = own;
          context.fillStyle = ink;
        }
        const centre = x + (grid.x + (col + 0.5) * picture.cellWidth) * scale;
        if (text.includes("\n")) {
          const lines = text.split("\n");
          lines.forEach((line, number) =>
            context.fillText(line, centre, middle + (number - (lines.length - 1) / 2) * 14 * scale),
          );
        } else {
          const most = Math.floor(room / letter);
          context.fillText(text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text, centre, middle);
        }
      }
    }
  }

  /**
   * Heads of rows and columns; where the grid begins outside, they stay at the edge.
   * @param {CanvasRenderingContext2D} context
   * @param {Grid} grid
   * @param {Theme} theme
   * @param {{firstRow: number, lastRow: number, firstCol: number, lastCol: number}} part
   */
  paintHeads(context, grid, theme, { firstRow, lastRow, firstCol, lastCol }) {
    const picture = /** @type {Picture} */ (this.picture);
    const { x, y, scale } = this.viewport;
    const { header } = grid;
    const size = Math.min(15, 11.5 * scale);
    if (size < LEAST_LETTERS) {
      return;
    }
    context.font = `${size}px ${FONT}`;
    const [left, top] = [x + grid.x * scale, y + grid.y * scale];
    if (header.row_heads.length) {
      const wide = grid.headWidth * scale;
      const isStuck = left < wide;
      const edge = isStuck ? wide : left;
      if (isStuck) {
        context.fillStyle = theme.paper;
        context.globalAlpha = 0.88;
        const from = y + (grid.y + firstRow * picture.cellHeight) * scale;
        context.fillRect(0, from, wide, (lastRow - firstRow) * picture.cellHeight * scale);
        context.globalAlpha = 1;
      }
      context.fillStyle = theme.head;
      context.textAlign = "right";
      context.textBaseline = "middle";
      for (let row = firstRow; row < lastRow; row += 1) {
        const middle = y + (grid.y + (row + 0.5) * picture.cellHeight) * scale;
        context.fillText(header.row_heads[row - grid.firstRow] ?? "", edge - 6 * scale, middle);
      }
    }
    if (header.col_heads.length) {
      const high = grid.headHeight * scale;
      const isStuck = top < high;
      const edge = isStuck ? high : top;
      if (isStuck) {
        context.fillStyle = theme.paper;
        context.globalAlpha = 0.88;
        const from = x + (grid.x + firstCol * picture.cellWidth) * scale;
        context.fillRect(from, 0, (lastCol - firstCol) * picture.cellWidth * scale, high);
        context.globalAlpha = 1;
      }
      context.fillStyle = theme.head;
      context.textAlign = "center";
      context.textBaseline = "bottom";
      const longest = Math.max(...header.col_heads.map((head) => head.length)) * size * 0.62;
      const every = Math.max(1, Math.ceil(longest / (picture.cellWidth * scale)));
      for (let col = firstCol; col < lastCol; col += 1) {
        if (col % every === 0) {
          const centre = x + (grid.x + (col + 0.5) * picture.cellWidth) * scale;
          context.fillText(header.col_heads[col - grid.firstCol] ?? "", centre, edge - 4 * scale);
        }
      }
    }
  }

  paintOver() {
    const context = this.begin(this.over);
    const theme = /** @type {Theme} */ (this.theme);
    const picture = /** @type {Picture} */ (this.picture);
    for (const { cells, label } of this.lit.pins) {
      for (const index of cells) {
        this.outline(context, index, theme.pin, 2.5, label);
      }
    }
    context.setLineDash([4, 3]);
    for (const index of this.lit.places) {
      this.outline(context, index, theme.place, 2);
    }
    context.setLineDash([]);
    for (const index of this.lit.elements) {
      this.outline(context, index, theme.cursor, 2.5);
    }
    const { cursor } = this.lit;
    if (cursor) {
      const index = picture.indexOf(cursor);
      if (index !== undefined) {
        this.outline(context, index, theme.cursor, 2.5);
      }
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} index @param {string} colour @param {number} weight @param {string} [label] */
  outline(context, index, colour, weight, label) {
    const picture = /** @type {Picture} */ (this.picture);
    const cell = picture.cellOf(index);
    if (!cell) {
      return;
    }
    const { x, y, scale } = this.viewport;
    const left = Math.round(x + (cell.grid.x + cell.col * picture.cellWidth) * scale);
    const top = Math.round(y + (cell.grid.y + cell.row * picture.cellHeight) * scale);
    const wide = Math.max(3, Math.round(picture.cellWidth * scale));
    const high = Math.max(3, Math.round(picture.cellHeight * scale));
    if (left + wide < 0 || top + high < 0 || left > this.width || top > this.height) {
      return;
    }
    context.fillStyle = colour;
    context.globalAlpha = high < BITMAP_BELOW ? 0.9 : 0.1;
    context.fillRect(left, top, wide, high);
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = weight;
    context.strokeRect(left + 0.5, top + 0.5, wide - 1, high - 1);
    if (label && high >= 16) {
      context.font = `600 9px ${SANS}`;
      context.textAlign = "left";
      context.textBaseline = "top";
      context.fillText(label, left + 3, top + 2);
    }
  }

  /** One pixel a cell. @param {Grid} grid */
  bitmapOf(grid) {
    let bitmap = this.bitmaps.get(grid);
    if (!bitmap) {
      const { paints, codes } = /** @type {Colouring} */ (this.colours);
      const { width, height, start } = grid.header;
      bitmap = document.createElement("canvas");
      bitmap.width = Math.max(1, width);
      bitmap.height = Math.max(1, height);
      const context = /** @type {CanvasRenderingContext2D} */ (bitmap.getContext("2d"));
      const image = context.createImageData(bitmap.width, bitmap.height);
      const pixels = new Uint32Array(image.data.buffer);
      const colours = paints.map(({ fill }) => {
        const rgb = Number.parseInt(fill.slice(1), 16);
        return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
      });
      for (let cell = 0; cell < width * height; cell += 1) {
        pixels[cell] = colours[codes[start + cell]];
      }
      context.putImageData(image, 0, 0);
      this.bitmaps.set(grid, bitmap);
    }
    return bitmap;
  }

  /** @param {CanvasRenderingContext2D} context */
  hatchOf(context) {
    const theme = /** @type {Theme} */ (this.theme);
    if (!this.hatch) {
      const tile = document.createElement("canvas");
      tile.width = 7;
      tile.height = 7;
      const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
      pen.fillStyle = theme.empty;
      pen.fillRect(0, 0, 7, 7);
      pen.strokeStyle = theme.hatch;
      pen.lineWidth = 1;
      pen.beginPath();
      for (const shift of [-7, 0, 7]) {
        pen.moveTo(shift - 1, 8);
        pen.lineTo(shift + 8, -1);
      }
      pen.stroke();
      this.hatch = context.createPattern(tile, "repeat");
    }
    return this.hatch ?? theme.empty;
  }
}
