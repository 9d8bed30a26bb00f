/** W2: how much is loaded, from where. W3: how soon one can type and has an answer. W12: the page in one file, without a server. */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { FIRST_LOAD, gallery, packed } from "../build.mjs";
import { built, inBrowser, missing, open, report, settled } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

test("W2 the first load is small and asks no other host", { skip }, async () => {
  const { tab, requests, faults } = await open(here.browser, here.origin);
  await settled(tab);
  const hosts = new Set(requests.map((address) => new URL(address)).filter(({ protocol }) => protocol.startsWith("http")).map(({ origin }) => origin));
  assert.deepEqual([...hosts], [here.origin]);
  const sizes = {};
  for (const name of await readdir(join(built, "page"))) {
    sizes[name] = packed(await readFile(join(built, "page", name)));
  }
  const sum = (/** @type {(name: string) => boolean} */ counts) =>
    Object.entries(sizes).reduce((total, [name, size]) => total + (counts(name) ? size : 0), 0);
  // What follows once the page answers, in the background.
  const isRest = (/** @type {string} */ name) => name.startsWith("rest-");
  const total = sum((name) => !isRest(name));
  console.log(`W2: ${total} bytes of brotli in all (goal ${FIRST_LOAD}), ${sum(isRest)} after the first answer: ${JSON.stringify(sizes)}`);
  console.log("W2: 0 requests to other hosts; the page's own policy (CSP) is on");
  assert.ok(total <= FIRST_LOAD, String(total));
  const names = requests.map((address) => new URL(address).pathname);
  assert.ok(names.findIndex((name) => name.startsWith("/rest-")) > names.indexOf("/bitstride_bg.wasm"), names.join(" "));
  assert.deepEqual(faults, []);
  await tab.context().close();
});

test("W3 ready to type, and the first answer", { skip }, async () => {
  const [ready, editor, answer] = [[], [], []];
  for (let round = 0; round < 9; round += 1) {
    const context = await here.browser.newContext({ viewport: { width: 1600, height: 1000 } });
    const tab = await context.newPage();
    await tab.addInitScript(() => {
      const marks = (globalThis.marks = {});
      const look = () => {
        if (!marks.ready && document.querySelector(".plain-sheet, .editor")) {
          marks.ready = performance.now();
        }
        const shadow = document.querySelector(".editor")?.shadowRoot;
        if (!marks.editor && shadow?.querySelector(".cm-content")) {
          marks.editor = performance.now();
        }
        if (shadow?.querySelector(".answer")) {
          marks.answer = performance.now();
        } else {
          setTimeout(look, 2);
        }
      };
      look();
    });
    await tab.goto(here.origin);
    await tab.waitForFunction(() => globalThis.marks.answer, undefined, { timeout: 20000 });
    const marks = await tab.evaluate(() => globalThis.marks);
    ready.push(marks.ready);
    editor.push(marks.editor);
    answer.push(marks.answer);
    await context.close();
  }
  const show = (values) => `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
  console.log(`W3: from the start of loading, median of 9 (least to most): ready to type ${show(ready)}, editor ${show(editor)}, first answer painted ${show(answer)}; goal 500 ms`);
});

test("an element in a page of somebody else", { skip }, async () => {
  const context = await here.browser.newContext();
  const tab = await context.newPage();
  const faults = [];
  tab.on("pageerror", (error) => faults.push(error.message));
  await tab.route(`${here.origin}/embed.html`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<script type="module" src="/bitstride-view.js"></script>
        <bitstride-view sheet="a = (4,8):(8,1)" view="grid a; by: row"><p>first</p></bitstride-view>
        <bitstride-view sheet="a = f32[3,5]{1,0:T(2,2)}" view="grid a"><p>second</p></bitstride-view>
        <bitstride-view sheet="a = (" view="grid a"><p>stays</p></bitstride-view>`,
    }),
  );
  await tab.goto(`${here.origin}/embed.html`);
  await tab.waitForFunction(() => document.querySelectorAll("bitstride-view[data-painted]").length === 2, undefined, { timeout: 15000 });
  const slots = await tab.evaluate(() => [...document.querySelectorAll("bitstride-view")].map((view) => Boolean(view.shadowRoot.querySelector("slot"))));
  assert.deepEqual(slots, [false, false, true]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("W12 the page in one file opens every example from file://", { skip }, async () => {
  const file = join(built, "bitstride.html");
  const { length } = await readFile(file);
  const sheets = await gallery();
  const { tab, faults, requests } = await open(here.browser, pathToFileURL(file).href);
  let opened = 0;
  for (const sheet of sheets) {
    await tab.evaluate((slug) => (location.hash = `#example-${slug}`), sheet.slug);
    await settled(tab);
    const title = await tab.locator(".sheet-title").innerText();
    const failed = await tab.locator(".tile-error").allInnerTexts();
    opened += title === sheet.title && failed.length === 0 ? 1 : 0;
    if (failed.length) {
      console.log(sheet.slug, failed);
    }
  }
  const outside = requests.filter((address) => /^https?:/.test(address));
  report("W12", opened, sheets.length, `examples open from one file of ${length} bytes (goal 1,200,000), ${outside.length} requests`);
  assert.deepEqual(faults, []);
  assert.deepEqual(outside, []);
  assert.equal(opened, sheets.length);
  await tab.context().close();
});
