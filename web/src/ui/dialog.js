/** A modal dialog of the browser: it keeps the focus, closes with Escape, and gives the focus back. */
import { h, useEffect, useRef } from "./dom.js";
import { Icon } from "./icons.js";

/** @param {{title: string, class?: string, close: () => void, children?: any}} props */
export function Dialog({ title, class: name = "", close, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return h(
    "dialog",
    {
      class: `dialog ${name}`,
      ref: element,
      "aria-label": title,
      onClose: close,
      onClick: (/** @type {MouseEvent} */ event) => {
        if (event.target === element.current) {
          element.current?.close();
        }
      },
    },
    h(
      "header",
      { class: "dialog-head" },
      h("h2", null, title),
      h(
        "button",
        { type: "button", class: "button icon-only", "aria-label": "close", onClick: () => element.current?.close() },
        h(Icon, { name: "close" }),
      ),
    ),
    h("div", { class: "dialog-body", tabIndex: 0 }, children),
  );
}
