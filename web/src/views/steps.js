/** The player of the steps view: each frame is a step of the explanation, drawn by itself. */
import { h, useEffect, useState } from "../ui/dom.js";
import { Icon } from "../ui/icons.js";
import { SUPERSEDED } from "../engine/client.js";

/** Milliseconds a frame stays while it plays. */
const PACE = 1800;

/** @param {{state: import("../workspace/state.js").State, tile: import("../workspace/state.js").Tile, frame: import("@preact/signals").Signal<string | undefined>, set: (key: string, value: string) => void}} props */
export function Steps({ state, tile, frame, set }) {
  const [steps, setSteps] = useState(/** @type {import("../protocol.js").Step[]} */ ([]));
  const [isPlaying, setPlaying] = useState(false);
  // A name is explained by what its line says, not by its value.
  const explained = state.lines.value.find(({ name }) => name === tile.expression)?.expression ?? tile.expression;
  const meaning = state.meaning(explained);
  useEffect(() => {
    let isCurrent = true;
    void state.engine.ask("explain", [explained], `steps ${tile.id}`).then((answer) => {
      if (isCurrent && answer !== SUPERSEDED) {
        setSteps(answer.steps ?? []);
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [explained, meaning]);
  const last = Math.max(0, steps.length - 1);
  const at = Math.min(last, Number(tile.options.step ?? 0));
  const step = steps[at];
  useEffect(() => {
    frame.value = step?.expression;
  }, [step?.expression]);
  useEffect(() => {
    if (!isPlaying) {
      return undefined;
    }
    const timer = setTimeout(() => {
      if (at < last) {
        set("step", String(at + 1));
      } else {
        setPlaying(false);
      }
    }, PACE);
    return () => clearTimeout(timer);
  }, [isPlaying, at, last]);
  const go = (/** @type {number} */ to) => set("step", String(Math.max(0, Math.min(last, to))));
  return h(
    "div",
    { class: "steps-bar" },
    h(
      "div",
      { class: "steps-keys" },
      key("step back", "back", () => go(at - 1)),
      key(isPlaying ? "pause" : "play", isPlaying ? "pause" : "play", () => {
        if (!isPlaying && at === last) {
          go(0);
        }
        setPlaying(!isPlaying);
      }),
      key("step forward", "forward", () => go(at + 1)),
      h("input", {
        type: "range",
        "aria-label": "step",
        min: 0,
        max: last,
        value: at,
        onInput: (/** @type {any} */ event) => go(Number(event.currentTarget.value)),
      }),
      h("span", { class: "steps-count" }, steps.length ? `${at + 1} of ${steps.length}` : "no steps"),
    ),
    step &&
      h(
        "p",
        { class: "steps-rule", tabIndex: 0 },
        step.rule,
        h("code", null, `${step.expression} = ${step.value}`),
      ),
  );
}

/** @param {string} title @param {"back" | "play" | "pause" | "forward"} name @param {() => void} act */
function key(title, name, act) {
  return h("button", { type: "button", class: "button icon-only", title, "aria-label": title, onClick: act }, h(Icon, { name }));
}
