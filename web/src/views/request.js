/** From a view to the request that the engine understands, and the choices that a view has. */

/** @typedef {import("../workspace/format.js").View} View */
/** @typedef {import("../protocol.js").Line} Line */
/** @typedef {import("../protocol.js").Request} Request */

/** @param {View} view @returns {Request} */
export function requestOf({ kind, expression, options }) {
  /** @type {Request} */
  const request = { expressions: [expression], view: kind === "steps" ? "grid" : kind };
  if (options.by) {
    request.by = [options.by];
  }
  if (options.at) {
    request.at = [options.at];
  }
  for (const key of /** @type {const} */ (["mark", "tile", "slice"])) {
    if (options[key] && (key !== "slice" || kind === "grid")) {
      request[key] = options[key];
    }
  }
  if (kind === "banks") {
    if (options.threads) {
      request.threads = options.threads;
      request.transfer = options.transfer || "ld";
    }
    if (options.bits) {
      request.element_bits = options.bits;
    }
  }
  return request;
}

/** The views that a line can be drawn as; the first is the one it is drawn as at first. @param {Line | undefined} line @returns {string[]} */
export function kindsOf(line) {
  switch (line?.view) {
    case "linear":
      return isMemory(line)
        ? ["tensor", "hardware", "bits", "banks", "steps"]
        : ["tensor", "hardware", "bits", "steps"];
    case "xla":
      return ["grid", "memory", "steps"];
    case "instruction":
    case "words":
      return ["grid", "steps"];
    case "layout":
      return ["grid", "memory", "codomain", "two-line", "tv", "banks", "steps"];
    default:
      return ["grid", "memory", "codomain", "two-line", "tv", "tensor", "hardware", "bits", "banks", "steps"];
  }
}

/** Whether a linear layout leads from offsets. @param {Line} line */
const isMemory = (line) => /offset/.test(line.value ?? "");

/** What an expression can be coloured by in the engine. @param {Line | undefined} line @returns {string[]} */
export function bysOf(line) {
  if (line?.view === "linear") {
    const data = /** @type {{bases?: [string, unknown][], outs?: [string, string][]}} */ (line.data ?? {});
    return [...(data.bases ?? []).map(([name]) => name), ...(data.outs ?? []).map(([name]) => name)];
  }
  if (line?.view === "xla") {
    return ["tile", "padding", "dim0", "dim1"];
  }
  return ["row", "column", "tile", "repetition", "thread", "value", "0", "1"];
}

/** The extents of an array of more than two dims, whose slice is chosen by sliders. @param {Line | undefined} line @returns {number[]} */
export function sliceDims(line) {
  const dims = /** @type {{dims?: string[]}} */ (line?.data ?? {}).dims;
  return line?.view === "xla" && Array.isArray(dims) && dims.length > 2 ? dims.map(Number) : [];
}

/** The slice of a view, or nothing where the array, which may have become another one since, has not as many dims. @param {Line | undefined} line @param {string} [slice] */
export function sliceOf(line, slice = "") {
  const dims = /** @type {{dims?: string[]}} */ (line?.data ?? {}).dims;
  return line?.view === "xla" && Array.isArray(dims) && slice.split(",").length !== dims.length ? "" : slice;
}
