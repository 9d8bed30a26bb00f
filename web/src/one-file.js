/** Begins the page in one file: its style and its script are in it, packed. */
import { embedded, unpack } from "./engine/embedded.js";

const text = (/** @type {string} */ id) => new TextDecoder().decode(unpack(embedded(id)));

document.head.append(Object.assign(document.createElement("style"), { textContent: text("page-style") }));
document.body.append(Object.assign(document.createElement("script"), { type: "module", textContent: text("page-script") }));
