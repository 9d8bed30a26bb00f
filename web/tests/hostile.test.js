/** W10: whatever is typed, pasted or linked, the page answers again, throws nothing, and makes no markup of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gallery } from "../build.mjs";
import { encode } from "../src/workspace/link.js";
import { inBrowser, missing, open, random, report, type } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);
/** How many fuzzed lines: all of the goal's with BITSTRIDE_FUZZ=100000. */
const LINES = Number(process.env.BITSTRIDE_FUZZ ?? 4000);

const MARKUP = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  '"><svg onload=alert(1)>',
  "javascript:alert(1)",
  "</textarea><script>alert(1)</script>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "{{constructor.constructor('alert(1)')()}}",
  "<a href='javascript:alert(1)'>x</a>",
];

/** Whether the sheet answers `size((3,4))` now, and after how long. @param {import("playwright-core").Page} tab */
async function answersAgain(tab) {
  await tab.locator(".cm-content").click();
  await tab.keyboard.press("Control+A");
  const start = Date.now();
  await tab.keyboard.insertText("probe = add(size((3,4)), 88)");
  await tab.waitForFunction(
    () => [...(document.querySelector(".editor")?.shadowRoot?.querySelectorAll(".answer-value") ?? [])].some((value) => value.textContent === "100"),
    undefined,
    { timeout: 15000, polling: 30 },
  );
  return Date.now() - start;
}

test("W10 fuzzed lines", { skip }, async () => {
  const { tab, faults } = await open(here.browser, here.origin);
  const pick = random(36);
  const seeds = (await gallery()).flatMap((sheet) => sheet.text.split("\n"));
  const letters = [..."()<>{}[]:,=#~0123456789abcoSw _@*+-.\"'\\/?!|^&%$", "é", "中", "😀", "\u0000", "\u202e", "\ud800", ...MARKUP];
  let done = 0;
  while (done < LINES) {
    const lines = Array.from({ length: 200 }, () => {
      const seed = seeds[pick(seeds.length)];
      let line = seed;
      for (let change = pick(4) + 1; change > 0; change -= 1) {
        const at = pick(line.length + 1);
        line = line.slice(0, at) + letters[pick(letters.length)] + line.slice(at + pick(3));
      }
      return line;
    });
    await tab.evaluate(async (text) => {
      const host = document.querySelector(".editor");
      const content = host.shadowRoot.querySelector(".cm-content");
      content.focus();
      document.getSelection()?.selectAllChildren(content);
      document.execCommand("selectAll");
      const before = host.dataset.answered;
      const data = new DataTransfer();
      data.setData("text/plain", text);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      const start = performance.now();
      while (host.dataset.answered === before && performance.now() - start < 3000) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }, lines.join("\n"));
    done += lines.length;
  }
  await answersAgain(tab);
  report("W10", done, LINES, "fuzzed lines without an uncaught error");
  assert.deepEqual(faults, []);
  await tab.context().close();
});

test("W10 a paste of 1 MB and a deep one", { skip }, async () => {
  const { tab, faults } = await open(here.browser, here.origin);
  const pastes = ["(".repeat(1 << 20), `x = ${"(4,".repeat(20000)}`, "x = 4:1 + ".repeat(100000), "a".repeat(1 << 20)];
  const times = [];
  for (const paste of pastes) {
    await tab.locator(".cm-content").click();
    await tab.evaluate((text) => {
      const content = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
      const data = new DataTransfer();
      data.setData("text/plain", text);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, paste);
    times.push(await answersAgain(tab));
  }
  report("W10", times.length, pastes.length, `pastes of 1 MB, then an answer after ${times.join(", ")} ms`);
  assert.deepEqual(faults, []);
  await tab.context().close();
});

test("W10 long searches are stopped", { skip }, async () => {
  const { tab, faults } = await open(here.browser, here.origin);
  await type(
    tab,
    "s = swizzle((4096,4096):(4096,1), 8, ((8,4),16):((2048,1),128), st, 32:4096, ld, 32:4097, ld, 32:4099, ld)\nt = domain_distribute((1048576,1048576), (1048576,1048576))\nu = preimages(((3,5,7,11,13,17),(19,23,29,31)):((1,3,15,105,1155,15015),(7,11,13,17)), 99)",
  );
  await tab.waitForTimeout(300);
  const time = await answersAgain(tab);
  report("W10", time <= 2200 ? 1 : 0, 1, `long searches, then an answer after ${time} ms (goal 2,200)`);
  assert.deepEqual(faults, []);
  await tab.context().close();
});

test("W10 nothing that is typed or linked becomes markup", { skip }, async () => {
  let clean = 0;
  for (const markup of MARKUP) {
    const fragment = await encode({
      text: `x = ${markup}\n${markup} = 4:1\n// ${markup}\ny = "${markup}"\nz = linear<{"${markup}"=[[1]]}, out=[o:2]>`,
      views: [
        { kind: "grid", expression: markup.replaceAll(";", ""), options: { by: markup.replaceAll(";", "") } },
        { kind: "bits", expression: "z", options: {} },
      ],
      link: "element",
      pins: [],
      made: `${markup} 00000000`,
    });
    const { tab, faults } = await open(here.browser, `${here.origin}/${fragment}`);
    let dialogs = 0;
    tab.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await tab.waitForTimeout(500);
    const found = await tab.evaluate(() => {
      const roots = [document, document.querySelector(".editor").shadowRoot];
      return roots.flatMap((root) => [...root.querySelectorAll("script:not([src]), img, iframe, [onload], [onerror], a[href^=javascript]")]).filter((element) => !element.classList.contains("cm-widgetBuffer")).length;
    });
    clean += found === 0 && dialogs === 0 && faults.length === 0 ? 1 : 0;
    await tab.context().close();
  }
  report("W10", clean, MARKUP.length, "texts with markup stay texts");
  assert.equal(clean, MARKUP.length);
});
