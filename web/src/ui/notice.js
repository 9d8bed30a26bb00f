/** Short messages at the foot of the page, read out by screen readers. */
import { h, signal } from "./dom.js";

export const notice = signal("");
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} text */
export function tell(text) {
  notice.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = "";
  }, 4000);
}

/** Copies a text and says so. @param {string} text @param {string} what */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied`);
  } catch {
    tell(`${what} could not be copied: the browser refused`);
  }
}

export function Notice() {
  return h("div", { class: `notice ${notice.value ? "shown" : ""}`, role: "status" }, notice.value);
}
