/**
 * The cursor line: one element followed through every layout of the sheet. It is the text for screen readers too. Pinned elements
 * are rows of a table below it.
 */
import { h, useEffect, useState } from "./dom.js";
import { Icon } from "./icons.js";
import { SUPERSEDED } from "../engine/client.js";
import { compositions, related } from "../workspace/relations.js";

/** @typedef {import("../workspace/state.js").State} State */
/** @typedef {import("../protocol.js").Place} Place */

/** Whether there is no pointer that can point without pressing. */
const isTouch = matchMedia("(hover: none)").matches;

/** At most this many layouts are followed. */
const MOST = 8;

/**
 * The places of an element in every layout that the sheet binds; a layout whose elements are places of another takes that place.
 * @param {State} state @param {string} from the expression that the element is of @param {bigint} element @param {bigint | undefined} place @param {string} key @param {string} [kind]
 * @returns {Promise<Place[] | undefined>}
 */
async function follow(state, from, element, place, key, kind = "") {
  const lines = state.lines.peek();
  const all = lines.filter((line) => line.name && line.view && line.view !== "words" && line.kind !== "int" && !line.error && !line.name.startsWith("#"));
  const names = all.map((line) => /** @type {string} */ (line.name)).slice(0, MOST);
  const outer = new Set(compositions(lines).map((each) => each.outer));
  const isOuter = outer.has(from);
  // A picture of threads and values is the layout turned round: its place is the element of the layout.
  const isTurned = kind === "tv" && place !== undefined;
  const same = names.filter((name) => (isOuter ? name === from : !outer.has(name) && !(isTurned && name === from)));
  const answer = await state.engine.ask("chain", [String(element), JSON.stringify(same)], key);
  if (answer === SUPERSEDED || !answer.places) {
    return undefined;
  }
  /** @type {Place[]} */
  const places = answer.places;
  if (isTurned && names.includes(from)) {
    const turned = await state.engine.ask("chain", [String(place), JSON.stringify([from])], `${key} turned`);
    if (turned === SUPERSEDED) {
      return undefined;
    }
    places.unshift(...(turned.places ?? []));
  }
  for (const name of names) {
    const inner = compositions(lines).find((each) => each.outer === name)?.inner;
    const step = inner === undefined ? undefined : places.find((each) => each.name === inner);
    const next = name === from ? undefined : (step?.place ?? (related(lines, { expression: from }, { expression: name }) === "place to element" ? place : undefined));
    if (!isOuter && outer.has(name) && next !== undefined && /^\d+$/.test(String(next))) {
      const more = await state.engine.ask("chain", [String(next), JSON.stringify([name])], `${key} ${name}`);
      if (more === SUPERSEDED) {
        return undefined;
      }
      places.push(...(more.places ?? []));
    }
  }
  return places;
}

/** @param {{state: State}} props */
export function CursorLine({ state }) {
  const cursor = state.cursor.value;
  const pins = state.pins.value;
  const lines = state.lines.value;
  const [places, setPlaces] = useState(/** @type {Place[]} */ ([]));
  const [pinned, setPinned] = useState(/** @type {Place[][]} */ ([]));
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    if (cursor && cursor.element >= 0n) {
      void follow(state, cursor.expression, cursor.element, cursor.place, "cursor", cursor.kind).then((got) => {
        if (isCurrent && got) {
          setPlaces(got);
        }
      });
    }
    return () => {
      isCurrent = false;
    };
  }, [cursor, lines]);
  useEffect(() => {
    let isCurrent = true;
    void Promise.all(pins.map((pin) => follow(state, "", BigInt(pin), undefined, `pin ${pin}`))).then((rows) => {
      if (isCurrent && rows.every((row) => row !== undefined)) {
        setPinned(/** @type {Place[][]} */ (rows));
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [pins, lines]);
  const held = places.filter((place) => !place.error);
  return h(
    "section",
    { class: "cursor", "aria-label": "cursor" },
    h(
      "div",
      { class: "cursor-line", "aria-live": "polite" },
      cursor === undefined
        ? h("span", { class: "quiet" }, isTouch ? "Tap a cell to follow its element." : "Point at a cell, or press Tab to a picture and use the arrow keys.")
        : cursor.element < 0n
          ? h("span", null, "padding: no element lies here")
          : [
              h("b", { key: "element" }, `element ${cursor.element}`),
              ...held.map((place) =>
                h(
                  "span",
                  { class: "hop", key: place.name },
                  h("i", null, place.name),
                  place.coordinate && h("span", { class: "hop-coordinate" }, place.coordinate),
                  h("span", { class: "hop-place" }, placeText(place)),
                  place.bank !== undefined && h("span", { class: "hop-bank" }, `bank ${place.bank}`),
                ),
              ),
            ],
    ),
    h(
      "div",
      { class: "cursor-side" },
      h(
        "label",
        { class: "chip" },
        "linked by",
        h(
          "select",
          {
            value: state.link.value,
            title: "what a cell lights in the other pictures",
            onChange: (/** @type {any} */ event) => {
              state.link.value = event.currentTarget.value;
            },
          },
          ["element", "place", "thread"].map((link) => h("option", { value: link, key: link }, link)),
        ),
      ),
      pins.length > 0 &&
        h(
          "button",
          { type: "button", class: "chip", "aria-expanded": isOpen, onClick: () => setOpen(!isOpen) },
          h(Icon, { name: "pin" }),
          `${pins.length} pinned`,
        ),
      pins.length > 0 &&
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-label": "take all pins away",
            title: "take all pins away",
            onClick: () => {
              state.pins.value = [];
            },
          },
          h(Icon, { name: "close" }),
        ),
    ),
    isOpen && pins.length > 0 && h(PinTable, { pins, rows: pinned }),
  );
}

/** @param {Place} place */
function placeText({ place, axes }) {
  if (axes && Object.keys(axes).length) {
    return Object.entries(axes)
      .filter(([name, value]) => value !== "0" || !/^(warp|block)$/.test(name))
      .map(([name, value]) => `${name} ${value}`)
      .join(" ");
  }
  return place ?? "";
}

/** @param {{pins: string[], rows: Place[][]}} props */
function PinTable({ pins, rows }) {
  const names = [...new Set(rows.flat().map((place) => place.name))];
  return h(
    "div",
    { class: "pin-table" },
    h(
      "table",
      null,
      h("caption", null, "pinned elements and where each layout puts them"),
      h(
        "thead",
        null,
        h("tr", null, h("th", { scope: "col" }, "pin"), h("th", { scope: "col" }, "element"), names.map((name) => h("th", { scope: "col", key: name }, name))),
      ),
      h(
        "tbody",
        null,
        pins.map((pin, number) =>
          h(
            "tr",
            { key: pin },
            h("th", { scope: "row" }, number + 1),
            h("td", null, pin),
            names.map((name) => {
              const place = rows[number]?.find((each) => each.name === name);
              return h("td", { key: name }, place && !place.error ? `${place.coordinate ?? ""} ${placeText(place)}` : "–");
            }),
          ),
        ),
      ),
    ),
  );
}
