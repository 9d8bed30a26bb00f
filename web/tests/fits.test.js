/** W11: nothing on the page is cut off or lies over something else, at three widths: one example for each set of views; and no view keeps a choice that no longer fits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gallery } from "../build.mjs";
import { requestOf } from "../src/views/request.js";
import { Picture } from "../src/views/picture.js";
import { ask, inBrowser, missing, open, report, settled, type } from "./support.mjs";

const skip = await missing();
const here = inBrowser(skip);

/** The views of a sheet, as what decides how its tiles are laid out. @param {import("../src/workspace/format.js").Workspace} sheet */
const layoutOf = ({ views }) => views.map(({ kind, options }) => `${kind} ${Object.keys(options).sort().join(" ")}`).join(", ");

test("W11 no tile lies over another, and no field hides what is in it", { skip }, async () => {
  const kinds = [...new Map((await gallery()).map((sheet) => [layoutOf(sheet), sheet])).values()];
  // Labels are painted from the left; their sizes and boxes are noted, those of one canvas as it was painted last.
  const { tab } = await open(here.browser, here.origin, {}, (page) =>
    page.addInitScript(() => {
      const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
      const labels = (/** @type {any} */ (window).labels = new Map());
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        labels.delete(this.canvas);
        clearRect.apply(this, box);
      };
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        if (this.textAlign === "left") {
          const size = Number(/([\d.]+)px/.exec(this.font)?.[1]);
          const top = this.textBaseline === "bottom" ? y - size : y;
          labels.set(this.canvas, [...(labels.get(this.canvas) ?? []), { text, size, x, top, end: x + this.measureText(text).width }]);
        }
        fillText.call(this, text, x, y);
      };
    }),
  );
  const wrong = [];
  let count = 0;
  for (const width of [1600, 1000, 390]) {
    await tab.setViewportSize({ width, height: 620 });
    if (width === 390) {
      await tab.locator(".tabs button", { hasText: "Views" }).click();
    }
    for (const { slug, views } of kinds) {
      await tab.evaluate((name) => (location.hash = `#example-${name}`), slug);
      const accesses = views.filter(({ kind, options }) => kind === "banks" && options.threads).length;
      await tab.waitForFunction(
        ([tiles, bars]) => document.querySelectorAll(".tile").length === tiles && document.querySelectorAll(".access").length === bars,
        [views.length, accesses],
      );
      const found = await tab.evaluate(() => {
        const tiles = [...document.querySelectorAll(".tile")].filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
        const texts = document.querySelectorAll(".tile input:not([type=range]), .access-banks button, .wavefronts-note");
        const fields = [...texts].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
        return [
          ...tiles.map(({ scrollHeight, clientHeight }) => `a tile of ${clientHeight} pixels has ${scrollHeight}`),
          ...fields.map((field) => `a field hides a part of ${/** @type {HTMLInputElement} */ (field).value || field.textContent}`),
          ...(document.documentElement.scrollWidth > innerWidth ? ["the page is wider than the window"] : []),
        ];
      });
      await settled(tab);
      const painted = await tab.evaluate(() => [.../** @type {any} */ (window).labels].filter(([canvas]) => canvas.isConnected));
      for (const [, labels] of painted) {
        for (const [at, one] of labels.entries()) {
          const other = labels.slice(at + 1).find(({ x, top, end, size }) => one.x < end && x < one.end && one.top < top + size && top < one.top + one.size);
          found.push(...(other ? [`${one.text} lies over ${other.text}`] : []), ...(one.size < 8.5 ? [`${one.text} is ${one.size} pixels high`] : []));
          count += 1;
        }
      }
      wrong.push(...found.map((text) => `${slug} at ${width}: ${text}`));
    }
  }
  assert.ok(count > 50, `${count} labels`);
  report("W11", 3 * kinds.length - new Set(wrong.map((text) => text.split(":")[0])).size, 3 * kinds.length, "sheets fit their tiles and fields");
  assert.deepEqual(wrong, []);
  await tab.context().close();
});

test("W11 titles end within their picture and before the next one", { skip }, async () => {
  const question = await ask();
  const letter = 7.83; // of the widest font that the page names, at 13 pixels
  let count = 0;
  for (const { slug, text, views } of await gallery()) {
    question("update", text);
    for (const view of views) {
      const { labels, width } = new Picture(question("model", JSON.stringify(requestOf(view)), "{}"));
      const titles = labels.filter(({ style }) => style === "title");
      titles.forEach((title) => {
        const next = titles.filter(({ x, y }) => y === title.y && x > title.x).map(({ x }) => x);
        const end = title.x + title.text.length * letter;
        assert.ok(end <= Math.min(width, ...next), `${slug}: ${title.text}`);
        count += 1;
      });
    }
  }
  report("W11", count, count, "titles are within their pictures");
  assert.ok(count > 50, String(count));
});

test("a slice ends with the dims that it was of", { skip }, async () => {
  const { tab, context } = await open(here.browser, `${here.origin}/#example-xla-padding-2`);
  await settled(tab);
  await tab.waitForSelector(".slider");
  for (const [array, sliders] of [["f32[3,5]{1,0:T(2,2)}", 0], ["f32[2,3,5]{2,1,0:T(2,2)}", 1]]) {
    await type(tab, `a = ${array}`);
    await tab.waitForFunction((count) => document.querySelectorAll(".slider").length === count, sliders);
    await settled(tab);
    assert.deepEqual(await tab.locator(".tile-error").allInnerTexts(), []);
  }
  await context.close();
});
