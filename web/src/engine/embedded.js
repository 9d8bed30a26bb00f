/** Files that the page in one file holds, packed, in script elements (`web/pack.mjs`). */
import { unpacked } from "./lzma.js";
import { bytesOf } from "./units.js";

/** A packed file: its text, how many bytes that stands for, and how many it is unpacked. @typedef {{text: string, packed: number, size: number}} Packed */

/** @param {string} id @returns {Packed} */
export function embedded(id) {
  const { textContent, dataset } = /** @type {HTMLElement} */ (document.getElementById(id));
  return { text: textContent ?? "", packed: Number(dataset.packed), size: Number(dataset.size) };
}

/** @param {Packed} file */
export const unpack = ({ text, packed, size }) => unpacked(bytesOf(text, packed), size);
