/**
 * A module of WebAssembly whose functions are arranged for packing: similar ones are near each other. Its section of code has the lengths of
 * all bodies, in the order of the functions, and after them the bodies, by type and then by length. Types and lengths are read first, so
 * each body can be put back. Law: a module that is arranged and restored is the same, byte for byte.
 */
import { numberAt } from "./joined.js";

/** A section: its number, where its head and its content begin, and where it ends. @typedef {{id: number, head: number, from: number, to: number}} Section */

const FUNCTIONS = 3;
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

/** The numbers of a section that begins with a list, where each of them begins, and last where the list ends. @param {Uint8Array} module @param {number} id */
function numbersOf(module, id) {
  const [count, start] = numberAt(module, section(sectionsOf(module), id).from);
  const [numbers, places] = [/** @type {number[]} */ ([]), [start]];
  while (numbers.length < count) {
    const [number, next] = numberAt(module, places[numbers.length]);
    numbers.push(number);
    places.push(next);
  }
  return { numbers, places };
}

/** The functions in the order of their bodies. @param {Uint8Array} module @param {number[]} lengths of the bodies */
export function orderOf(module, lengths) {
  const types = numbersOf(module, FUNCTIONS).numbers;
  return [...lengths.keys()].sort((one, other) => types[one] - types[other] || lengths[one] - lengths[other] || one - other);
}

/** @param {Uint8Array} arranged @returns {Uint8Array<ArrayBuffer>} */
export function restored(arranged) {
  const { numbers: lengths, places } = numbersOf(arranged, CODE);
  const bodies = /** @type {Uint8Array[]} */ (new Array(lengths.length));
  let from = places[lengths.length];
  for (const index of orderOf(arranged, lengths)) {
    bodies[index] = arranged.subarray(from, from + lengths[index]);
    from += lengths[index];
  }
  const module = new Uint8Array(arranged);
  let to = places[0];
  bodies.forEach((body, index) => {
    module.set(arranged.subarray(places[index], places[index + 1]), to);
    to += places[index + 1] - places[index];
    module.set(body, to);
    to += body.length;
  });
  return module;
}
