/** Words that banks give in a phase. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOf } from "../src/views/accesses.js";

test("lanes in one row and bank share a word, lanes in different rows do not", () => {
  const lanes = [
    { lane: 0, address: "0", banks: [0] },
    { lane: 1, address: "2", banks: [0] },
    { lane: 2, address: "128", banks: [0] },
    { lane: 3, address: "124", banks: [31, 0] },
  ];
  const words = wordsOf({ wavefronts: "2", lanes });
  assert.deepEqual([...words[0]], ["0", "1"]);
  assert.deepEqual([...words[31]], ["0"]);
  assert.equal(words[1].size, 0);
});
