/**
 * A workspace as text: lines `key: value`, a line `---`, and the sheet. Files of the gallery and links are such texts.
 * Law: `parse(print(workspace))` is the workspace.
 *
 * Keys: `title`, `group`, `about` (gallery only); `view: KIND EXPRESSION; option: value; …`, one a tile; `link: place` or `thread`;
 * `pin: NAME ELEMENT`; `line: NUMBER`, where the cursor is at first; `made: VERSION HASH`, the version that wrote the link and the hash of its answers.
 */

/**
 * @typedef {object} View
 * @property {string} kind grid, memory, codomain, tv, two-line, tensor, hardware, bits, banks or steps
 * @property {string} expression
 * @property {Record<string, string>} options
 */

/** What a cell lights in other views: its element, its place, or all that its thread holds. @typedef {"element" | "place" | "thread"} Link */

/**
 * @typedef {object} Workspace
 * @property {string} text
 * @property {View[]} views
 * @property {Link} link
 * @property {string[]} pins elements, as decimal numbers
 * @property {string} [title]
 * @property {string} [group]
 * @property {string} [about]
 * @property {string} [made]
 * @property {number} [line] the line that the Why panel is about at first, from 1
 */

/** The kinds of views, with what the page calls them. */
export const KINDS = Object.freeze({
  grid: "grid",
  memory: "memory",
  codomain: "repetitions in memory",
  "two-line": "two lines",
  tv: "threads and values",
  tensor: "tensor: who holds what",
  hardware: "hardware: who holds what",
  bits: "bit matrix",
  banks: "banks",
  steps: "steps",
});

/** The options of a view, in the order in which they are written. */
export const OPTIONS = Object.freeze([
  "by",
  "mark",
  "at",
  "tile",
  "slice",
  "threads",
  "transfer",
  "bits",
  "colour",
  "text",
  "step",
]);

/** At most this many tiles. */
export const MAX_TILES = 4;

/** @param {string} text @returns {Workspace} */
export function parse(text) {
  const lines = text.split("\n");
  const rule = lines.indexOf("---");
  /** @type {Workspace} */
  const workspace = { text: lines.slice(rule + 1).join("\n"), views: [], link: "element", pins: [] };
  for (const line of lines.slice(0, Math.max(rule, 0))) {
    const colon = line.indexOf(": ");
    const [key, value] = [line.slice(0, colon), line.slice(colon + 2)];
    if (key === "view") {
      const view = parseView(value);
      if (view && workspace.views.length < MAX_TILES) {
        workspace.views.push(view);
      }
    } else if (key === "link" && (value === "element" || value === "place" || value === "thread")) {
      workspace.link = value;
    } else if (key === "pin" && /^\d{1,19}$/.test(value)) {
      workspace.pins.push(value);
    } else if (key === "line" && /^\d{1,6}$/.test(value)) {
      workspace.line = Number(value);
    } else if (key === "title" || key === "group" || key === "about" || key === "made") {
      workspace[key] = value;
    }
  }
  return workspace;
}

/** @param {string} value @returns {View | undefined} */
export function parseView(value) {
  const [head, ...rest] = value.split("; ");
  const space = head.indexOf(" ");
  const kind = head.slice(0, space);
  const expression = head.slice(space + 1).trim();
  if (!Object.hasOwn(KINDS, kind) || expression === "") {
    return undefined;
  }
  /** @type {Record<string, string>} */
  const options = {};
  for (const part of rest) {
    const colon = part.indexOf(": ");
    const key = part.slice(0, colon);
    if (OPTIONS.includes(key)) {
      options[key] = part.slice(colon + 2);
    }
  }
  return { kind, expression, options };
}

/** @param {View} view */
export function printView(view) {
  const options = OPTIONS.filter((key) => view.options[key]).map((key) => `; ${key}: ${view.options[key]}`);
  return `${view.kind} ${view.expression}${options.join("")}`;
}

/** @param {Workspace} workspace */
export function print(workspace) {
  const head = [];
  for (const key of /** @type {const} */ (["title", "group", "about"])) {
    if (workspace[key]) {
      head.push(`${key}: ${workspace[key]}`);
    }
  }
  head.push(...workspace.views.map((view) => `view: ${printView(view)}`));
  if (workspace.link !== "element") {
    head.push(`link: ${workspace.link}`);
  }
  head.push(...workspace.pins.map((pin) => `pin: ${pin}`));
  if (workspace.line) {
    head.push(`line: ${workspace.line}`);
  }
  if (workspace.made) {
    head.push(`made: ${workspace.made}`);
  }
  return [...head, "---", workspace.text].join("\n");
}
