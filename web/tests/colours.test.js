/** Text on every fill is readable in both themes: contrast of at least 4.5. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { colouring } from "../src/views/colouring.js";
import { contrast, theme } from "../src/views/colours.js";
import { Picture } from "../src/views/picture.js";

/** The engine's colours, as `palette()` gives them (crates/draw/src/palette.rs). */
const HUES = ["#8fb7ff", "#ffdfc7", "#9fcfc7", "#d7a7d7", "#bff7a7", "#ff9f97", "#77dfff", "#c7bf6f"];
const mixed = (hex, to, percent) =>
  `#${[1, 3, 5]
    .map((at) => Math.floor((Number.parseInt(hex.slice(at, at + 2), 16) * (100 - percent) + to * percent) / 100))
    .map((value) => value.toString(16).padStart(2, "0"))
    .join("")}`;
const GROUPS = [...HUES, ...HUES.map((hue) => mixed(hue, 0, 15)), ...HUES.map((hue) => mixed(hue, 255, 50))];

const one = new Picture({
  header: { title: "", footnote: "", legend: [], strings: ["0"], rows: [] },
  texts: new Uint32Array(1),
  fills: new Int32Array(1),
  elements: new BigInt64Array(1),
  places: new BigInt64Array(1),
});

for (const isDark of [false, true]) {
  test(`W11 every fill of the ${isDark ? "dark" : "light"} theme has readable text`, () => {
    const { paints } = colouring(one, "drawn", theme(GROUPS, isDark));
    const low = paints.filter(({ fill, ink }) => contrast(fill, ink) < 4.5);
    assert.deepEqual(low, []);
    console.log(`W11: ${paints.length} of ${paints.length} fills of the ${isDark ? "dark" : "light"} theme have contrast 4.5`);
  });
}

test("groups stay apart in the dark", () => {
  const { groups } = theme(GROUPS, true);
  assert.equal(new Set(groups.slice(0, 8)).size, 8);
});
