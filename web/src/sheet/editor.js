/**
 * The sheet's editor: CodeMirror in a shadow root, whose style sheets are constructed, so that the page needs no inline style.
 * It is loaded after the first paint; until then a text area takes what is typed.
 */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, placeholder } from "@codemirror/view";
import { effect } from "@preact/signals";
import { answers, setAnswers } from "./answers.js";
import { completion, hover } from "./complete.js";
import { highlighting } from "./language.js";
import { fromDump } from "./paste.js";
import { editorTheme } from "./theme.js";

/** @typedef {import("../workspace/state.js").State} State */
/** @typedef {{view: EditorView, replace: (from: number, to: number, text: string) => void, destroy: () => void}} Editor */

/**
 * @param {HTMLElement} host
 * @param {State} state
 * @param {{draw: (line: import("../protocol.js").Line) => void, copy: (text: string) => void}} actions
 * @returns {Editor}
 */
export function mountEditor(host, state, actions) {
  const root = host.attachShadow({ mode: "open" });
  const isDrawn = (/** @type {import("../protocol.js").Line} */ line) => {
    const own = line.name ?? line.expression;
    return state.tiles.peek().some((tile) => tile.expression === own);
  };
  const replace = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ text) => {
    view.dispatch({ changes: { from, to: Math.min(to, view.state.doc.length), insert: text } });
    view.focus();
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: state.text.peek(),
      selection: { anchor: lineStart(state.text.peek(), state.current.peek()) },
      extensions: [
        EditorState.lineSeparator.of("\n"),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        EditorView.clipboardInputFilter.of(fromDump),
        highlighting,
        completion(state),
        hover(state),
        answers({ ...actions, isDrawn, replace }),
        editorTheme,
        placeholder("a = (4,8):(8,1)"),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "sheet: one line a name and an expression", spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            state.text.value = update.state.doc.toString().toWellFormed();
          }
          if (update.docChanged || update.selectionSet) {
            const { head } = update.state.selection.main;
            state.current.value = update.state.doc.lineAt(head).number - 1;
          }
        }),
      ],
    }),
  });
  const stopText = effect(() => {
    const text = state.text.value;
    if (text !== view.state.doc.toString().toWellFormed()) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: lineStart(text, state.current.peek()) },
      });
    }
  });
  const stopAnswers = effect(() => {
    const [lines, text] = [state.lines.value, state.answered.value];
    const drawn = state.tiles.value.map((tile) => tile.expression).join("\n");
    const refusal = state.refusal.value?.message ?? "";
    view.dispatch({ effects: setAnswers.of({ lines, text: refusal ? state.text.peek() : text, drawn, refusal }) });
    host.dataset.answered = String(performance.now());
  });
  return {
    view,
    replace,
    destroy: () => {
      stopText();
      stopAnswers();
      view.destroy();
    },
  };
}

/** Where a line of a text begins. @param {string} text @param {number} line from 0 */
function lineStart(text, line) {
  const before = text.split("\n").slice(0, line);
  return Math.min(
    before.reduce((sum, each) => sum + each.length + 1, 0),
    text.length,
  );
}
