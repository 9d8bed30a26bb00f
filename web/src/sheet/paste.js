/**
 * What is pasted from a dump, as lines of a sheet: an operation of MLIR becomes its result's name and type, an instruction of HLO its name
 * and shape. The engine reads all other texts as they are. Law: a text without such lines is pasted as it is, its lines ended by a line feed.
 */

const HLO = /^\s*(?:ROOT\s+)?%?([\w.-]+)\s*=\s*([a-z][a-z0-9]*\[[^\]]*\](?:\{[^}]*\})?)\s+[\w-]+\(.*$/;
const MLIR = /^\s*%([\w.$-]+)(?::\d+)?\s*=\s*"?[\w.]+"?.*$/;

/** Types with a layout in a line of MLIR, brackets matched, in their order. @param {string} line */
function typesOf(line) {
  const types = [];
  for (const match of line.matchAll(/(?:tensor|!ttg\.memdesc)</g)) {
    let depth = 0;
    for (let at = match.index + match[0].length - 1; at < line.length; at += 1) {
      // The arrow of a map is no bracket.
      depth += line[at] === "<" ? 1 : line[at] === ">" && line[at - 1] !== "-" ? -1 : 0;
      if (depth === 0) {
        types.push(line.slice(match.index, at + 1));
        break;
      }
    }
  }
  return types.filter((type) => type.includes("#"));
}

/** A name of a sheet. @param {string} name */
function nameOf(name) {
  const plain = name.replace(/\W/g, "_");
  return /^[A-Za-z_]/.test(plain) ? plain : `v${plain}`;
}

/** @param {string} text @returns {string} */
export function fromDump(text) {
  const lines = text.split(/\r?\n/);
  let found = 0;
  const changed = lines.flatMap((line) => {
    const hlo = HLO.exec(line);
    if (hlo) {
      found += 1;
      return [`${nameOf(hlo[1])} = ${hlo[2]}`];
    }
    const type = MLIR.test(line) ? typesOf(line).at(-1) : undefined;
    if (type) {
      found += 1;
      return [`v${/** @type {RegExpExecArray} */ (MLIR.exec(line))[1].replace(/\W/g, "_")} = ${type}`];
    }
    // What stands around layouts in a dump has none: braces, functions, results that are not spread.
    return /^\s*(%|\}|\{|module|tt\.func|func\.func|HloModule|ENTRY|scf\.|tt\.return)/.test(line) ? [] : [line];
  });
  return found > 0 ? changed.join("\n") : text.replace(/\r\n?/g, "\n");
}
