/** What can be typed and pressed. */
import { h } from "./dom.js";
import { Dialog } from "./dialog.js";

const SHEET = [
  ["a = (4,8):(8,1)", "a layout of CuTe, shape and stride, under a name"],
  ["r = composition(a, 4:2)", "an operation; names stand for their values"],
  ["Sw<3,3,3> o (8,64):(64,1)", "a swizzle over a layout"],
  ["tensor<16x8xf32, #ttg.…>", "a Triton tensor with its encoding, as MLIR prints it"],
  ["linear<{i=[[1],[2]]}, out=[o:4]>", "a linear layout"],
  ["bf16[16,256]{1,0:T(8,128)(2,1)}", "an array of XLA"],
  ["same(a, b)", "whether two layouts are the same one, with proof or first difference"],
  ["convert(a, xla)", "the same layout in another notation"],
  ["// a comment", "a line that is not computed"],
];

const KEYS = [
  ["Tab", "to the next part: sheet, pictures, choices"],
  ["arrows, Home, End", "from cell to cell in a picture"],
  ["Enter or click", "pin the element; with Shift one more"],
  ["Escape", "take pins away, close what is open"],
  ["+  -  0", "zoom, show all"],
  ["wheel or drag", "move the picture; with Ctrl, or two fingers, zoom"],
  ["F2 or double click", "flip a bit of a linear layout in the bit matrix"],
  ["Ctrl-Space", "complete a name in the sheet"],
  ["Alt-1, Alt-2, Alt-3", "to the sheet, the pictures, the Why panel"],
  ["Alt-G, Alt-S", "examples, copy the link"],
  ["?", "this page, where no text is typed"],
];

/** @param {{version: string, close: () => void}} props */
export function Help({ version, close }) {
  const table = (/** @type {string[][]} */ rows) =>
    h(
      "dl",
      { class: "help-list" },
      rows.map(([code, text]) => h("div", { key: code }, h("dt", null, code), h("dd", null, text))),
    );
  return h(
    Dialog,
    { title: "Help", class: "help", close },
    h("p", null, "Every answer is exact, or refused with the reason. The page computes here, in your browser: nothing you type leaves it."),
    h("h3", null, "In the sheet"),
    table(SHEET),
    h("h3", null, "Keys"),
    table(KEYS),
    h("h3", null, "Links"),
    h(
      "p",
      null,
      "The address of this page holds your sheet and views after the #, which browsers do not send to servers. Pictures are linked: a cell lights the same element in the others, and in r = composition(a, b) the places of b are elements of a.",
    ),
    h("p", { class: "quiet" }, version ? `bitstride ${version}` : ""),
  );
}
