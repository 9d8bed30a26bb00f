/**
 * The state of the page, as signals: the sheet, its answers, the tiles, the cursor and the pins. Whatever shows one of them
 * reads the signal, so that linked views need no wiring.
 */
import { batch, computed, effect, signal } from "@preact/signals";
import { SUPERSEDED } from "../engine/client.js";
import { MAX_TILES } from "./format.js";

/** @typedef {import("../protocol.js").Line} Line */
/** @typedef {import("../protocol.js").Refusal} Refusal */
/** @typedef {import("./format.js").View} View */
/** @typedef {import("./format.js").Workspace} Workspace */

/**
 * What the pointer or the arrow keys are on: a cell of the picture of an expression.
 * @typedef {object} Cursor
 * @property {string} expression
 * @property {bigint} element
 * @property {bigint} place
 * @property {string} kind the view that the picture is
 * @property {bigint[]} [elements] all elements of its thread, where views are linked by thread
 */

/** A tile: a view with a number that stays while it is shown. @typedef {View & {id: number}} Tile */

export class State {
  /** @param {import("../engine/client.js").Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.text = signal("");
    /** The text that {@link State.lines} answers. */
    this.answered = signal("");
    this.lines = signal(/** @type {Line[]} */ ([]));
    /** A refusal of the whole sheet, such as one that took too long. */
    this.refusal = signal(/** @type {Refusal | undefined} */ (undefined));
    this.tiles = signal(/** @type {Tile[]} */ ([]));
    this.cursor = signal(/** @type {Cursor | undefined} */ (undefined));
    this.pins = signal(/** @type {string[]} */ ([]));
    this.link = signal(/** @type {import("./format.js").Link} */ ("element"));
    /** The line of the sheet that the Why panel is about. */
    this.current = signal(0);
    this.title = signal("");
    this.about = signal("");
    this.made = signal("");
    /** Whether answers wait for the rest of the engine. */
    this.isWaiting = signal(false);
    engine.waits = (isWaiting) => {
      this.isWaiting.value = isWaiting;
    };
    this.operations = signal(/** @type {import("../protocol.js").Operation[]} */ ([]));
    /** The fills of the engine's groups; none before they are known. */
    this.groups = signal(/** @type {string[]} */ ([]));
    this.version = signal("");
    this.currentLine = computed(() => {
      const current = this.current.value;
      const lines = this.lines.value;
      return (
        lines.find((line) => current >= line.line && current < line.line + line.lines) ??
        lines.findLast((line) => line.line <= current) ??
        lines[0]
      );
    });
    /** The width and height of each tile's picture, by which two tiles are put below or beside each other. */
    this.extents = signal(/** @type {Record<number, {width: number, height: number}>} */ ({}));
    this.nextTile = 1;
    effect(() => void this.evaluate(this.text.value));
  }

  /** Asks what the engine knows of itself. */
  async learn() {
    const about = await this.engine.ask("about", []);
    if (about?.operations) {
      batch(() => {
        this.version.value = about.version;
        this.operations.value = about.operations;
        this.groups.value = about.groups;
      });
    }
  }

  /** @param {string} text */
  async evaluate(text) {
    const answer = await this.engine.update(text);
    if (answer === SUPERSEDED || text !== this.text.peek()) {
      return;
    }
    batch(() => {
      this.refusal.value = answer.error;
      if (answer.lines) {
        this.lines.value = answer.lines;
        this.answered.value = text;
      }
    });
  }

  /** @param {Workspace} workspace */
  open(workspace) {
    batch(() => {
      this.text.value = workspace.text.toWellFormed();
      this.tiles.value = workspace.views.map((view) => ({ ...view, id: this.nextTile++ }));
      this.link.value = workspace.link;
      this.pins.value = workspace.pins;
      this.title.value = workspace.title ?? "";
      this.about.value = workspace.about ?? "";
      this.made.value = workspace.made ?? "";
      this.cursor.value = undefined;
      this.current.value = (workspace.line ?? 1) - 1;
    });
  }

  /** @returns {Workspace} */
  workspace() {
    return {
      text: this.text.peek(),
      views: this.tiles.peek().map(({ kind, expression, options }) => ({ kind, expression, options })),
      link: this.link.peek(),
      pins: this.pins.peek(),
    };
  }

  /** Adds a tile; the oldest gives way where there is no room. @param {View} view */
  addTile(view) {
    const kept = this.tiles.peek().slice(-(MAX_TILES - 1));
    this.tiles.value = [...kept, { ...view, id: this.nextTile++ }];
  }

  /** @param {number} id @param {Partial<View>} change */
  changeTile(id, change) {
    this.tiles.value = this.tiles.peek().map((tile) => (tile.id === id ? { ...tile, ...change } : tile));
  }

  /** @param {number} id */
  closeTile(id) {
    this.tiles.value = this.tiles.peek().filter((tile) => tile.id !== id);
  }

  /** Pins an element, or takes its pin away; without `more` it is the only one. @param {bigint} element @param {boolean} more */
  pin(element, more) {
    if (element < 0n) {
      return;
    }
    const number = String(element);
    const pins = this.pins.peek();
    if (pins.includes(number)) {
      this.pins.value = pins.filter((pin) => pin !== number);
    } else {
      this.pins.value = more ? [...pins, number].slice(-16) : [number];
    }
  }

  /**
   * The lines that a text speaks of, by names and by names in their lines, with their values: while they stay, so does what the text
   * means, and nothing need be asked anew.
   * @param {string} text
   */
  meaning(text) {
    const lines = new Map(this.lines.value.flatMap((line) => (line.name ? [[line.name, line]] : [])));
    const names = new Set((text.match(/#?[A-Za-z_][\w.]*/g) ?? []).filter((word) => lines.has(word)));
    // A set goes on to what is added while it is walked.
    for (const name of names) {
      for (const used of lines.get(name)?.uses ?? []) {
        names.add(used);
      }
    }
    return [...names]
      .map((name) => {
        const { expression, value, error } = /** @type {Line} */ (lines.get(name) ?? { expression: "" });
        return `${name} = ${expression} = ${value ?? error?.message}`;
      })
      .join("\n");
  }

  /** The line that binds a name. @param {string} name */
  lineOf(name) {
    return this.lines.peek().find((line) => line.name === name);
  }
}
