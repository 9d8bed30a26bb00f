/**
 * Repairs of a line, as whole expressions. The engine speaks of values, the line of names: a repair of an operand takes the place of
 * the name that has the operand's value. What is merely an example in the help of a refusal is no repair.
 */

/** @typedef {import("../protocol.js").Line} Line */

/** @param {Line} line @param {Line[]} lines @returns {string[]} */
export function repairsOf(line, lines) {
  const { error, expression } = line;
  const reason = /** @type {{inner?: string} | undefined} */ (error?.reason);
  const repairs = error?.repairs ?? [];
  if (error?.code === "unknown-name") {
    return repairs.filter((repair) => distance(expression, repair) <= Math.max(2, Math.floor(expression.length / 4)));
  }
  if (reason?.inner === undefined || spaceless(expression).includes(spaceless(reason.inner))) {
    return repairs;
  }
  const inner = spaceless(reason.inner);
  const operand = lines.find(({ name, value }) => name && line.uses?.includes(name) && spaceless(value ?? "") === inner)?.name;
  return repairs.flatMap((repair) => {
    if (repair === error?.chain || /^\w+\(/.test(repair)) {
      return [repair];
    }
    const written = operand && withLast(expression, operand, repair);
    return written ? [written] : [];
  });
}

/** @param {string} text */
const spaceless = (text) => text.replace(/\s/g, "");

/** A text with the last occurrence of a name replaced. @param {string} text @param {string} name @param {string} by */
function withLast(text, name, by) {
  const at = [...text.matchAll(/[A-Za-z_]\w*/g)].findLast(([word]) => word === name)?.index;
  return at === undefined ? undefined : text.slice(0, at) + by + text.slice(at + name.length);
}

/** The least number of letters that are put in, left out or exchanged between two texts. @param {string} one @param {string} other */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      next.push(Math.min(next[to - 1] + 1, row[to] + 1, row[to - 1] + (one[at - 1] === other[to - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length];
}
