/** W9: 60 broken inputs: the underline is where the fault is, also beside letters that take several bytes, and repairs have a value. W13: large numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, inBrowser, missing, open, report, settled, type } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

/** A broken line, and the text under which the fault must be marked; `?` where the place is the engine's choice. */
const BROKEN = [
  ["x = compositon((4,8):(8,1), 4)", "compositon"],
  ["x = coalesc(4:1)", "coalesc"],
  ["x = complment(4:1, 24)", "complment"],
  ["x = (4,8:(8,1)", "("],
  ["x = size((4,8)", "("],
  ["x = [4,8", "["],
  ["x = (4,8):(8,1", "("],
  ["x = (2,😀)", "😀"],
  ["x = (4,中):(1,4)", "中"],
  ["😀 = 4:1", "?"],
  ["x = 4:1 é", "é"],
  ["x = \"é\" 4", "?"],
  ["x = size(中文)", "中"],
  ["x = 4::1", ":"],
  ["x = 4:1)", ")"],
  ["x = (4,8):(8)", "?"],
  ["x = (4,8):(8,1,2)", "?"],
  ["x = 99999999999999999999", "99999999999999999999"],
  ["x = size(4, 5, 6)", "?"],
  ["x = composition(4:1)", "?"],
  ["x = composition((6,2):(1,7), (3,2):(2,3))", "?"],
  ["x = composition((4,4):(1,10), (3,2):(1,3))", "?"],
  ["x = layout(4:1, 9)", "?"],
  ["x = Sw<3,4> o 4:1", "?"],
  ["x = Sw<40,4,3>", "?"],
  ["x = o 4:1", "?"],
  ["x = 4:1 o", "?"],
  ["x =", "?"],
  ["= 4:1", "?"],
  ["size = 4:1", "?"],
  ["x = y\ny = x", "?"],
  ["x = undefined_name(4)", "undefined_name"],
  ["x = f32[3,5]{1,0:T(2,2)", "?"],
  ["x = f32[3,5]{1,0:T(2,2)} 4", "4"],
  ["x = f32[3,-5]", "?"],
  ["x = q7[3,5]", "?"],
  ["x = bf16[2,2]{0,1:T(0,", "?"],
  ["x = tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2}>>", "?"],
  ["x = tensor<16x8xf32, #ttg.nonsense<{a=1}>>", "?"],
  ["x = tensor<16xx8xf32>", "?"],
  ["x = tensor<8xf32, #undefined>", "?"],
  ["x = tensor<8xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [1]}>>", "?"],
  ["x = linear<{i=[[1],[2]]}, out=[o:3]>", "?"],
  ["x = linear<{i=[[8]]}, out=[o:4]>", "?"],
  ["x = linear<{i=[[1]}, out=[o:2]>", "?"],
  ["x = tag(nChw16, (8,64))", "?"],
  ["x = convert((3,5):(5,1), linear)", "?"],
  ["x = same(4:1)", "?"],
  ["x = convert(4:1, klingon)", "?"],
  ["x = shape_div((6,2), 5)", "?"],
  ["x = logical_divide((4,8):(8,1), 3)", "?"],
  ["x = complement((2,2):(1,1), 24)", "?"],
  ["x = shape_mod((6,2), 5)", "?"],
  ["x = idx2crd(99)", "?"],
  ["x = crd2idx((9,9,9), (2,3))", "?"],
  ["x = swizzle((8,8):(8,1))", "?"],
  ["x = wavefronts((8,8):(8,1), 32:1, 7)", "?"],
  ["x = atom(SM80_NOTHING, C)", "?"],
  ["x = ((((((((((4)", "?"],
  ["\r\nx = (4,\r\n8:1", "?"],
];

test("W9 broken inputs are marked where the fault is", { skip }, async () => {
  const { tab, faults } = await open(here.browser, here.origin);
  let [refused, marked, placed, placeable] = [0, 0, 0, 0];
  const wrong = [];
  for (const [text, where] of BROKEN) {
    await type(tab, text);
    await tab.waitForFunction(
      () => document.querySelector(".editor")?.shadowRoot?.querySelector(".answer.refused"),
      undefined,
      { timeout: 4000 },
    ).catch(() => {});
    await tab.waitForTimeout(40);
    const found = await tab.evaluate(() => {
      const shadow = document.querySelector(".editor").shadowRoot;
      return {
        refused: shadow.querySelectorAll(".answer.refused").length,
        marks: [...shadow.querySelectorAll(".fault")].map((mark) => mark.textContent).join(""),
      };
    });
    refused += found.refused > 0 ? 1 : 0;
    marked += found.marks.length > 0 ? 1 : 0;
    if (where !== "?") {
      placeable += 1;
      if (found.marks.startsWith(where)) {
        placed += 1;
      } else {
        wrong.push([text, where, found.marks]);
      }
    }
    if (!found.refused) {
      wrong.push([text, "not refused"]);
    }
  }
  report("W9", refused, BROKEN.length, "broken inputs are refused in the sheet");
  report("W9", marked, BROKEN.length, "of them are marked in the text");
  report("W9", placed, placeable, "marks begin at the letter that is wrong");
  assert.deepEqual(wrong, []);
  assert.equal(refused, BROKEN.length);
  assert.equal(placed, placeable);
  assert.deepEqual(faults, []);
  await tab.context().close();
});

test("W9 every repair button gives a line that has a value", { skip }, async () => {
  const { tab } = await open(here.browser, here.origin);
  let [pressed, valued] = [0, 0];
  for (const [text] of [...BROKEN, ["a = (6,2):(1,7)\nt = (3,2):(2,3)\nx = composition(a, t)"]]) {
    await type(tab, text);
    await tab.waitForTimeout(150);
    const count = await tab.locator(".repair").count();
    for (let at = 0; at < count; at += 1) {
      await type(tab, text);
      await tab.locator(".repair").nth(at).click();
      await tab.waitForTimeout(150);
      pressed += 1;
      valued += (await tab.locator(".answer.refused").count()) === 0 ? 1 : 0;
    }
  }
  report("W9", valued, pressed, "repairs give a line with a value");
  assert.ok(pressed > 5);
  assert.equal(valued, pressed);
  await tab.context().close();
});

test("W13 numbers above 2^53 are shown exactly", { skip }, async () => {
  const { tab } = await open(here.browser, here.origin);
  const values = Array.from({ length: 100 }, (_, at) => 9007199254740993n + BigInt(at) * 90071992547409931n).filter((value) => value < 2n ** 63n);
  await type(tab, values.map((value, at) => `n${at} = add(${value - 1n}, 1)`).join("\n"));
  await settled(tab);
  await tab.waitForTimeout(400);
  // Only the lines in view are in the document: the answers are read where they are kept, by the export.
  const [download] = await Promise.all([
    tab.waitForEvent("download"),
    (async () => {
      await tab.locator(".top .menu button").first().click();
      await tab.locator("[role=menuitem]", { hasText: "Answers as JSON" }).click();
    })(),
  ]);
  const stream = await download.createReadStream();
  let text = "";
  for await (const part of stream) {
    text += part;
  }
  const got = JSON.parse(text).map((line) => line.value);
  const exact = values.filter((value, at) => got[at] === String(value)).length;
  const seen = await answersOf(tab);
  assert.ok(seen.some((answer) => answer.includes(String(values.at(-1)))), seen.at(-1));
  report("W13", exact, values.length, "results above 2^53 are exact");
  assert.equal(exact, values.length);
  await tab.context().close();
});
