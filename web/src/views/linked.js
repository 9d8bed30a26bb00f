/**
 * Which cells of a tile are lit by a cursor in another: equality of numbers, as {@link related} says which.
 * Law: a cell is lit exactly if its element, or its place, is the number.
 */
import { related } from "../workspace/relations.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("../workspace/state.js").Cursor} Cursor */
/** @typedef {import("../protocol.js").Line} Line */

/**
 * @param {Picture} picture
 * @param {{expression: string, kind: string}} shown what the picture shows, and as which view
 * @param {Cursor} cursor
 * @param {Line[]} lines
 * @param {import("../workspace/format.js").Link} link
 * @returns {{elements: number[], places: number[]}}
 */
export function lit(picture, shown, cursor, lines, link) {
  if (cursor.element < 0n) {
    return { elements: [], places: [] };
  }
  if (link === "place") {
    return { elements: [], places: picture.cellsWith("place", cursor.place) };
  }
  if (link === "thread" && cursor.elements) {
    const cells = cursor.elements.flatMap((element) => picture.cellsWith("element", element));
    return { elements: cells, places: [] };
  }
  switch (related(lines, cursor, shown)) {
    case "place to element":
      return { elements: picture.cellsWith("element", cursor.place), places: [] };
    case "element to place":
      return { elements: picture.cellsWith("place", cursor.element), places: [] };
    case "place":
      return { elements: [], places: picture.cellsWith("place", cursor.place) };
    default:
      return { elements: picture.cellsWith("element", cursor.element), places: [] };
  }
}

/**
 * From the place of a cell to its thread, for pictures that have threads: of a register layout its lane, warp and block in one number,
 * of threads and values mode 0.
 * @param {Line | undefined} line
 * @param {string} kind
 * @returns {((place: bigint) => bigint) | undefined}
 */
export function threadOf(line, kind) {
  const data = /** @type {{bases?: [string, unknown[]][], shape?: unknown}} */ (line?.data ?? {});
  const registers = data.bases?.find(([name]) => name === "register");
  if (registers) {
    const bits = BigInt(registers[1].length);
    return (place) => place >> bits;
  }
  if (kind === "tv" && Array.isArray(data.shape)) {
    const threads = countOf(data.shape[0]);
    return threads > 0n ? (place) => place % threads : undefined;
  }
  return undefined;
}

/** The number of coordinates of a shape; 0 where an extent is not known. @param {unknown} shape @returns {bigint} */
function countOf(shape) {
  if (Array.isArray(shape)) {
    return shape.reduce((product, part) => product * countOf(part), 1n);
  }
  return /^\d+$/.test(String(shape)) ? BigInt(/** @type {string} */ (shape)) : 0n;
}
