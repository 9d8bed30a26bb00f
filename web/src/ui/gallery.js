/** The gallery: sheets by group, with a search. */
import { h, useState } from "./dom.js";
import { Dialog } from "./dialog.js";

/** @typedef {import("../workspace/format.js").Workspace & {slug: string}} Sheet */

/** @param {{sheets: Sheet[], open: (sheet: Sheet) => void, close: () => void}} props */
export function Gallery({ sheets, open, close }) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sheets.filter((sheet) => {
    const text = `${sheet.title} ${sheet.about} ${sheet.group} ${sheet.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = [...new Set(sheets.map((sheet) => sheet.group ?? ""))];
  return h(
    Dialog,
    { title: "Examples", class: "gallery", close },
    h("input", {
      class: "search",
      type: "search",
      "aria-label": "search the examples",
      placeholder: `Search ${sheets.length} examples: swizzle, complement, padding …`,
      value: search,
      autofocus: true,
      onInput: (/** @type {any} */ event) => setSearch(event.currentTarget.value),
    }),
    found.length === 0 && h("p", { class: "quiet" }, "No example has these words."),
    groups.map((group) => {
      const members = found.filter((sheet) => sheet.group === group);
      return (
        members.length > 0 &&
        h(
          "section",
          { key: group, class: "gallery-group" },
          h("h3", null, group),
          h(
            "ul",
            null,
            members.map((sheet) =>
              h(
                "li",
                { key: sheet.slug },
                h(
                  "button",
                  { type: "button", class: "example", onClick: () => open(sheet) },
                  h("strong", null, sheet.title),
                  h("span", null, sheet.about),
                ),
              ),
            ),
          ),
        )
      );
    }),
  );
}
