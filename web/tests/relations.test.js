/** How views are linked: read from the lines of the sheet. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toggled } from "../src/views/bits.js";
import { callAt } from "../src/sheet/complete.js";
import { related } from "../src/workspace/relations.js";

const lines = [
  { name: "a", expression: "(6,2):(8,2)" },
  { name: "b", expression: "(4,3):(3,1)" },
  { name: "r", expression: "composition(a, b)" },
  { name: "s", expression: "a o b" },
];

test("in r = composition(a, b), places of b are elements of a", () => {
  assert.equal(related(lines, { expression: "b" }, { expression: "a" }), "place to element");
  assert.equal(related(lines, { expression: "a" }, { expression: "b" }), "element to place");
  assert.equal(related(lines, { expression: "r" }, { expression: "a" }), "place");
  assert.equal(related(lines, { expression: "r" }, { expression: "b" }), "element");
  assert.equal(related(lines, { expression: "s" }, { expression: "r" }), "element");
});

test("threads and values are the layout turned round", () => {
  assert.equal(related(lines, { expression: "a", kind: "tv" }, { expression: "a", kind: "grid" }), "element to place");
  assert.equal(related(lines, { expression: "a", kind: "grid" }, { expression: "a", kind: "tv" }), "place to element");
  assert.equal(related(lines, { expression: "a", kind: "memory" }, { expression: "a", kind: "grid" }), "element");
});

test("a refused composition links nothing", () => {
  assert.equal(related([{ name: "r", expression: "composition(a, b)", error: {} }], { expression: "b" }, { expression: "a" }), "element");
});

test("one bit of a linear layout is flipped", () => {
  const line = {
    expression: "linear<{i=[[0,1],[0,2]], j=[[1,1],[2,2]]}, out=[x:4, y:4]>",
    data: { bases: [["i", [["0", "1"], ["0", "2"]]], ["j", [["1", "1"], ["2", "2"]]]], outs: [["x", "4"], ["y", "4"]] },
  };
  assert.equal(toggled(line, "x 2", "i 1"), "linear<{i=[[2,1],[0,2]], j=[[1,1],[2,2]]}, out=[x:4, y:4]>");
  assert.equal(toggled(line, "y 1", "j 1"), "linear<{i=[[0,1],[0,2]], j=[[1,0],[2,2]]}, out=[x:4, y:4]>");
  assert.equal(toggled(line, "z 1", "j 1"), undefined);
  assert.equal(toggled({ ...line, expression: "convert(t, linear)" }, "x 1", "i 1"), undefined);
});

test("the call under the pointer ends at its own bracket", () => {
  assert.equal(callAt("size((4,(2,3))) + 1"), "size((4,(2,3)))");
  assert.equal(callAt("composition(a, f(b)), c)"), "composition(a, f(b))");
  assert.equal(callAt("size"), undefined);
  assert.equal(callAt("size((4"), undefined);
});
