/** Completion and hover, from the table of operations and the names of the sheet. */
import { autocompletion, snippetCompletion } from "@codemirror/autocomplete";
import { hoverTooltip } from "@codemirror/view";

/** @typedef {import("../protocol.js").Operation} Operation */
/** @typedef {import("../workspace/state.js").State} State */

/** @param {State} state */
export function completion(state) {
  return autocompletion({
    icons: false,
    activateOnTyping: true,
    override: [
      (context) => {
        const word = context.matchBefore(/[A-Za-z_]\w*/);
        if (!word || (word.from === word.to && !context.explicit)) {
          return null;
        }
        const line = context.state.doc.lineAt(context.pos);
        if (line.text.trimStart().startsWith("//")) {
          return null;
        }
        const names = state.lines
          .peek()
          .filter((each) => each.name && !each.name.startsWith("#") && each.name !== word.text)
          .map((each) => ({
            label: /** @type {string} */ (each.name),
            type: "variable",
            detail: each.value?.slice(0, 40) ?? "refused",
            boost: 20,
          }));
        const operations = state.operations.peek().map((operation) => {
          const fields = operation.parameters
            .filter((parameter) => parameter.presence !== "optional")
            .map((parameter) => `\${${parameter.name.replace(/[^\w ]/g, "")}}`);
          return snippetCompletion(`${operation.name}(${fields.join(", ")})`, {
            label: operation.name,
            type: "function",
            info: () => card(operation),
          });
        });
        return { from: word.from, options: [...names, ...operations], validFor: /^\w*$/ };
      },
    ],
  });
}

/** @param {Operation} operation */
function card(operation) {
  const root = document.createElement("div");
  root.className = "operation-card";
  const add = (/** @type {string} */ tag, /** @type {string} */ text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    root.append(element);
  };
  add("code", operation.signature);
  if (operation.statement) {
    add("p", operation.statement);
  }
  if (operation.law && operation.law !== operation.statement) {
    add("p", operation.law);
  }
  for (const parameter of operation.parameters) {
    add("small", `${parameter.name}: ${parameter.meaning}`);
  }
  add("code", operation.example);
  return root;
}

/** A call of more letters than this is not answered by the pointer. */
const MAX_CALL = 2000;

/** The call with which a text begins, to its closing bracket. @param {string} text @returns {string | undefined} */
export function callAt(text) {
  const open = /^\w+\(/.exec(text);
  let depth = 0;
  for (let at = open ? open[0].length - 1 : text.length; at < text.length; at += 1) {
    depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
    if (depth === 0) {
      return text.slice(0, at + 1);
    }
  }
  return undefined;
}

/** @param {State} state */
export function hover(state) {
  return hoverTooltip(async (view, position) => {
    const line = view.state.doc.lineAt(position);
    const words = [...line.text.matchAll(/[A-Za-z_]\w*/g)];
    const at = position - line.from;
    const match = words.find((word) => word.index <= at && at <= word.index + word[0].length);
    if (!match) {
      return null;
    }
    const [word] = match;
    const operation = state.operations.peek().find((each) => each.name === word);
    const bound = state.lineOf(word);
    if (!operation && !bound) {
      return null;
    }
    const from = line.from + match.index;
    const call = operation && callAt(view.state.doc.sliceString(from, from + MAX_CALL));
    const answer = call && (await state.engine.ask("answer", [call], "hover"));
    return {
      pos: line.from + match.index,
      end: line.from + match.index + word.length,
      above: true,
      create: () => {
        if (operation) {
          const dom = card(operation);
          const value = answer?.value ?? answer?.error?.message;
          if (value) {
            const code = document.createElement("code");
            code.className = "operation-value";
            code.textContent = `${call} = ${value}`.slice(0, 400);
            dom.prepend(code);
          }
          return { dom };
        }
        const dom = document.createElement("div");
        dom.className = "operation-card";
        const code = document.createElement("code");
        code.textContent = `${word} = ${bound?.value ?? bound?.error?.message ?? ""}`.slice(0, 400);
        dom.append(code);
        return { dom };
      },
    };
  });
}
