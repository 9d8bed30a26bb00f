/**
 * The engine's module in two parts, so that the page is ready before all of it is there. The first part is the module in which the bodies
 * of some functions are replaced by one that sets a flag and stops; the rest is what makes it the whole again (`src/engine/joined.js`).
 * Law: the first part with the rest is the whole, byte for byte; and what the first part answers, functions of the whole have answered.
 *
 * Only the frame of the module is read: sections, and where each body begins and ends.
 */
import { createHash } from "node:crypto";
import { CODE, section, sectionsOf } from "./src/engine/sections.js";
import { numberAt } from "./src/engine/joined.js";

/** A part of the module that is replaced. @typedef {{from: number, to: number, by: Uint8Array}} Edit */
/** @typedef {import("./src/engine/sections.js").Section} Section */
/** The parts of a body: where its length, its local variables and its instructions begin, and where it ends. @typedef {{from: number, locals: number, code: number, to: number}} Body */

const IMPORTS = 2;
const GLOBALS = 6;
const EXPORTS = 7;

/** The flag that the first part sets where a function is not in it. */
const FLAG = "lacks";
/** The section of the first part that names the file of the rest. */
const NAME = "rest";

/** A number as a module has it. @param {number} value @returns {number[]} */
export const written = (value) => (value < 128 ? [value] : [(value % 128) + 128, ...written(Math.floor(value / 128))]);

/** A text after its length. @param {string} text @returns {number[]} */
const text = (text) => [...written(text.length), ...Buffer.from(text)];

/** @param {Uint8Array} module @returns {Body[]} */
export function bodiesOf(module) {
  const { from } = section(sectionsOf(module), CODE);
  const [count, start] = numberAt(module, from);
  const all = [];
  for (let at = start; all.length < count; ) {
    const [length, locals] = numberAt(module, at);
    let [groups, code] = numberAt(module, locals);
    for (; groups > 0; groups -= 1) {
      // A number and a type of one byte.
      code = numberAt(module, code)[1] + 1;
    }
    all.push({ from: at, locals, code, to: locals + length });
    at = locals + length;
  }
  return all;
}

/** The text with its edits made, in order. @param {Uint8Array} bytes @param {Edit[]} edits */
function edited(bytes, edits) {
  const parts = [];
  let at = 0;
  for (const { from, to, by } of edits) {
    parts.push(bytes.subarray(at, from), by);
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

/**
 * The edits that give a module exported flags, 0 at first, and functions other bodies.
 * @param {Uint8Array} module
 * @param {string[]} flags
 * @param {(flag: number) => (body: Body, index: number) => Edit | undefined} change of each body, knowing the number of the first flag
 * @returns {Edit[]}
 */
function edits(module, flags, change) {
  const sections = sectionsOf(module);
  if (sections.some(({ id }) => id === IMPORTS)) {
    throw new Error("a module that imports cannot be split");
  }
  const globals = section(sections, GLOBALS);
  const [first] = numberAt(module, globals.from);
  // Each an integer of 32 bits that may be set, 0 at first.
  const flag = [0x7f, 1, 0x41, 0, 0x0b];
  const bodies = bodiesOf(module).flatMap((body, index) => change(first)(body, index) ?? []);
  const changes = [
    ...more(module, globals, flags.map(() => flag)),
    ...more(module, section(sections, EXPORTS), flags.map((name, at) => [...text(name), 3, ...written(first + at)])),
    ...bodies,
  ];
  // A section says how long it is.
  const heads = sections.flatMap(({ head, from, to }) => {
    const inside = changes.filter((edit) => edit.from >= from && edit.to <= to);
    const grown = inside.reduce((sum, edit) => sum + edit.by.length - (edit.to - edit.from), to - from);
    return inside.length ? [{ from: head + 1, to: from, by: Uint8Array.from(written(grown)) }] : [];
  });
  return [...changes, ...heads].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** The edits that add entries to a section that is a list. @param {Uint8Array} module @param {Section} list @param {number[][]} entries @returns {Edit[]} */
function more(module, list, entries) {
  const [count, start] = numberAt(module, list.from);
  return [
    { from: list.from, to: start, by: Uint8Array.from(written(count + entries.length)) },
    { from: list.to, to: list.to, by: Uint8Array.from(entries.flat()) },
  ];
}

/** Sets a flag. @param {number} flag */
const set = (flag) => [0x41, 1, 0x24, ...written(flag)];

/** The module with an exported flag a function, named by its number, which the function sets. @param {Uint8Array} module */
export function noted(module) {
  const names = bodiesOf(module).map((_, index) => String(index));
  const change = (/** @type {number} */ flag) => (/** @type {Body} */ body, /** @type {number} */ index) => {
    const by = [...module.subarray(body.locals, body.code), ...set(flag + index), ...module.subarray(body.code, body.to)];
    return { from: body.from, to: body.to, by: Uint8Array.from([...written(by.length), ...by]) };
  };
  return edited(module, edits(module, names, change));
}

/**
 * @param {Uint8Array} module
 * @param {Set<number>} kept the functions that the first part has
 * @returns {{first: Buffer, rest: Buffer, name: string}} the parts, and the file name of the rest that the first part gives
 */
export function split(module, kept) {
  const name = `rest-${createHash("sha256").update(module).digest("hex").slice(0, 12)}.bin`;
  const change = (/** @type {number} */ flag) => {
    // No variables; the flag is set; stops; ends.
    const stub = [0, ...set(flag), 0, 0x0b];
    const by = Uint8Array.from([...written(stub.length), ...stub]);
    return (/** @type {Body} */ { from, to }, /** @type {number} */ index) => (kept.has(index) || to - from <= by.length ? undefined : { from, to, by });
  };
  const content = [...text(NAME), ...Buffer.from(name)];
  const named = { from: module.length, to: module.length, by: Uint8Array.from([0, ...written(content.length), ...content]) };
  const all = [...edits(module, [FLAG], change), named];
  return { first: edited(module, all), rest: inverse(module, all), name };
}

/** The rest: from the edited bytes to the bytes. @param {Uint8Array} bytes @param {Edit[]} all */
function inverse(bytes, all) {
  /** @type {{stay: number, drop: number, from: number, to: number}[]} */
  const list = [];
  let at = 0;
  for (const { from, to, by } of all) {
    const last = list.at(-1);
    if (last && from === at) {
      last.drop += by.length;
      last.to = to;
    } else {
      list.push({ stay: from - at, drop: by.length, from, to });
    }
    at = to;
  }
  const numbers = list.flatMap(({ stay, drop, from, to }) => [...written(stay), ...written(drop), ...written(to - from)]);
  return Buffer.concat([Uint8Array.from(written(numbers.length)), Uint8Array.from(numbers), ...list.map(({ from, to }) => bytes.subarray(from, to))]);
}
