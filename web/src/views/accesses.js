/**
 * The scrubber of an access: one phase of one instruction, with the words that each bank has to give and the lanes that ask for them.
 * A phase takes as many wavefronts as its busiest bank has words.
 */
import { h, useEffect, useState } from "../ui/dom.js";
import { SUPERSEDED } from "../engine/client.js";

/** @typedef {{lane: number, address: string, banks: number[]}} Lane */
/** @typedef {{wavefronts: string, lanes: Lane[]}} Phase */
/** @typedef {{count: string, instructions: {wavefronts: string, phases: Phase[]}[]}} Accesses */

const BANKS = 32;
/** Bytes that the banks hold in a row. */
const ROW = 128n;

/** The words that each bank gives in a phase: banks of different rows are different words. @param {Phase} phase @returns {Set<string>[]} */
export function wordsOf(phase) {
  const words = Array.from({ length: BANKS }, () => /** @type {Set<string>} */ (new Set()));
  for (const { address, banks } of phase.lanes) {
    let row = BigInt(address) / ROW;
    banks.forEach((bank, at) => {
      // Banks of one lane go on from the last one to the first of the next row.
      if (at > 0 && bank < banks[at - 1]) {
        row += 1n;
      }
      words[bank % BANKS].add(String(row));
    });
  }
  return words;
}

/**
 * @param {{state: import("../workspace/state.js").State, tag: number, memory: string, threads: string, bits: string, transfer: string}} props
 */
export function Access({ state, tag, memory, threads, bits, transfer }) {
  const [access, setAccess] = useState(/** @type {Accesses | undefined} */ (undefined));
  const [at, setAt] = useState(0);
  const [bank, setBank] = useState(-1);
  const meaning = state.meaning(`${memory} ${threads}`);
  useEffect(() => {
    let isCurrent = true;
    if (threads) {
      void state.engine.ask("accesses", [memory, threads, bits, transfer], `access ${tag}`).then((got) => {
        if (isCurrent && got !== SUPERSEDED) {
          setAccess(got.instructions ? got : undefined);
        }
      });
    } else {
      setAccess(undefined);
    }
    return () => {
      isCurrent = false;
    };
  }, [memory, threads, bits, transfer, meaning]);
  const phases = (access?.instructions ?? []).flatMap(({ phases: all }, instruction) =>
    all.map((phase, number) => ({ phase, instruction, number })),
  );
  if (!access || phases.length === 0) {
    return null;
  }
  const shown = phases[Math.min(at, phases.length - 1)];
  const words = wordsOf(shown.phase);
  const most = Math.max(...words.map(({ size }) => size), 1);
  const asking = bank < 0 ? [] : shown.phase.lanes.filter(({ banks }) => banks.some((each) => each % BANKS === bank));
  return h(
    "div",
    { class: "access" },
    phases.length > 1 &&
      h(
        "label",
        { class: "field slider" },
        h("span", null, `instruction ${shown.instruction + 1} of ${access.count}, phase ${shown.number + 1}`),
        h("input", {
          type: "range",
          min: 0,
          max: phases.length - 1,
          value: Math.min(at, phases.length - 1),
          onInput: (/** @type {any} */ event) => setAt(Number(event.currentTarget.value)),
        }),
      ),
    h(
      "div",
      { class: "access-banks", role: "group", "aria-label": "words that each bank gives" },
      words.map(({ size }, number) =>
        h(
          "button",
          {
            type: "button",
            key: number,
            class: `${size > 1 ? "busy" : size === 1 ? "once" : ""} ${number === bank ? "on" : ""}`,
            style: { "--share": String(size / most) },
            title: `bank ${number}: ${size} ${size === 1 ? "word" : "words"}`,
            "aria-label": `bank ${number}: ${size} ${size === 1 ? "word" : "words"}`,
            "aria-pressed": number === bank,
            onClick: () => setBank(number === bank ? -1 : number),
          },
          size > 1 ? size : "",
        ),
      ),
    ),
    bank >= 0 &&
      h(
        "p",
        { class: "wavefronts-note", "aria-live": "polite" },
        asking.length
          ? `bank ${bank}: ${asking.map(({ lane, address }) => `lane ${lane} at ${address}`).join(", ")}`
          : `no lane asks bank ${bank}`,
      ),
  );
}
