/**
 * A colouring: for each cell of a picture the number of an entry of a small table of fills and inks. The table depends on the theme, the
 * numbers on what the reader colours by.
 */
import { contrast } from "./colours.js";
import { NO_PLACE, keyOf } from "./picture.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {{fill: string, ink: string, isHatched?: boolean}} Paint */
/** @typedef {{paints: Paint[], codes: Uint16Array}} Colouring */

/** What cells can be coloured by, beside what the engine's pictures do. */
export const COLOURS = Object.freeze({
  drawn: "as drawn",
  place: "place",
  element: "element",
  bank: "bank (32 words)",
  none: "nothing",
});

const RAMP = 64;
const MUTED = -2;
const EMPTY = -4;

/**
 * @param {Picture} picture
 * @param {string} by a key of {@link COLOURS}
 * @param {Theme} theme
 * @param {Picture} [other] a picture whose colours its elements keep here
 * @returns {Colouring}
 */
export function colouring(picture, by, theme, other) {
  const { fills } = picture.model;
  const paints = paintsOf(theme);
  const codes = new Uint16Array(fills.length);
  const numbers = by === "element" ? picture.model.elements : picture.model.places;
  const isPlain = fills.every((fill) => fill === -1 || fill === EMPTY);
  const ramp = by === "place" || by === "element" || (by === "drawn" && isPlain && !other);
  const scale = ramp ? scaleOf(numbers, picture.model.elements) : undefined;
  const taken = other ? fillsByElement(other) : undefined;
  for (let cell = 0; cell < fills.length; cell += 1) {
    const fill = fills[cell];
    const element = picture.model.elements[cell];
    if (fill === EMPTY) {
      codes[cell] = 3;
    } else if (taken) {
      const code = taken.get(keyOf(element));
      codes[cell] = code === undefined || code < 0 ? 0 : 4 + RAMP + (code % 24);
    } else if (scale && element !== -1n && numbers[cell] !== NO_PLACE) {
      codes[cell] = 4 + scale(numbers[cell]);
    } else if (by === "bank" && element !== -1n && numbers[cell] !== NO_PLACE) {
      codes[cell] = 4 + RAMP + (Number(BigInt.asUintN(5, numbers[cell])) % 24);
    } else if (by === "none" || fill === -1) {
      codes[cell] = 0;
    } else if (fill < 0) {
      codes[cell] = fill === MUTED ? 1 : 2;
    } else {
      codes[cell] = 4 + RAMP + (fill % 24);
    }
  }
  return { paints, codes };
}

/** @param {Theme} theme @returns {Paint[]} */
function paintsOf(theme) {
  const paint = (/** @type {string} */ fill) => ({ fill, ink: theme.ink });
  const base = [
    paint(theme.plain),
    { fill: theme.muted, ink: theme.mutedInk },
    { fill: theme.marked, ink: theme.markedInk },
    { fill: theme.empty, ink: theme.mutedInk, isHatched: true },
  ];
  return [...base, ...rampOf(theme).map(paint), ...theme.groups.map(paint)];
}

/** A sequence from pale to deep in one hue range, on which the ink of the theme stays readable. @param {Theme} theme */
function rampOf(theme) {
  const isDark = contrast(theme.ink, "#000000") > 10;
  return Array.from({ length: RAMP }, (_, step) => {
    const t = step / (RAMP - 1);
    return isDark
      ? mix(["#20262f", "#1f4563", "#215f7d", "#28708c"], t)
      : mix(["#f7f6ef", "#cfe6ea", "#9ecbe0", "#86aee2"], t);
  });
}

/** @param {string[]} stops @param {number} t */
function mix(stops, t) {
  const at = Math.min(stops.length - 2, Math.floor(t * (stops.length - 1)));
  const part = t * (stops.length - 1) - at;
  const channel = (/** @type {string} */ hex, /** @type {number} */ from) => Number.parseInt(hex.slice(from, from + 2), 16);
  const blend = [1, 3, 5].map((from) =>
    Math.round(channel(stops[at], from) * (1 - part) + channel(stops[at + 1], from) * part)
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${blend.join("")}`;
}

/** From a number to a step of the ramp. @param {BigInt64Array} numbers @param {BigInt64Array} elements */
function scaleOf(numbers, elements) {
  let least;
  let most;
  for (let cell = 0; cell < numbers.length; cell += 1) {
    if (elements[cell] === -1n || numbers[cell] === NO_PLACE) {
      continue;
    }
    const number = numbers[cell];
    least = least === undefined || number < least ? number : least;
    most = most === undefined || number > most ? number : most;
  }
  if (least === undefined || most === undefined || least === most) {
    return () => 0;
  }
  const [from, span] = [Number(least), Number(most - least)];
  return (/** @type {bigint} */ number) =>
    Math.max(0, Math.min(RAMP - 1, Math.round(((Number(number) - from) / span) * (RAMP - 1))));
}

/** @param {Picture} picture */
function fillsByElement(picture) {
  /** @type {Map<number | bigint, number>} */
  const fills = new Map();
  picture.model.elements.forEach((element, cell) => {
    if (element !== -1n) {
      fills.set(keyOf(element), picture.model.fills[cell]);
    }
  });
  return fills;
}
