/** W14: seven tasks that people have, from an empty sheet, each with the number of actions it takes: a line typed, a press, a choice, a move. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "../src/workspace/link.js";
import { answersOf, inBrowser, missing, open, report, settled } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

const MMA = "t = tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>";

test("W14 seven tasks", { skip }, async () => {
  let actions = 0;
  /** @type {import("playwright-core").Page} */
  let tab;
  const line = async (/** @type {string} */ text) => {
    actions += 1;
    await tab.locator(".cm-content").focus();
    await tab.keyboard.insertText(text);
    await settled(tab);
    await tab.waitForTimeout(200);
  };
  const press = async (/** @type {string} */ selector, /** @type {string} */ text = "") => {
    actions += 1;
    await tab.locator(selector, text ? { hasText: text } : {}).first().click();
    await tab.waitForTimeout(300);
  };
  const said = async (/** @type {RegExp} */ wanted) => wanted.test((await answersOf(tab)).join("\n"));
  /** @type {[string, () => Promise<boolean>][]} */
  const tasks = [
    ["is this composition right?", async () => (await line("composition((6,2):(1,7), (3,2):(2,3))"), said(/carry[\s\S]*gives 8 there/))],
    [
      "which elements has lane 5?",
      async () => {
        await line(MMA);
        await press(".answer-draw");
        actions += 1;
        await tab.locator(".cursor-side select").selectOption("thread");
        await settled(tab);
        actions += 1;
        const box = await tab.locator(".stage").boundingBox();
        // The picture is in the middle of the tile: a cell is found by its text, as a reader finds it.
        for (let y = 0.05; y < 0.95; y += 0.03) {
          for (let x = 0.2; x < 0.8; x += 0.02) {
            await tab.mouse.move(box.x + box.width * x, box.y + box.height * y);
            if (/lane 5\b/.test(await tab.locator(".cursor-line").innerText())) {
              return (await tab.locator(".stage").getAttribute("data-lit")) === "4";
            }
          }
        }
        return false;
      },
    ],
    ["conflicts of this swizzle for this ldmatrix?", async () => (await line("wavefronts(Sw<3,3,3> o (8,64):(64,1), (8,8):(1,8), 16, ldmatrix)"), said(/= 1\b/))],
    ["padding of this bf16 array, and a cheaper order?", async () => (await line("padding(bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)})"), said(/4\.00 times[\s\S]*order|order[\s\S]*4\.00 times/))],
    ["are these two layouts the same?", async () => (await line(`${MMA}\nsame(t, tv(((4,8),(2,2)):((32,1),(16,8)), (16,8)))`), said(/= same/))],
    [
      "a picture into a paper",
      async () => {
        await line("(4,(2,4)):(2,(1,8))");
        await press(".answer-draw");
        await press(".tile-bar .menu button");
        const [file] = await Promise.all([tab.waitForEvent("download"), press("[role=menuitem]", "TikZ")]);
        return file.suggestedFilename().endsWith(".tex");
      },
    ],
    [
      "send it to a colleague",
      async () => {
        await line("a = (4,8):(8,1)");
        actions = 0;
        await press("[aria-label=Share]");
        return (await tab.evaluate(() => navigator.clipboard.readText())).includes("#1~");
      },
    ],
  ];
  const empty = await encode({ text: "", views: [], link: "element", pins: [] });
  let done = 0;
  const failed = [];
  for (const [name, act] of tasks) {
    actions = 0;
    const opened = await open(here.browser, `${here.origin}/${empty}`);
    tab = opened.tab;
    await opened.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const isDone = await act().catch((error) => (console.log(name, error.message), false));
    done += isDone ? 1 : 0;
    if (!isDone) {
      failed.push([name, await answersOf(tab)]);
    }
    console.log(`W14: ${name} ${actions} ${actions === 1 ? "action" : "actions"}`);
    await opened.context.close();
  }
  report("W14", done, tasks.length, "tasks are done by script");
  assert.deepEqual(failed, []);
});
