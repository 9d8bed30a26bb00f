/** Repairs as whole expressions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { repairsOf } from "../src/sheet/repairs.js";

const lines = [
  { name: "a", value: "(6,2):(1,7)", expression: "(6,2):(1,7)" },
  { name: "t", value: "(3,2):(2,3)", expression: "(3,2):(2,3)" },
];

test("a repair of an operand takes the place of its name", () => {
  const line = {
    expression: "composition(a, t)",
    uses: ["a", "t"],
    error: {
      code: "carry",
      reason: { inner: "(3,2):(2,3)" },
      chain: "chain((6,2):(1,7), (3,2):(2,3))",
      repairs: ["(2,2):(2,3)", "composition(a, (3,1):(2,3))", "chain((6,2):(1,7), (3,2):(2,3))"],
    },
  };
  assert.deepEqual(repairsOf(line, lines), [
    "composition(a, (2,2):(2,3))",
    "composition(a, (3,1):(2,3))",
    "chain((6,2):(1,7), (3,2):(2,3))",
  ]);
});

test("a repair whose operand has no name is left out", () => {
  const error = { code: "carry", reason: { inner: "(9,2):(2,3)" }, repairs: ["(2,2):(2,3)"] };
  assert.deepEqual(repairsOf({ expression: "composition(a, t)", uses: ["a", "t"], error }, lines), []);
});

test("examples of a help are no repairs", () => {
  const refused = (expression, repairs) => ({ expression, error: { code: "unknown-name", repairs } });
  assert.deepEqual(repairsOf(refused("logical_d", ["size(4:1)", "M"]), lines), []);
  assert.deepEqual(repairsOf(refused("compositon(a, 4)", ["composition(a, 4)"]), lines), ["composition(a, 4)"]);
});
