/** Starts the page: the engine, the workspace of the address or the first example, the colours, and the component that draws all. */
import sheets from "gallery";
import { spawnWorker } from "spawn";
import { Engine } from "./engine/client.js";
import { App } from "./ui/app.js";
import { effect, h, render, signal } from "./ui/dom.js";
import { tell } from "./ui/notice.js";
import { read, write } from "./ui/splitter.js";
import { decode, encode } from "./workspace/link.js";
import { State } from "./workspace/state.js";

/** How long a change must rest before it is in the address, in milliseconds. */
const REST = 500;

const engine = new Engine(spawnWorker);
const state = new State(engine);
const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = signal(read("theme"));
const isDark = signal(system.matches);

effect(() => {
  isDark.value = chosen.value === null ? system.matches : chosen.value === "dark";
});
system.addEventListener("change", () => {
  if (chosen.peek() === null) {
    isDark.value = system.matches;
  }
});
effect(() => {
  document.documentElement.dataset.theme = isDark.value ? "dark" : "light";
});

effect(() => {
  document.title = state.title.value ? `${state.title.value} · bitstride` : "bitstride: tensor layouts, live";
});

/** Opens what the address says; the first example where it says nothing. @param {boolean} isFirst */
async function openAddress(isFirst) {
  const fragment = location.hash;
  const example = sheets.find((sheet) => fragment === `#example-${sheet.slug}`);
  if (example) {
    state.open(example);
    return;
  }
  try {
    const workspace = fragment ? await decode(fragment) : undefined;
    if (workspace) {
      state.open(workspace);
      return;
    }
    if (fragment.length > 1) {
      tell("this link is of a version that this page does not know");
    }
  } catch {
    tell("this link is damaged: a part of it is missing");
  }
  if (isFirst) {
    state.open(sheets[0]);
  }
}

let written = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Addresses of more characters than this are for links only: browsers slow down with them. */
const MAX_ADDRESS = 65536;

/** Writes the workspace into the address, so that reloading keeps it. */
async function writeAddress() {
  const fragment = await encode(state.workspace());
  if (fragment !== location.hash && fragment.length <= MAX_ADDRESS) {
    written = fragment;
    history.replaceState(null, "", fragment);
  }
}

await openAddress(true);
void state.learn();

let opened = JSON.stringify(state.workspace());
effect(() => {
  void [state.text.value, state.tiles.value, state.pins.value, state.link.value];
  clearTimeout(timer);
  timer = setTimeout(() => {
    // An example keeps its short address until it is changed.
    if (JSON.stringify(state.workspace()) !== opened) {
      opened = "";
      void writeAddress();
    }
  }, REST);
});
addEventListener("hashchange", () => {
  if (location.hash !== written) {
    void openAddress(false).then(() => {
      opened = JSON.stringify(state.workspace());
    });
  }
});

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.textContent = "";
render(
  h(App, {
    state,
    sheets,
    isDark,
    toggleTheme: () => {
      chosen.value = isDark.peek() ? "dark" : "light";
      write("theme", /** @type {string} */ (chosen.peek()));
    },
  }),
  root,
);
