/** The colours of the sheet's text: a tokeniser of names, numbers, operators and comments. It decides nothing about meaning. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const language = StreamLanguage.define({
  name: "bitstride",
  startState: () => ({ isStart: true }),
  token(stream, state) {
    if (stream.sol()) {
      state.isStart = true;
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (state.isStart && stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (state.isStart && stream.match(/^[#A-Za-z_][\w.]*(?=\s*=[^=])/)) {
      state.isStart = false;
      return "definition";
    }
    state.isStart = false;
    if (stream.match(/^[#!][A-Za-z_][\w.]*/)) {
      return "typeName";
    }
    if (stream.match(/^[A-Za-z_]\w*(?=\s*[(<])/)) {
      return "function";
    }
    if (stream.match(/^_?\d+/)) {
      return "number";
    }
    if (stream.match(/^[A-Za-z_]\w*/)) {
      return "variableName";
    }
    if (stream.match(/^"[^"]*"?/)) {
      return "string";
    }
    stream.next();
    return "punctuation";
  },
  tokenTable: { definition: tags.definition(tags.variableName), function: tags.function(tags.variableName) },
});

const style = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-faint)", fontStyle: "italic" },
  { tag: tags.definition(tags.variableName), color: "var(--accent)", fontWeight: "600" },
  { tag: tags.function(tags.variableName), color: "var(--code-call)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.typeName, color: "var(--code-type)" },
  { tag: tags.string, color: "var(--code-type)" },
  { tag: tags.variableName, color: "var(--ink)" },
  { tag: tags.punctuation, color: "var(--code-mark)" },
]);

export const highlighting = [language, syntaxHighlighting(style)];
