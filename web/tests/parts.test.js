/** W2: the engine in two parts. The first answers what opens an example, with the bytes of the whole; what it lacks waits for the rest. */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gallery } from "../build.mjs";
import { fitting, functionsOf, opening } from "../kept.mjs";
import { apart } from "../pack.mjs";
import { bodiesOf } from "../split.mjs";
import { KINDS, pass, restored } from "../src/engine/kinds.js";
import { joined } from "../src/engine/joined.js";
import { inParts } from "../src/engine/parts.js";
import { answersOf, built, inBrowser, missing, open, report, settled, type } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

/** The bytes of both parts, and of the whole. */
async function files() {
  const page = join(built, "page");
  const rest = (await readdir(page)).find((name) => name.startsWith("rest-")) ?? "";
  const [first, more, whole] = await Promise.all([join(page, "bitstride_bg.wasm"), join(page, rest), join(built, "bitstride_bg.wasm")].map((file) => readFile(file)));
  return { first, rest: more, whole, name: rest };
}

/** Asks the first part and the whole: the answers, without one where the first part lacks a function; as on the page, what is asked after such a sheet waits with it. */
async function both() {
  const { first, whole } = await files();
  const [some, all] = [await functionsOf(built), await functionsOf(built)];
  const [part, module] = [new WebAssembly.Module(first), new WebAssembly.Module(whole)];
  all.initSync({ module });
  let sheet = "";
  let waits = false;
  const begin = () => {
    some.initSync({ module: part });
    if (sheet) {
      some.ask(["update", sheet]);
    }
  };
  begin();
  return (/** @type {string} */ method, /** @type {string[]} */ ...args) => {
    const right = Buffer.from(all.ask([method, ...args]));
    if (waits && method !== "update") {
      return { right, got: undefined };
    }
    waits = false;
    try {
      const got = Buffer.from(some.ask([method, ...args]));
      sheet = method === "update" ? args[0] : sheet;
      return { right, got };
    } catch (fault) {
      assert.ok(fault instanceof some.NotLoaded, `${method} ${args.join(" ")}: ${fault}`);
      begin();
      waits = method === "update";
      return { right, got: undefined };
    }
  };
}

test("the first part with the rest is the whole, byte for byte", { skip }, async () => {
  const { first, rest, whole, name } = await files();
  assert.ok(first.length < whole.length);
  assert.ok(whole.equals(joined(first, rest)));
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(first), "rest");
  assert.equal(Buffer.from(section).toString(), name);
});

test("W12 the module is taken apart for packing and restored, byte for byte", { skip }, async () => {
  const { whole, first } = await files();
  for (const module of [whole, first]) {
    const other = apart(module);
    assert.ok(Math.abs(other.length - module.length) < 100, "the lists have their lengths and no more");
    assert.ok(Buffer.from(restored(other)).equals(module));
  }
});

test("W12 every kind of instruction is taken apart; one that is not known is refused", () => {
  const body = (/** @type {number[]} */ bytes) => {
    /** @type {number[][]} */
    const seen = KINDS.map(() => []);
    let at = 0;
    pass(bytes.length, (kind, expected) => {
      seen[kind].push(bytes[at] ^ expected);
      return bytes[at++];
    });
    return Object.fromEntries(KINDS.map((kind, index) => [kind, seen[index]]).filter(([, list]) => list.length > 0));
  };
  // One group of two locals; a load aligned by nature and one that is not; a store; a table of two branches and a default.
  assert.deepEqual(body([1, 2, 0x7f, 0x28, 2, 8, 0x28, 0, 0x90, 1, 0x37, 3, 4, 0x0e, 2, 0, 1, 5, 0x0b]), {
    groups: [1, 2, 0x7f],
    align: [0, 2, 0],
    load: [8, 0x90, 1],
    store: [4],
    table: [2, 0, 1, 5],
    code: [0x28, 0x28, 0x37, 0x0e, 0x0b],
  });
  assert.deepEqual(body([0, 0x41, 0xff, 1, 0x42, 5, 0x20, 1, 0x24, 0, 0x10, 7, 0x11, 2, 0, 0x0d, 1, 0xfc, 10, 0, 0, 0x0b]), {
    groups: [0],
    i64: [5],
    signature: [2, 0],
    branch: [1],
    global: [0],
    i32: [0xff, 1],
    call: [7],
    local: [1],
    code: [0x41, 0x42, 0x20, 0x24, 0x10, 0x11, 0x0d, 0xfc, 10, 0, 0, 0x0b],
  });
  assert.deepEqual(body([0, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 0x0b]).float, [1, 2, 3, 4, 5, 6, 7, 8]);
  for (const bytes of [[0, 0xc5], [0, 0x1c, 1, 0x7f], [0, 0xfc, 99], [0, 0x41]]) {
    assert.throws(() => body([...bytes, 0xff, 0xff]), /not known|longer/);
  }
});

