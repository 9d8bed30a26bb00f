/**
 * W6: the cells that a cursor lights are those that the command line computes: of 1,000 random cells for each pair of views, the texts of
 * the lit cells equal the places (or owners) of the same element by `--json`.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { lit, threadOf } from "../src/views/linked.js";
import { Picture } from "../src/views/picture.js";
import { requestOf } from "../src/views/request.js";
import { ask, missing, random, report } from "./support.mjs";

const skip = await missing();
const run = promisify(execFile);
const binary = process.env.BITSTRIDE ?? join(dirname(fileURLToPath(import.meta.url)), "../../target/debug/bitstride");
const hasBinary = await access(binary).then(
  () => true,
  () => false,
);
const CELLS = 1000;

/** Values of expressions by the command line. @param {string[]} expressions */
async function native(expressions) {
  const { stdout } = await run(binary, ["--json", "--", ...expressions], { maxBuffer: 1 << 26 });
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

const SHEET = `a = (16,32):(32,1)
b = (16,32):(1,16)
s = Sw<3,0,3> o (16,32):(32,1)
n = ((4,4),(8,4)):((1,128),(4,32))
x = bf16[16,32]{1,0:T(8,16)(2,1)}
t = tensor<16x32xf16, #ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[8,4], warpsPerCTA=[2,1], order=[1,0]}>>
m = !ttg.memdesc<16x32xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>>
i = (8,4):(3,1)
r = composition(b, i)`;

/** The offsets of all elements, or the register, lane, warp and block of each, in the order of elements, by the command line. */
async function truth() {
  const cells = Array.from({ length: 512 }, (_, element) => `(${element % 16},${Math.floor(element / 16)})`);
  const lines = SHEET.split("\n").map((line) => line.split(" = "));
  const by = Object.fromEntries(lines.map(([name, ...rest]) => [name, rest.join(" = ")]));
  const offsets = {};
  for (const name of ["a", "b", "s", "n"]) {
    const [{ data }] = await native([`offsets(${by[name]})`]);
    offsets[name] = data.flat(3).map(String);
  }
  offsets.x = (await native(cells.map((cell) => `linear_index(${by.x}, ${cell})`))).map(({ value }) => value);
  // Layouts of Triton lead from the hardware to elements: each place says which element it holds.
  const held = async (name, places) => {
    const answers = await native(places.map((place) => `at(${by[name]}, ${place})`));
    const owners = [];
    answers.forEach(({ data }, at) => {
      owners[Number(data[0]) + 16 * Number(data[1])] = places[at];
    });
    return owners;
  };
  offsets.t = await held("t", Array.from({ length: 512 }, (_, place) => `(${place % 8},${(place >> 3) % 32},${place >> 8},0)`));
  offsets.m = await held("m", Array.from({ length: 512 }, (_, place) => `(${place},0)`));
  return offsets;
}

test("W6 lit cells are those of the same element by the command line", { skip: skip ?? (hasBinary ? undefined : "no bitstride program to compare with") }, async () => {
  const question = await ask();
  const { lines } = question("update", SHEET);
  const picture = (kind, expression) => new Picture(question("model", JSON.stringify(requestOf({ kind, expression, options: {} })), "{}"));
  const views = [["grid", "a"], ["grid", "b"], ["grid", "s"], ["grid", "n"], ["grid", "x"], ["tensor", "t"], ["tensor", "m"]].map(([kind, expression]) => ({
    kind,
    expression,
    picture: picture(kind, expression),
  }));
  const expected = await truth();
  const pick = random(6);
  let [good, all] = [0, 0];
  const wrong = [];
  for (const from of views) {
    for (const to of views) {
      for (let round = 0; round < CELLS; round += 1) {
        const cell = pick(from.picture.model.elements.length);
        const { elements, places } = from.picture.model;
        const cursor = { expression: from.expression, kind: from.kind, element: elements[cell], place: places[cell] };
        const cells = lit(from === to ? from.picture : to.picture, to, cursor, lines, "element").elements;
        all += 1;
        const texts = cells.map((each) => to.picture.textOf(each));
        const wanted = elements[cell] < 0n ? undefined : said(to.expression, expected[to.expression][Number(elements[cell])]);
        const isRight = wanted === undefined ? cells.length === 0 : cells.length === 1 && texts[0] === wanted;
        good += isRight ? 1 : 0;
        if (!isRight && wrong.length < 5) {
          wrong.push({ from: from.expression, to: to.expression, element: String(elements[cell]), texts, wanted });
        }
      }
    }
  }
  report("W6", good, all, `lit sets of ${views.length ** 2} pairs of views are those of the command line`);
  assert.deepEqual(wrong, []);
});

/** What a cell says for a place, as `at` answers it. @param {string} name @param {string} value */
function said(name, value) {
  if (name !== "t") {
    return value.replace(/[()]/g, "").split(",")[0];
  }
  const [register, lane, warp] = value.replace(/[()]/g, "").split(",");
  return `w${warp}\nt${lane}\nr${register}`;
}

test("W6 in r = composition(b, i) the places of i are the elements of b", { skip }, async () => {
  const question = await ask();
  const { lines } = question("update", SHEET);
  const picture = (expression) => new Picture(question("model", JSON.stringify({ expressions: [expression], view: "grid" }), "{}"));
  const [b, i, r] = ["b", "i", "r"].map(picture);
  let good = 0;
  for (let cell = 0; cell < 32; cell += 1) {
    const cursor = { expression: "i", kind: "grid", element: i.model.elements[cell], place: i.model.places[cell] };
    const inOuter = lit(b, { expression: "b", kind: "grid" }, cursor, lines, "element").elements;
    const inResult = lit(r, { expression: "r", kind: "grid" }, cursor, lines, "element").elements;
    assert.equal(inOuter.length, 1);
    assert.equal(inResult.length, 1);
    good += b.textOf(inOuter[0]) === r.textOf(inResult[0]) ? 1 : 0;
  }
  report("W6", good, 32, "elements of a composition are followed through both factors");
  assert.equal(good, 32);
});

test("the threads of a register layout", { skip }, async () => {
  const question = await ask();
  const { lines } = question("update", SHEET);
  const thread = threadOf(lines.find(({ name }) => name === "t"), "tensor");
  assert.equal(thread?.(8n * 33n + 5n), 33n);
  assert.equal(threadOf(lines.find(({ name }) => name === "a"), "grid"), undefined);
});
