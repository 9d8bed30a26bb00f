/** The access of a banks view, and the wavefronts that it takes in one large number, beside those of the plain memory. */
import { h, useEffect, useState } from "../ui/dom.js";
import { Access } from "./accesses.js";
import { SUPERSEDED } from "../engine/client.js";

/** @typedef {import("../protocol.js").Answer} Answer */

const TRANSFERS = ["ld", "st", "ldmatrix", "stmatrix"];

/** @param {{state: import("../workspace/state.js").State, tile: import("../workspace/state.js").Tile, set: (key: string, value: string) => void}} props */
export function Wavefronts({ state, tile, set }) {
  const { threads = "", transfer = "ld", bits = "32" } = tile.options;
  const [answer, setAnswer] = useState(/** @type {Answer | undefined} */ (undefined));
  const question = threads
    ? `wavefronts(${tile.expression}, ${threads}, ${bits}${transfer === "ld" ? "" : `, ${transfer}`})`
    : "";
  const meaning = state.meaning(question);
  useEffect(() => {
    let isCurrent = true;
    if (question) {
      void state.engine.ask("answer", [question], `wavefronts ${tile.id}`).then((got) => {
        if (isCurrent && got !== SUPERSEDED) {
          setAnswer(got);
        }
      });
    } else {
      setAnswer(undefined);
    }
    return () => {
      isCurrent = false;
    };
  }, [question, meaning]);
  const free = /(\d+) without conflicts/.exec(answer?.notes?.[0] ?? "")?.[1];
  const isFree = free !== undefined && free === answer?.value;
  return h(
    "div",
    { class: "banks-bar" },
    answer?.value !== undefined &&
      h(
        "p",
        { class: `wavefronts ${isFree ? "good" : "bad"}` },
        h("strong", null, answer.value),
        h(
          "span",
          null,
          `${answer.value === "1" ? "wavefront" : "wavefronts"}${isFree ? ", no conflict" : free ? `, ${free} without conflicts` : ""}`,
        ),
      ),
    h(
      "div",
      { class: "tile-options" },
      text("lanes", "threads", threads, "32:1", set),
      text("bits", "bits", tile.options.bits ?? "", "32", set),
      h(
        "label",
        { class: "field" },
        h("span", null, "transfer"),
        h(
          "select",
          { value: transfer, onChange: (/** @type {any} */ event) => set("transfer", event.currentTarget.value) },
          TRANSFERS.map((name) => h("option", { value: name, key: name }, name)),
        ),
      ),
    ),
    answer?.error && h("p", { class: "wavefronts-note" }, answer.error.message),
    h(Access, { state, tag: tile.id, memory: tile.expression, threads, bits, transfer }),
    answer?.notes?.slice(1, 2).map((note) => h("p", { class: "wavefronts-note", key: note, title: note }, note)),
  );
}

/** @param {string} label @param {string} key @param {string} value @param {string} hint @param {(key: string, value: string) => void} set */
function text(label, key, value, hint, set) {
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h("input", {
      value,
      // All of it is seen.
      size: Math.min(Math.max(value.length, 6), 24),
      placeholder: hint,
      spellcheck: false,
      autocapitalize: "off",
      onChange: (/** @type {any} */ event) => set(key, event.currentTarget.value.trim()),
    }),
  );
}
