// @ts-check
// The functions of the WebAssembly module under their names. Everything is text: a request is a JSON list, an answer is JSON. The one
// exception is `model`, whose cells are typed arrays.

/**
 * What the module exports. The first part of a module in two has a flag that it sets before it stops where it lacks a function.
 * @typedef {{memory: WebAssembly.Memory, request(bytes: number): number, call(): number, answer(): number, lacks?: WebAssembly.Global}} Exports
 */

/** @type {Exports | undefined} */
let wasm;

/** Thrown where the module is a first part, and only the whole can answer. This instance answers nothing more. */
export class NotLoaded extends Error {}

/**
 * Takes the module from bytes or a compiled module, at once.
 * @param {{module: BufferSource | WebAssembly.Module}} options
 * @returns {Exports}
 */
export function initSync({ module }) {
  const compiled = module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module);
  wasm = /** @type {any} */ (new WebAssembly.Instance(compiled, {}).exports);
  return /** @type {Exports} */ (wasm);
}

/**
 * The bytes that the module answers to a request: the name of a function and its arguments.
 * @param {string[]} asked
 * @returns {Uint8Array}
 */
export function ask(asked) {
  if (!wasm) throw new Error("the module is not loaded");
  const request = new TextEncoder().encode(JSON.stringify(asked.map(wellFormed)));
  try {
    const place = wasm.request(request.length);
    new Uint8Array(wasm.memory.buffer, place, request.length).set(request);
    const length = wasm.call();
    // A copy: the next call writes over it.
    return new Uint8Array(wasm.memory.buffer, wasm.answer(), length).slice();
  } catch (fault) {
    throw wasm.lacks?.value ? new NotLoaded("only the whole module answers this") : fault;
  }
}

/**
 * A text without half characters, which JSON may not have.
 * @param {string} text
 */
function wellFormed(text) {
  return String(text).replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}

/** @param {string[]} asked */
const text = (...asked) => new TextDecoder().decode(ask(asked));

/** The version of bitstride. */
export const version = () => /** @type {string} */ (JSON.parse(text("version")));
/** Every operation, as JSON. */
export const operations = () => text("operations");
/** The names of the notations, as JSON. */
export const notations = () => text("notations");
/** The colours of fills, as JSON. */
export const palette = () => text("palette");

/** The cells of a picture: `header` is JSON, the arrays have an entry for each cell. */
export class Model {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    // The header's length and the number of cells, then what has eight bytes an entry, then four, then the header.
    const [length, cells] = new Uint32Array(bytes.buffer, 0, 2);
    let at = 8;
    /** @type {BigInt64Array} */
    this.elements = new BigInt64Array(bytes.buffer, at, cells);
    at += 8 * cells;
    /** @type {BigInt64Array} */
    this.places = new BigInt64Array(bytes.buffer, at, cells);
    at += 8 * cells;
    /** @type {Uint32Array} */
    this.texts = new Uint32Array(bytes.buffer, at, cells);
    at += 4 * cells;
    /** @type {Int32Array} */
    this.fills = new Int32Array(bytes.buffer, at, cells);
    at += 4 * cells;
    /** @type {string} */
    this.header = new TextDecoder().decode(bytes.subarray(at, at + length));
  }

  /** Nothing is held outside of JavaScript. */
  free() {}
}

/** A sheet of expressions. The module has one at a time: that of the last `update`. */
export class Sheet {
  /** @param {string} sheet */
  update(sheet) {
    return text("update", sheet);
  }
  /** @param {string} expression */
  answer(expression) {
    return text("answer", expression);
  }
  /** @param {string} expression */
  explain(expression) {
    return text("explain", expression);
  }
  /** @param {string} expression */
  in_notations(expression) {
    return text("in_notations", expression);
  }
  /** @param {string} expression */
  facts(expression) {
    return text("facts", expression);
  }
  /** @param {string} expression */
  law(expression) {
    return text("law", expression);
  }
  /**
   * @param {string} element a number in digits
   * @param {string} names a JSON list
   */
  chain(element, names) {
    return text("chain", element, names);
  }
  /**
   * @param {string} memory
   * @param {string} threads
   * @param {string} elementBits a number in digits
   * @param {string} transfer
   */
  accesses(memory, threads, elementBits, transfer) {
    return text("accesses", memory, threads, elementBits, transfer);
  }
  /**
   * @param {string} request
   * @param {"svg" | "text" | "tikz"} format
   */
  show(request, format) {
    return text("show", request, format);
  }
  /** @param {string} request */
  command(request) {
    return text("command", request);
  }
  /**
   * @param {string} request
   * @param {string} window
   */
  model(request, window) {
    return new Model(ask(["model", request, window]));
  }
  free() {}
}
