/** A button with a list of actions, by mouse and keyboard. */
import { h, useEffect, useRef, useState } from "./dom.js";

/**
 * @param {{label: any, title: string, items: {text: string, hint?: string, act: () => void}[], align?: "left" | "right", class?: string}} props
 */
export function Menu({ label, title, items, align = "right", class: name = "" }) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    const away = (/** @type {Event} */ event) => {
      if (!root.current?.contains(/** @type {Node} */ (event.target))) {
        setOpen(false);
      }
    };
    document.addEventListener("pointerdown", away, true);
    /** @type {HTMLElement | null | undefined} */ (root.current?.querySelector("[role=menuitem]"))?.focus();
    return () => document.removeEventListener("pointerdown", away, true);
  }, [isOpen]);
  const step = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && isOpen) {
      setOpen(false);
      event.stopPropagation();
      /** @type {HTMLElement | null | undefined} */ (root.current?.querySelector("button"))?.focus();
    }
    const list = [...(root.current?.querySelectorAll("[role=menuitem]") ?? [])];
    const at = list.indexOf(/** @type {Element} */ (document.activeElement));
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isOpen && move && list.length) {
      event.preventDefault();
      /** @type {HTMLElement} */ (list[(at + move + list.length) % list.length]).focus();
    }
  };
  return h(
    "div",
    { class: `menu ${name}`, ref: root, onKeyDown: step },
    h(
      "button",
      {
        type: "button",
        class: "button",
        title,
        "aria-label": title,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        onClick: () => setOpen(!isOpen),
      },
      label,
    ),
    isOpen &&
      h(
        "div",
        { class: `menu-list ${align}`, role: "menu", "aria-label": title },
        items.map(({ text, hint, act }) =>
          h(
            "button",
            {
              type: "button",
              role: "menuitem",
              key: text,
              onClick: () => {
                setOpen(false);
                act();
              },
            },
            h("span", null, text),
            hint && h("span", { class: "hint" }, hint),
          ),
        ),
      ),
  );
}
