/**
 * What the worker does with a question: it calls the module and returns plain values that can be posted.
 * It is a file of its own so that tests in node run the same code without a worker.
 */

/** @typedef {import("../protocol.js").Model} Model */

/** Methods of the sheet that take texts and give one JSON text. */
const JSON_METHODS = new Set([
  "update",
  "answer",
  "explain",
  "in_notations",
  "facts",
  "law",
  "chain",
  "accesses",
  "show",
  "command",
]);

/**
 * @param {any} module the exports of bitstride.js, after init
 * @returns {(method: string, args: string[]) => {value: any, transfer: Transferable[]}}
 */
export function answerer(module) {
  const sheet = new module.Sheet();
  return (method, args) => {
    if (method === "about") {
      const value = {
        version: module.version(),
        operations: JSON.parse(module.operations()),
        // Pairs of fill and ink; the ink is the theme's.
      groups: JSON.parse(module.palette()).groups.map((/** @type {[string, string]} */ [fill]) => fill),
      };
      return { value, transfer: [] };
    }
    if (method === "model") {
      return model(sheet, args);
    }
    if (!JSON_METHODS.has(method)) {
      throw new Error(`no such question: ${method}`);
    }
    return { value: JSON.parse(sheet[method](...args)), transfer: [] };
  };
}

/**
 * @param {any} sheet
 * @param {string[]} args
 * @returns {{value: any, transfer: Transferable[]}}
 */
function model(sheet, [request, window]) {
  const made = sheet.model(request, window);
  try {
    const header = JSON.parse(made.header);
    if (header.error) {
      return { value: { error: header.error }, transfer: [] };
    }
    const arrays = {
      texts: made.texts,
      fills: made.fills,
      elements: made.elements,
      places: made.places,
    };
    return {
      value: { header, ...arrays },
      // The arrays may be parts of one buffer.
      transfer: [...new Set(Object.values(arrays).map((array) => array.buffer))],
    };
  } finally {
    made.free();
  }
}
