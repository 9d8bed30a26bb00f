/**
 * Changing one bit of a linear layout that is written out: `linear<{i=[[1],[2]]}, out=[o:4]>`. The rows of its matrix are bits of the
 * dims it leads to, the columns bits of the dims it leads from, both headed by the name of the dim and the value of the bit.
 */

/** @typedef {import("../protocol.js").Line} Line */

/**
 * The expression with one bit flipped, or undefined where the line is not written as `linear<…>` or the heads name no bit.
 * @param {Line} line
 * @param {string | undefined} rowHead such as `x 2`
 * @param {string | undefined} colHead such as `i 1`
 * @returns {string | undefined}
 */
export function toggled(line, rowHead, colHead) {
  const data = /** @type {{bases?: [string, string[][]][], outs?: [string, string][]}} */ (line.data ?? {});
  const row = /^(\S+)\s+(\d+)$/.exec(rowHead ?? "");
  const col = /^(\S+)\s+(\d+)$/.exec(colHead ?? "");
  if (!row || !col || !data.bases || !data.outs || !/^linear\s*</.test(line.expression)) {
    return undefined;
  }
  const out = data.outs.findIndex(([name]) => name === row[1]);
  const bit = BigInt(row[2]);
  const basis = Math.log2(Number(col[2]));
  const ins = data.bases.find(([name]) => name === col[1]);
  if (out < 0 || !ins || !Number.isInteger(basis) || !ins[1][basis]) {
    return undefined;
  }
  const bases = data.bases.map(([name, vectors]) => {
    const changed = vectors.map((vector, at) =>
      name === col[1] && at === basis
        ? vector.map((value, dim) => (dim === out ? String(BigInt(value) ^ bit) : value))
        : vector,
    );
    return `${name}=[${changed.map((vector) => `[${vector.join(",")}]`).join(",")}]`;
  });
  return `linear<{${bases.join(", ")}}, out=[${data.outs.map(([name, size]) => `${name}:${size}`).join(", ")}]>`;
}