test("W2 the first part is as much as fits, however well it packs", { skip }, async () => {
  const { whole } = await files();
  const each = Math.floor(bodiesOf(whole).length / 60);
  const steps = Array.from({ length: 60 }, (_, step) => new Set(Array.from({ length: each }, (_, number) => step * each + number)));
  for (const ratio of [2, 2.9, 3, 5]) {
    const packed = (/** @type {Uint8Array} */ part) => Math.floor(part.length / ratio);
    const bytes = packed(whole) * 0.6;
    const { size } = fitting(whole, steps, bytes, packed);
    assert.ok(size <= bytes && size > 0.9 * bytes, `${size} of ${bytes} at a ratio of ${ratio}`);
  }
});

test("W2 the first part opens examples, with the bytes of the whole", { skip }, async () => {
  const question = await both();
  const sheets = await gallery();
  let [opened, same, all] = [0, 0, 0];
  for (const sheet of sheets) {
    const answers = [question("update", sheet.text), ...opening(sheet).map(([method, args]) => question(method, ...args))];
    const found = answers.filter(({ got }) => got);
    opened += found.length === answers.length ? 1 : 0;
    all += found.length;
    same += found.filter(({ got, right }) => got?.equals(right)).length;
  }
  report("W2", opened, sheets.length, "examples open without the rest");
  report("W2", same, all, "answers of the first part have the bytes of the whole");
  assert.ok(opened >= 0.9 * sheets.length);
  assert.equal(same, all);
});

test("W2 what the first part answers are the bytes of the whole, and what it lacks is not loaded", { skip }, async () => {
  const question = await both();
  const operations = JSON.parse(question("operations").right.toString());
  let [same, lacks, all] = [0, 0, 0];
  for (const { example } of operations) {
    for (const [method, text] of [["update", `x = ${example}`], ["answer", example], ["explain", example], ["law", example]]) {
      const { got, right } = question(method, text);
      all += 1;
      lacks += got ? 0 : 1;
      same += got?.equals(right) ? 1 : 0;
      assert.ok(!got || got.equals(right), `${method} ${example}`);
    }
  }
  report("W2", same + lacks, all, `questions about every operation: ${same} answered by the first part, ${lacks} by the whole alone`);
  // Else there would be nothing to load, or nothing to show.
  assert.ok(lacks > 0 && same > 0);
});

test("what the first part lacks is answered when the rest is there, of the same sheet", { skip }, async () => {
  const { first, rest, whole } = await files();
  const functions = await functionsOf(built);
  functions.initSync({ module: whole });
  const examples = JSON.parse(functions.operations()).map(({ example }) => example);
  /** @type {(bytes: Uint8Array) => void} */
  let arrive = () => {};
  const reported = [];
  const answer = await inParts(
    functions,
    (name) => (name.startsWith("rest-") ? new Promise((done) => (arrive = done)) : Promise.resolve(first)),
    (isThere) => reported.push(isThere),
  );
  const ask = (/** @type {string} */ method, /** @type {string[]} */ ...args) => answer(method, args);
  assert.ok(ask("update", "a = (4,8):(8,1)"));
  const lacking = examples.find((example) => !ask("answer", example));
  assert.ok(lacking);
  // The sheet is there as before.
  assert.equal(ask("answer", "size(a)")?.value.value, "32");
  arrive(rest);
  for (let wait = 0; reported.length === 0 && wait < 500; wait += 1) {
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.deepEqual(reported, [true]);
  assert.ok(ask("answer", lacking)?.value.kind);
  assert.equal(ask("answer", "size(a)")?.value.value, "32");
});

/** A line that only the whole engine answers. */
async function lackingLine() {
  const question = await both();
  const operations = JSON.parse(question("operations").right.toString());
  return operations.map(({ example }) => `x = ${example}`).find((line) => !question("update", line).got);
}

test("a line that waits for the rest says so, and has its answer when it is there", { skip }, async () => {
  const line = await lackingLine();
  const hold = async (/** @type {import("playwright-core").Page} */ tab) =>
    tab.route("**/rest-*", async (route) => {
      await tab.waitForSelector(".waiting", { state: "attached" });
      await route.continue();
    });
  const { tab, faults } = await open(here.browser, here.origin, {}, hold);
  await settled(tab);
  await type(tab, line);
  // Only the notice lets the rest go on.
  await tab.waitForFunction(() => document.querySelector(".editor")?.shadowRoot?.querySelectorAll(".answer:not(.refused)").length === 1, undefined, { timeout: 15000 });
  await tab.waitForSelector(".waiting", { state: "detached" });
  assert.deepEqual(faults, []);
  await tab.context().close();
});

test("without the rest, what needs it is refused and all else answered", { skip }, async () => {
  const line = await lackingLine();
  const { tab } = await open(here.browser, here.origin, {}, (tab) => tab.route("**/rest-*", (route) => route.abort()));
  await settled(tab);
  await type(tab, line);
  await tab.waitForFunction(() => document.querySelector(".editor")?.shadowRoot?.textContent?.includes("could not be loaded"), undefined, { timeout: 15000 });
  await type(tab, "x = size((4,8))");
  await tab.waitForFunction(() => document.querySelector(".editor")?.shadowRoot?.querySelector(".answer-value")?.textContent === "32", undefined, { timeout: 15000 });
  assert.ok((await answersOf(tab)).every((answer) => !answer.includes("could not be loaded")));
  await tab.context().close();
});
