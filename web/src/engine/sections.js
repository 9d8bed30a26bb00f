/** The sections of a module of WebAssembly. */
import { numberAt } from "./joined.js";

/** A section: its number, where its head and its content begin, and where it ends. @typedef {{id: number, head: number, from: number, to: number}} Section */

export const FUNCTIONS = 3;
export const CODE = 10;

/** @param {Uint8Array} module @returns {Section[]} */
export function sectionsOf(module) {
  const all = [];
  for (let head = 8; head < module.length; ) {
    const [length, from] = numberAt(module, head + 1);
    all.push({ id: module[head], head, from, to: from + length });
    head = from + length;
  }
  return all;
}

/** @param {Section[]} sections @param {number} id */
export function section(sections, id) {
  const found = sections.find((each) => each.id === id);
  if (!found) {
    throw new Error(`the module has no section ${id}`);
  }
  return found;
}
