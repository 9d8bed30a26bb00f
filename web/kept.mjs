/**
 * The functions of the engine that the first part has: those that are called while the page starts and opens the examples of the gallery, while
 * somebody types their last lines, and for their Why panels, in this order and as many as fit. They are found by asking the same of a module
 * that notes which of its functions are called.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { answerer } from "./src/engine/answerer.js";
import { requestOf } from "./src/views/request.js";
import { bodiesOf, noted, split } from "./split.mjs";

/** The functions of bitstride.js in a folder, as an ES module whatever the ending of its name; anew in each call, as it has one module at a time. @param {string} folder */
export async function functionsOf(folder) {
  const source = await readFile(join(folder, "bitstride.js"), "utf8");
  copies += 1;
  return import(`data:text/javascript;base64,${Buffer.from(`${source}\n// ${copies}`).toString("base64")}`);
}

let copies = 0;

/** @typedef {[string, string[]]} Question a method and its arguments */

/** What is seen of a picture. */
const WINDOW = JSON.stringify({ rows: [0, 256], cols: [0, 256] });

/**
 * What the page asks while it opens an example: its pictures, and where an element lies.
 * @param {import("./src/workspace/format.js").Workspace} sheet
 * @returns {Question[]}
 */
export function opening(sheet) {
  const pictures = sheet.views.flatMap((view) => {
    const request = JSON.stringify(requestOf(view));
    /** @type {Question[]} */
    const asked = ["{}", WINDOW].map((window) => ["model", [request, window]]);
    const { threads, bits = "32", transfer = "ld" } = view.options;
    if (view.kind === "banks" && threads) {
      asked.push(["answer", [`wavefronts(${view.expression}, ${threads}, ${bits}${transfer === "ld" ? "" : `, ${transfer}`})`]]);
      asked.push(["accesses", [view.expression, threads, bits, transfer]]);
    }
    return asked;
  });
  return [...pictures, ["chain", ["1", "[]"]]];
}

/**
 * What the open sections of the Why panel ask then.
 * @param {import("./src/workspace/format.js").Workspace} sheet
 * @param {any[]} lines the answers of its lines
 * @returns {Question[]}
 */
export function reasons(sheet, lines) {
  const at = (sheet.line ?? 1) - 1;
  const line = lines.find((each) => at >= each.line && at < each.line + each.lines) ?? lines[0];
  const name = line.name ?? line.expression;
  const isLayout = !line.error && line.kind !== "int";
  return [["explain", [line.expression]], ...(isLayout ? /** @type {Question[]} */ ([["facts", [name]], ["in_notations", [name]]]) : [])];
}

/**
 * The functions that each step calls, by their numbers: the start, the examples, typing their last lines, and their Why panels.
 * @param {Uint8Array} module
 * @param {string} folder has bitstride.js
 * @param {(import("./src/workspace/format.js").Workspace)[]} sheets
 * @returns {Promise<Set<number>[]>}
 */
export async function needs(module, folder, sheets) {
  const functions = await functionsOf(folder);
  const flagged = new WebAssembly.Module(noted(module));
  const count = bodiesOf(module).length;
  /** What a new module calls for questions, and for the first of them again, when some memory has been used. @param {Question[]} asked */
  const called = (asked) => {
    const exports = functions.initSync({ module: flagged });
    const ask = answerer(functions);
    const answers = asked.map(([method, args]) => ask(method, args).value);
    ask(...asked[0]);
    const numbers = new Set(Array.from({ length: count }, (_, number) => number).filter((number) => exports[String(number)].value));
    return { answers, numbers };
  };
  /** @type {Question} */
  const about = ["about", []];
  /** @type {Set<number>[]} */
  const [examples, typed, whys] = [[], [], []];
  for (const sheet of sheets) {
    /** @type {Question} */
    const update = ["update", [sheet.text]];
    const { answers, numbers } = called([update, about, ...opening(sheet)]);
    examples.push(numbers);
    typed.push(called(typing(sheet.text).map((text) => ["update", [text]])).numbers);
    whys.push(called([update, ...reasons(sheet, answers[0].lines)]).numbers);
  }
  const start = called([about]).numbers;
  return [start, ...lightestFirst(module, start, examples), ...typed, ...whys];
}

/**
 * The steps in the order in which as many as possible fit: after the first, which opens the page, always the one that adds the least code.
 * @param {Uint8Array} module
 * @param {Set<number>} start what is there before
 * @param {Set<number>[]} steps
 */
function lightestFirst(module, start, [first, ...rest]) {
  const bodies = bodiesOf(module);
  const kept = new Set([...start, ...first]);
  const ordered = [first];
  const added = (/** @type {Set<number>} */ step) =>
    [...step].reduce((sum, number) => (kept.has(number) ? sum : sum + bodies[number].to - bodies[number].from), 0);
  while (rest.length > 0) {
    const bytes = rest.map(added);
    const [next] = rest.splice(bytes.indexOf(Math.min(...bytes)), 1);
    next.forEach((number) => kept.add(number));
    ordered.push(next);
  }
  return ordered;
}

/** Brotli packs a first part to about a third of the code in it. */
const RATIO = 3;

/**
 * The module in two parts, the first with what the first steps need, as many as fit.
 * @param {Uint8Array} module
 * @param {Set<number>[]} steps
 * @param {number} bytes the most that brotli may leave of the first part
 * @param {(part: Uint8Array) => number} packed what brotli leaves of a part
 */
export function fitting(module, steps, bytes, packed) {
  const bodies = bodiesOf(module);
  const kept = new Set();
  const code = steps.map((step) => {
    step.forEach((number) => kept.add(number));
    return [...kept].reduce((sum, number) => sum + bodies[number].to - bodies[number].from, 0);
  });
  const partsOf = (/** @type {number} */ count) => {
    const parts = split(module, new Set(steps.slice(0, count).flatMap((step) => [...step])));
    return { ...parts, size: packed(parts.first), count };
  };
  let best = partsOf(1);
  let beyond = steps.length + 1;
  let last = best;
  // Packing takes seconds: the next guess is as much more code as there seems to be room for, or as much less as was too much.
  for (let round = 0; round < 8 && best.count + 1 < beyond; round += 1) {
    const room = code[last.count - 1] + RATIO * (bytes - last.size);
    const count = code.findLastIndex((size) => size <= room) + 1;
    last = partsOf(Math.min(Math.max(count, best.count + 1), beyond - 1));
    if (last.size <= bytes) {
      best = last;
    } else {
      beyond = last.count;
    }
  }
  return best;
}

/** What the sheet is while its last line is typed. @param {string} text */
function typing(text) {
  const start = text.trimEnd().lastIndexOf("\n") + 1;
  return Array.from({ length: text.length - start }, (_, at) => text.slice(0, start + at));
}
