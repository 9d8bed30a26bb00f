/** W7: every sheet of the gallery evaluates and is drawn; its pictures are the bytes that `bitstride show --svg -` writes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gallery } from "../build.mjs";
import { requestOf } from "../src/views/request.js";
import { ask, missing, report } from "./support.mjs";

const skip = await missing();
const run = promisify(execFile);
const binary = process.env.BITSTRIDE ?? join(dirname(fileURLToPath(import.meta.url)), "../../target/debug/bitstride");
const hasBinary = await access(binary).then(
  () => true,
  () => false,
);

/** Lines that are refused on purpose. */
const REFUSED = new Set(["wrong-composition r"]);

test("W7 every line of every example has a value, and every view a picture", { skip }, async () => {
  const question = await ask();
  const sheets = await gallery();
  assert.ok(sheets.length >= 60);
  let [good, views, drawn] = [0, 0, 0];
  const wrong = [];
  for (const sheet of sheets) {
    const { lines } = question("update", sheet.text);
    const refused = lines.filter((line) => line.error && !REFUSED.has(`${sheet.slug} ${line.name}`));
    wrong.push(...refused.map((line) => `${sheet.slug} ${line.name}: ${line.error.message}`));
    for (const view of sheet.views.filter(({ kind }) => kind !== "steps")) {
      views += 1;
      const { error } = question("model", JSON.stringify(requestOf(view)), "{}");
      drawn += error ? 0 : 1;
      if (error) {
        wrong.push(`${sheet.slug} view ${view.kind} ${view.expression}: ${error.message}`);
      }
    }
    good += refused.length === 0 ? 1 : 0;
  }
  report("W7", good, sheets.length, "examples evaluate");
  report("W7", drawn, views, "of their pictures are drawn");
  assert.deepEqual(wrong, []);
});

test("W7 pictures are the bytes of the command line", { skip: skip ?? (hasBinary ? undefined : "no bitstride program to compare with") }, async () => {
  const question = await ask();
  let [same, all] = [0, 0];
  const wrong = [];
  for (const sheet of await gallery()) {
    question("update", sheet.text);
    for (const view of sheet.views.filter(({ kind }) => kind !== "steps")) {
      const request = JSON.stringify(requestOf(view));
      const { picture, error } = question("show", request, "svg");
      const { shell } = question("command", request);
      all += 1;
      if (error || !shell) {
        wrong.push(`${sheet.slug} ${view.expression}: ${error?.message}`);
        continue;
      }
      const { stdout } = await run("bash", ["-c", `${shell.replace(/^bitstride/, '"$0"')} --svg -`, binary], { maxBuffer: 1 << 26 });
      if (stdout === picture || stdout.trimEnd() === picture) {
        same += 1;
      } else {
        wrong.push(`${sheet.slug} ${view.expression}: differs`);
      }
    }
  }
  report("W7", same, all, "pictures have the bytes of `bitstride show --svg -`");
  assert.deepEqual(wrong, []);
});
