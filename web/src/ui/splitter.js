/** A bar between two panes that is dragged, or moved by arrow keys. */
import { h, useEffect, useState } from "./dom.js";

/** @param {{name: string, label: string, least: number, most: number, start: number, side: "left" | "right"}} props */
export function Splitter({ name, label, least, most, start, side }) {
  const [width, setWidth] = useState(Number(read(name)) || start);
  const set = (/** @type {number} */ wanted) => setWidth(Math.round(Math.min(most, Math.max(least, wanted))));
  useEffect(() => {
    document.documentElement.style.setProperty(name, `${width}px`);
    write(name, String(width));
  }, [width]);
  return h("div", {
    class: "splitter",
    role: "separator",
    "aria-orientation": "vertical",
    "aria-label": label,
    "aria-valuemin": least,
    "aria-valuemax": most,
    "aria-valuenow": width,
    tabIndex: 0,
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
      if (step) {
        event.preventDefault();
        set(width + (side === "left" ? step : -step));
      }
    },
    onPointerDown: (/** @type {PointerEvent} */ event) => {
      const bar = /** @type {HTMLElement} */ (event.currentTarget);
      bar.setPointerCapture(event.pointerId);
      const from = event.clientX;
      bar.onpointermove = (move) => set(width + (side === "left" ? move.clientX - from : from - move.clientX));
      bar.onpointerup = () => {
        bar.onpointermove = null;
      };
    },
    onDblClick: () => set(start),
  });
}

/** @param {string} key */
export function read(key) {
  try {
    return localStorage.getItem(`bitstride ${key}`);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function write(key, value) {
  try {
    localStorage.setItem(`bitstride ${key}`, value);
  } catch {
    // A page from a file has no storage in some browsers: the choice lasts as long as the page.
  }
}
