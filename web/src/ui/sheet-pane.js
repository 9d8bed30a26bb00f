/** The sheet: a text area at first, the editor as soon as it is loaded. */
import { h, useEffect, useRef, useState } from "./dom.js";
import { copy } from "./notice.js";

/**
 * @param {{state: import("../workspace/state.js").State, draw: (line: import("../protocol.js").Line) => void,
 *   mounted: (replace: (from: number, to: number, text: string) => void) => void}} props
 */
export function SheetPane({ state, draw, mounted }) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    /** @type {import("../sheet/editor.js").Editor | undefined} */
    let editor;
    let isGone = false;
    void import("../sheet/editor.js").then(({ mountEditor }) => {
      if (isGone || !host.current) {
        return;
      }
      const hadFocus = document.activeElement === area.current;
      editor = mountEditor(host.current, state, { draw, copy: (text) => void copy(text, "text") });
      mounted(editor.replace);
      setLoaded(true);
      if (hadFocus) {
        editor.view.focus();
      }
    });
    return () => {
      isGone = true;
      editor?.destroy();
    };
  }, []);
  return h(
    "div",
    { class: "sheet-host" },
    h("div", { class: "editor", ref: host }),
    !isLoaded &&
      h("textarea", {
        class: "plain-sheet",
        ref: area,
        "aria-label": "sheet: one line a name and an expression",
        spellcheck: false,
        value: state.text.value,
        onInput: (/** @type {any} */ event) => {
          state.text.value = event.currentTarget.value.toWellFormed();
        },
      }),
  );
}
