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
 * @param {string} expression what the picture shows
 * @param {Cursor} cursor
 * @param {Line[]} lines
 * @param {"element" | "place"} link
 * @returns {{elements: number[], places: number[]}}
 */
export function lit(picture, expression, cursor, lines, link) {
  const none = { elements: [], places: [] };
  if (link === "place") {
    return cursor.element < 0n ? none : { elements: [], places: picture.cellsWith("place", cursor.place) };
  }
  if (cursor.element < 0n) {
    return none;
  }
  switch (related(lines, cursor.expression, expression)) {
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
