/** Icons as paths of 16 x 16, drawn with the colour of the text. */
import { h } from "./dom.js";

const PATHS = {
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  close: "M4 4l8 8M12 4l-8 8",
  options: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11M5 3v3M11 6.5v3M7 10v3",
  save: "M8 2.5v7.5M5 7.5l3 3 3-3M3 13h10",
  link: "M6.5 9.5l3-3M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.300 8.800M9 11.500l-1.300 1.300a3 3 0 0 1-4.300-4.300L4.700 7.200",
  eye: "M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  copy: "M5.500 5.500h7v7h-7zM3.500 10.500v-7h7",
  play: "M5 3.500v9l7-4.500z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  back: "M10 3.500L5.500 8l4.500 4.500",
  forward: "M6 3.500L10.500 8 6 12.500",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z",
  down: "M4 6.500l4 4 4-4",
  book: "M8 4C6.500 3 4.500 2.800 2.500 3v9.500c2-.2 4 0 5.500 1 1.500-1 3.500-1.200 5.500-1V3c-2-.2-4 0-5.500 1zM8 4v9.500",
  help: "M6 6a2 2 0 1 1 3 1.700c-.7.400-1 .8-1 1.600M8 11.800v.2",
  pin: "M8 14s4.500-4.200 4.500-7.500a4.500 4.500 0 0 0-9 0C3.500 9.800 8 14 8 14zM8 8a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
};

/** @param {{name: keyof typeof PATHS}} props */
export function Icon({ name }) {
  return h(
    "svg",
    {
      class: "icon",
      viewBox: "0 0 16 16",
      width: 16,
      height: 16,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 1.4,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
      "aria-hidden": "true",
    },
    h("path", { d: PATHS[name] }),
  );
}
