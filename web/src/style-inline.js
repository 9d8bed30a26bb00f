/** The style of the page in one file: a text of the page's script, which packs better than a file of its own. */
import style from "page-style";

document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
