/** A link that is copied opens to the same sheet, views and pins, and says whether its answers are unchanged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode } from "../src/workspace/link.js";
import { inBrowser, missing, open, settled } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

test("a copied link opens to the same sheet, views and pins", { skip }, async () => {
  const { tab, context } = await open(here.browser, `${here.origin}/#example-composition-1`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await settled(tab);
  await tab.locator(".stage").first().focus();
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("Enter");
  await tab.keyboard.press("Alt+s");
  await tab.waitForTimeout(400);
  const link = await tab.evaluate(() => navigator.clipboard.readText());
  const { tab: other } = await open(here.browser, link);
  await settled(other);
  assert.equal(await other.locator(".tile").count(), 3);
  assert.match(await other.locator(".cursor-side").innerText(), /1 pinned/);
  assert.match(await other.locator(".made").innerText(), /unchanged since/);
  const workspace = await decode(new URL(link).hash);
  assert.match(workspace.text, /composition\(a, b\)/);
  assert.deepEqual(workspace.pins, ["1"]);
});

test("a link whose answers are others now says so", { skip }, async () => {
  const workspace = { text: "a = size(4)", views: [], link: "element", pins: [], made: "0.0.1 00000000" };
  const { tab } = await open(here.browser, `${here.origin}/${await encode(workspace)}`);
  await settled(tab);
  assert.match(await tab.locator(".made").innerText(), /answers differ/);
});

test("reloading keeps what was typed", { skip }, async () => {
  const { tab } = await open(here.browser, here.origin);
  await settled(tab);
  await tab.locator(".cm-content").focus();
  await tab.keyboard.press("Control+End");
  await tab.keyboard.insertText("\nkept = (4,5):(5,1)");
  await tab.waitForTimeout(1000);
  await tab.reload();
  await tab.waitForSelector(".cm-content");
  await settled(tab);
  assert.match(await tab.locator(".cm-content").innerText(), /kept = \(4,5\):\(5,1\)/);
});
