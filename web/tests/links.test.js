/** W8: a workspace comes back from its link; links that were published open for ever; links of the gallery are short. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { gallery } from "../build.mjs";
import { KINDS, OPTIONS, parse, print } from "../src/workspace/format.js";
import { decode, encode } from "../src/workspace/link.js";
import { random, report } from "./support.mjs";

const LETTERS = [..."abz019 \t()<>{}[]:,=#~;%&?/\\'\"`^|!*+-_.@\n\r", "é", "中", "😀", "\u0000", "---", "\n---\n", "view: ", "%7E", "%0A", "</script>"];

/** @param {(below: number) => number} pick */
function workspace(pick) {
  const text = (/** @type {number} */ most) => Array.from({ length: pick(most) }, () => LETTERS[pick(LETTERS.length)]).join("");
  const kinds = Object.keys(KINDS);
  return {
    text: text(pick(10) === 0 ? 3000 : 120),
    views: Array.from({ length: pick(5) }, () => {
      const options = {};
      for (const key of OPTIONS.filter(() => pick(4) === 0)) {
        options[key] = ["<3:4, 8:2>", "(1,_)", "as b", "row", "7"][pick(5)];
      }
      return { kind: kinds[pick(kinds.length)], expression: ["a", "a == b", "Sw<3,3,3> o (8,64):(64,1)", "#x"][pick(4)], options };
    }),
    link: pick(2) ? "place" : "element",
    pins: Array.from({ length: pick(4) }, () => String(pick(1 << 30))),
  };
}

test("W8 10,000 random workspaces come back from their links", async () => {
  const pick = random(20251126);
  let same = 0;
  for (let round = 0; round < 10000; round += 1) {
    const given = workspace(pick);
    const fragment = await encode(given);
    assert.match(fragment, /^#1[~.][\x21-\x7e]*$/);
    // As an address bar has it.
    const { hash } = new URL(`http://localhost/${fragment}`);
    assert.deepEqual(await decode(hash), given);
    same += 1;
  }
  report("W8", same, 10000, "workspaces come back from their links");
});

test("W8 every link that was published opens to the same workspace", async () => {
  const file = await readFile(new URL("./links.txt", import.meta.url), "utf8");
  const entries = file.split("\n").filter((line) => line.startsWith("#1"));
  assert.ok(entries.length >= 10);
  for (const entry of entries) {
    const [fragment, wanted] = entry.split("\t");
    const got = await decode(fragment);
    assert.equal(JSON.stringify(print(got)), wanted);
  }
  report("W8", entries.length, entries.length, "published links open");
});

test("W8 links of the gallery have at most 2,000 characters", async () => {
  const sheets = await gallery();
  const lengths = await Promise.all(sheets.map(async (sheet) => (await encode({ ...sheet, title: undefined, group: undefined, about: undefined, slug: undefined })).length));
  assert.ok(Math.max(...lengths) <= 2000, String(Math.max(...lengths)));
  report("W8", sheets.length, sheets.length, `links of the gallery are short, the longest ${Math.max(...lengths)} characters`);
});

test("damaged links are refused, never read wrongly", async () => {
  for (const fragment of ["#1.", "#1.AAAA", "#1.!!!", "#1~%", "#1.q1Y"]) {
    await decode(fragment).then(
      (got) => assert.ok(got === undefined || typeof got.text === "string"),
      (error) => assert.ok(error instanceof Error),
    );
  }
  assert.equal(await decode("#2~x"), undefined);
  assert.equal(await decode(""), undefined);
});

test("a link that unfolds to too much is refused", async () => {
  const large = parse(`---\n${"a".repeat(5 << 20)}`);
  await assert.rejects(decode(await encode(large)), /4 MiB/);
});

test("a workspace is its text", () => {
  const text = "title: T\ngroup: G\nabout: A\nview: grid a; by: row\nlink: place\npin: 5\n---\na = 4:1";
  assert.equal(print(parse(text)), text);
});
