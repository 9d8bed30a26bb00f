/**
 * Which numbers of two layouts are the same thing, read from the sheet. Layouts of one tensor share their elements. In
 * `r = composition(a, b)` the places of b are the elements of a, and r has the elements of b.
 *
 * {@link related} says for one layout and one other how to come from a cell of the first to cells of the second.
 */

/** @typedef {import("../protocol.js").Line} Line */

/**
 * @typedef {"element" | "place" | "place to element" | "element to place"} Relation
 * element: the same element; place: the same place; place to element: the places of the first are the elements of the second.
 */

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
const CALL = new RegExp(`^composition\\(\\s*(${NAME})\\s*,\\s*(${NAME})\\s*\\)$`);
const OPERATOR = new RegExp(`^(${NAME})\\s+o\\s+(${NAME})$`);

/** The pairs (outer, inner) that some line composes, as `outer\ninner`. @param {Line[]} lines */
export function compositions(lines) {
  /** @type {{outer: string, inner: string, result: string}[]} */
  const found = [];
  for (const { name, expression, error } of lines) {
    const match = CALL.exec(expression) ?? OPERATOR.exec(expression);
    if (match && name && !error && match[1] !== match[2]) {
      found.push({ outer: match[1], inner: match[2], result: name });
    }
  }
  return found;
}

/**
 * @param {Line[]} lines
 * @param {{expression: string, kind?: string}} from usually a name, and the view it is drawn as
 * @param {{expression: string, kind?: string}} to
 * @returns {Relation}
 */
export function related(lines, from, to) {
  if (from.expression === to.expression) {
    // A picture of threads and values is the layout turned round: its elements are the places of the layout.
    const [isTurned, wasTurned] = [to.kind === "tv", from.kind === "tv"];
    return isTurned === wasTurned ? "element" : isTurned ? "place to element" : "element to place";
  }
  for (const { outer, inner, result } of compositions(lines)) {
    if (from.expression === inner && to.expression === outer) {
      return "place to element";
    }
    if (from.expression === outer && to.expression === inner) {
      return "element to place";
    }
    if (
      (from.expression === result && to.expression === outer) ||
      (from.expression === outer && to.expression === result)
    ) {
      return "place";
    }
  }
  return "element";
}
