/** W11: axe finds nothing serious, every action goes by keyboard, and a phone needs no sideways scrolling. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inBrowser, missing, open, report, settled } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious findings of axe, as texts. @param {import("playwright-core").Page} tab */
async function serious(tab) {
  await tab.evaluate(axe);
  return tab.evaluate(async () => {
    // @ts-ignore
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
}

const STATES = [
  ["the first page", "", async () => {}],
  ["a refusal", "#example-wrong-composition", async () => {}],
  ["banks", "#example-ldmatrix", async () => {}],
  ["bits", "#example-linearity", async () => {}],
  ["padding", "#example-xla-figure-1", async () => {}],
  ["the examples", "", async (tab) => tab.keyboard.press("Alt+g")],
  ["help", "", async (tab) => tab.locator("[aria-label=help]").click()],
  ["choices of a view", "#example-composition-1", async (tab) => tab.locator("[aria-label=choices]").first().click()],
];

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  test(`W11 axe finds nothing serious, ${scheme}`, { skip }, async () => {
    let clean = 0;
    const found = [];
    for (const [name, hash, act] of STATES) {
      for (const width of [1600, 390]) {
        const { tab } = await open(here.browser, `${here.origin}/${hash}`, { colorScheme: scheme, viewport: { width, height: 900 } });
        if (width === 1600) {
          await settled(tab);
          await act(tab);
        }
        await tab.waitForTimeout(350);
        const list = await serious(tab);
        found.push(...list.map((text) => `${name} at ${width}: ${text}`));
        clean += list.length === 0 ? 1 : 0;
        await tab.context().close();
      }
    }
    report("W11", clean, 2 * STATES.length, `states without a serious finding of axe, ${scheme}`);
    assert.deepEqual(found, []);
  });
}

test("W11 a phone of 390 pixels needs no sideways scrolling", { skip }, async () => {
  const { tab } = await open(here.browser, `${here.origin}/#example-one-accumulator`, { viewport: { width: 390, height: 844 }, hasTouch: true });
  let fits = 0;
  for (const pane of ["Sheet", "Views", "Why"]) {
    await tab.locator(".tabs button", { hasText: pane }).click();
    await tab.waitForTimeout(400);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${pane}: ${wide}`);
    if (pane === "Views") {
      const [stage, zoom] = [await tab.locator(".stage").first().boundingBox(), await tab.locator(".zoom").first().boundingBox()];
      assert.ok(stage.y + stage.height <= zoom.y, "the buttons lie over the picture");
    }
    fits += 1;
  }
  report("W11", fits, 3, "panes fit 390 pixels");
  await tab.context().close();
});

test("W11 thirty actions by keyboard alone", { skip }, async () => {
  const { tab, faults, context } = await open(here.browser, `${here.origin}/#example-composition-1`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await settled(tab);
  const press = (/** @type {string[]} */ ...keys) => keys.reduce((before, key) => before.then(() => tab.keyboard.press(key)), Promise.resolve());
  const text = (/** @type {string} */ selector) => tab.locator(selector).first().innerText();
  const count = (/** @type {string} */ selector) => tab.locator(selector).count();
  const hash = () => tab.evaluate(() => location.hash);
  const tabTo = async (/** @type {string} */ label, most = 60, key = "Tab") => {
    for (let step = 0; step < most; step += 1) {
      await tab.keyboard.press(key);
      const found = await tab.evaluate((wanted) => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) {
          at = at.shadowRoot.activeElement;
        }
        return `${at?.getAttribute("aria-label") ?? ""} ${at?.textContent ?? ""}`.includes(wanted);
      }, label);
      if (found) {
        return true;
      }
    }
    return false;
  };
  const scale = () => tab.evaluate(() => Number(/** @type {HTMLElement} */ (document.querySelector(".stage")).dataset.scale));
  const wait = () => tab.waitForTimeout(220);
  /** @type {[string, () => Promise<boolean>][]} */
  const actions = [
    ["to the sheet", async () => (await press("Alt+1"), await wait(), tab.evaluate(() => Boolean(document.querySelector(".editor").shadowRoot.activeElement)))],
    ["type a line", async () => (await press("Control+End"), await tab.keyboard.insertText("\nk = (4,4):(4,1)"), await wait(), (await tab.locator(".cm-content").innerText()).includes("k ="))],
    ["undo", async () => (await press("Control+z"), await wait(), !(await tab.locator(".cm-content").innerText()).includes("k ="))],
    ["redo", async () => (await press("Control+y"), await wait(), (await tab.locator(".cm-content").innerText()).includes("k ="))],
    ["complete a name", async () => (await tab.keyboard.type("\nm = coal"), await tab.waitForTimeout(500), (await count(".cm-tooltip-autocomplete")) > 0)],
    ["take a completion", async () => (await press("Enter"), await wait(), (await tab.locator(".cm-content").innerText()).includes("coalesce("))],
    ["leave the sheet by Tab", async () => (await press("Escape", "Control+z", "Escape"), await press("Alt+2"), await wait(), tab.evaluate(() => document.activeElement?.classList.contains("stage")))],
    ["move to a cell", async () => (await press("ArrowRight"), await wait(), (await text(".cursor-line")).includes("element"))],
    ["move right", async () => { const was = await text(".cursor-line"); await press("ArrowRight"); await wait(); return (await text(".cursor-line")) !== was; }],
    ["move down", async () => { const was = await text(".cursor-line"); await press("ArrowDown"); await wait(); return (await text(".cursor-line")) !== was; }],
    ["to the end of a row", async () => { const was = await text(".cursor-line"); await press("End"); await wait(); return (await text(".cursor-line")) !== was; }],
    ["to the beginning", async () => { await press("Control+Home"); await wait(); return (await text(".cursor-line")).includes("element 0"); }],
    ["pin", async () => (await press("Enter"), await wait(), (await text(".cursor-side")).includes("1 pinned"))],
    ["pin one more", async () => (await press("ArrowRight", "Shift+Enter"), await wait(), (await text(".cursor-side")).includes("2 pinned"))],
    ["zoom in", async () => { const was = await scale(); await press("+"); await wait(); return (await scale()) > was; }],
    ["zoom out", async () => { const was = await scale(); await press("-", "-"); await wait(); return (await scale()) < was; }],
    ["show all", async () => { const was = await scale(); await press("0"); await wait(); return (await scale()) !== was; }],
    ["take pins away", async () => (await press("Escape"), await wait(), !(await text(".cursor-side")).includes("pinned"))],
    ["choices of a view", async () => (await tabTo("choices", 9, "Shift+Tab"), await press("Enter"), await wait(), (await count(".tile-options")) > 0)],
    ["colour by", async () => { const found = await tabTo("as drawn"); await press("ArrowDown"); await wait(); await tab.waitForTimeout(500); return found && (await hash()) !== ""; }],
    ["export menu", async () => (await tabTo("export this picture"), await press("Enter"), await wait(), (await count("[role=menuitem]")) > 4)],
    ["move in the menu", async () => (await press("ArrowDown"), tab.evaluate(() => document.activeElement?.textContent?.startsWith("PNG")))],
    ["close the menu", async () => (await press("Escape"), await wait(), (await count("[role=menuitem]")) === 0)],
    ["change the view", async () => (await tabTo("grid"), await press("ArrowDown"), await wait(), (await count(".tile")) > 0)],
    ["close a view", async () => { const was = await count(".tile"); await tabTo("close this view"); await press("Enter"); await wait(); return (await count(".tile")) === was - 1; }],
    ["to the Why panel", async () => (await press("Alt+1", "Control+Home"), await tab.waitForTimeout(600), await press("Alt+3"), await wait(), tab.evaluate(() => document.activeElement?.closest(".pane-why") !== null))],
    ["open a section", async () => { await tabTo("Copy for a program", 60); const was = await count(".section[open]"); await press("Enter"); await wait(); return (await count(".section[open]")) !== was; }],
    ["draw a step", async () => { const was = await count(".tile"); await press("Alt+3"); const found = await tabTo("draw", 40); await press("Enter"); await wait(); return found && (await count(".tile")) === was + 1; }],
    ["examples", async () => (await press("Alt+g"), await wait(), (await count(".gallery[open]")) === 1)],
    ["search and open one", async () => (await tab.keyboard.type("figure 2"), await press("Tab", "Enter"), await tab.waitForTimeout(600), (await count(".gallery[open]")) === 0)],
    ["copy the link", async () => (await press("Alt+s"), await tab.waitForTimeout(400), (await tab.evaluate(() => navigator.clipboard.readText())).includes("#1"))],
    ["help", async () => { await press("Alt+3", "?"); await wait(); const shown = await count(".help[open]"); await press("Escape"); await wait(); return shown === 1 && (await count(".help[open]")) === 0; }],
  ];
  const failed = [];
  for (const [name, act] of actions) {
    if (!(await act().catch((error) => (console.log(name, error.message), false)))) {
      failed.push(name);
    }
  }
  report("W11", actions.length - failed.length, actions.length, "actions by keyboard");
  assert.deepEqual(failed, []);
  assert.deepEqual(faults, []);
  await tab.context().close();
});
