/** Begins the page in one file: its script is in it, packed. */
import { embedded, unpack } from "./engine/embedded.js";

const script = new TextDecoder().decode(unpack(embedded("page-script")));
document.body.append(Object.assign(document.createElement("script"), { type: "module", textContent: script }));
