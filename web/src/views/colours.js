/**
 * The colours of cells in both themes. The engine's palette is light, for black text; in the dark theme each colour keeps its hue and
 * becomes dark, for light text. Contrast of text and fill is at least 4.5 in both (tests/colours.test.js).
 */

/** @typedef {{groups: string[], plain: string, muted: string, marked: string, empty: string, ink: string, mutedInk: string, line: string,
 *   strong: string, hatch: string, head: string, paper: string, cursor: string, pin: string, place: string, markedInk: string}} Theme */

/** @param {string} hex @returns {[number, number, number]} in 0 to 1, linear */
function linearOf(hex) {
  const part = (/** @type {number} */ at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** @param {number[]} rgb linear */
function hexOf(rgb) {
  return `#${rgb
    .map((c) => {
      const clipped = Math.min(1, Math.max(0, c));
      const s = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
      return Math.round(s * 255)
        .toString(16)
        .padStart(2, "0");
    })
    .join("")}`;
}

/** A colour as OKLab: lightness and two axes. @param {string} hex */
function oklab(hex) {
  const [r, g, b] = linearOf(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  };
}

/** @param {{l: number, a: number, b: number}} lab */
function fromOklab({ l: lightness, a, b }) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hexOf([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

/** The same hue for light text: lightness between 0.33 and 0.46, a little more colour. @param {string} hex */
export function darkened(hex) {
  const { l, a, b } = oklab(hex);
  const chroma = Math.hypot(a, b);
  const factor = chroma > 0 ? Math.min(1.15, 0.11 / chroma) : 1;
  return fromOklab({ l: 0.37 + (l - 0.74) * 0.42, a: a * factor, b: b * factor });
}

/** Contrast ratio of two colours, as the Web Content Accessibility Guidelines define it. @param {string} one @param {string} other */
export function contrast(one, other) {
  const luminance = (/** @type {string} */ hex) => {
    const [r, g, b] = linearOf(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** @param {string[]} groups the colours of the engine's groups @param {boolean} isDark @returns {Theme} */
export function theme(groups, isDark) {
  if (isDark) {
    return {
      groups: groups.map(darkened),
      plain: "#1d2128",
      muted: "#191c22",
      marked: "#f0b429",
      empty: "#14161b",
      ink: "#eef1f6",
      mutedInk: "#9aa3b2",
      markedInk: "#1a1405",
      line: "rgba(255,255,255,0.13)",
      strong: "#8b95a7",
      hatch: "#39404c",
      head: "#9aa3b2",
      paper: "#14161b",
      cursor: "#ffffff",
      pin: "#ffb020",
      place: "#63d2ff",
    };
  }
  return {
    groups,
    plain: "#ffffff",
    muted: "#fafafa",
    marked: "#ffc400",
    empty: "#f6f6f4",
    ink: "#12151a",
    mutedInk: "#5a616c",
    markedInk: "#12151a",
    line: "rgba(20,26,40,0.16)",
    strong: "#3a4252",
    hatch: "#c6c8c6",
    head: "#5a616c",
    paper: "#ffffff",
    cursor: "#0b0d12",
    pin: "#b45309",
    place: "#0369a1",
  };
}
