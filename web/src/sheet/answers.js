/**
 * The answers under the lines: a widget a line with the value, folded notes and a button that draws; or the refusal, with the place it is about,
 * the numbers, and repairs as buttons. All text is set as text: nothing that a user types becomes markup.
 */
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

/** @typedef {import("../protocol.js").Line} Line */

/**
 * @typedef {object} Actions
 * @property {(line: Line) => void} draw
 * @property {(line: Line) => boolean} isDrawn
 * @property {(from: number, to: number, text: string) => void} replace
 * @property {(text: string) => void} copy
 */

/** Values of more letters than this are cut in the sheet; the Why panel has all of them. */
const MAX_VALUE = 600;

/** @type {import("@codemirror/state").StateEffectType<{lines: Line[], text: string, drawn: string, refusal: string}>} */
export const setAnswers = StateEffect.define();

/** @param {string} tag @param {string} name @param {string} [text] */
function make(tag, name, text) {
  const element = document.createElement(tag);
  element.className = name;
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

class AnswerWidget extends WidgetType {
  /** @param {Line} line @param {boolean} isDrawn @param {Actions} actions */
  constructor(line, isDrawn, actions) {
    super();
    this.line = line;
    this.isDrawn = isDrawn;
    this.actions = actions;
    this.identity = JSON.stringify([line.value, line.error, line.notes, line.unknowns, line.at, line.name, isDrawn]);
  }

  /** @param {AnswerWidget} other */
  eq(other) {
    return other.identity === this.identity;
  }

  get estimatedHeight() {
    return this.line.error ? 44 : 24;
  }

  toDOM() {
    const { line } = this;
    return line.error ? this.refusal() : this.value();
  }

  value() {
    const { line, actions, isDrawn } = this;
    const root = make("div", "answer");
    const value = line.value ?? "";
    const [first, ...more] = value.split("\n");
    const shown = first.length > MAX_VALUE ? `${first.slice(0, MAX_VALUE)}…` : first;
    if (value.replace(/\s/g, "") === line.expression.replace(/\s/g, "")) {
      // The line is its own value: only its kind is news.
      root.append(make("span", "answer-kind", line.kind ?? ""));
    } else {
      const text = make("span", "answer-text");
      text.append(make("span", "answer-equals", "= "), make("span", "answer-value", shown));
      root.append(text);
    }
    if (line.view && line.view !== "words" && line.kind !== "int") {
      const draw = make("button", `answer-draw ${isDrawn ? "on" : ""}`, isDrawn ? "drawn" : "draw");
      draw.setAttribute("type", "button");
      draw.setAttribute("aria-pressed", String(isDrawn));
      draw.setAttribute("aria-label", `${isDrawn ? "drawn:" : "draw"} ${line.name ?? line.expression}`);
      draw.onclick = () => actions.draw(line);
      root.append(draw);
    }
    const notes = [...more, ...(line.notes ?? [])];
    // Words that an operation takes are no integers of the answer.
    const hasIntegers = /^(int|tuple|layout|composed)$/.test(line.kind ?? "");
    const unknowns = (line.unknowns ?? []).filter((name) => hasIntegers && value.split(/\W+/).includes(name));
    if (unknowns.length) {
      const names = unknowns.join(", ");
      notes.unshift(`${names} ${unknowns.length === 1 ? "is an unknown integer" : "are unknown integers"}`);
    }
    if (notes.length) {
      const fold = document.createElement("details");
      fold.className = "answer-notes";
      if (unknowns.length) {
        fold.open = true;
      }
      fold.append(make("summary", "", more.length ? "all of it" : notes.length === 1 ? "note" : `${notes.length} notes`));
      for (const note of notes) {
        fold.append(make("p", "", note));
      }
      root.append(fold);
    }
    return root;
  }

  refusal() {
    const { line, actions } = this;
    const error = /** @type {import("../protocol.js").Refusal} */ (line.error);
    const root = make("div", "answer refused");
    const head = make("div", "refused-head");
    head.append(make("span", "refused-code", error.code), make("span", "refused-message", error.message));
    root.append(head);
    if (error.witness) {
      const { at, gives, needs } = error.witness;
      const list = (/** @type {unknown[]} */ parts) => parts.map((part) => JSON.stringify(part).replaceAll('"', "")).join(", ");
      root.append(make("p", "refused-witness", `at ${list(at ?? [])} the true function gives ${list(gives ?? [])}; ${needs}`));
    }
    if (error.help) {
      root.append(make("p", "refused-help", error.help));
    }
    const repairs = error.repairs ?? [];
    if (repairs.length) {
      const row = make("div", "refused-repairs");
      row.append(make("span", "", "try"));
      for (const repair of repairs.slice(0, 4)) {
        const button = make("button", "repair", repair.length > 90 ? `${repair.slice(0, 90)}…` : repair);
        button.setAttribute("type", "button");
        button.title = "replace the expression by this one";
        button.onclick = () => actions.replace(line.at[0], line.at[1], repair);
        row.append(button);
      }
      root.append(row);
    }
    return root;
  }

  ignoreEvent() {
    return true;
  }
}

class RefusalWidget extends WidgetType {
  /** @param {string} text */
  constructor(text) {
    super();
    this.text = text;
  }

  /** @param {RefusalWidget} other */
  eq(other) {
    return other.text === this.text;
  }

  toDOM() {
    const root = make("div", "answer refused");
    root.append(make("div", "refused-head", this.text));
    return root;
  }
}

const underline = Decoration.mark({ class: "fault" });
const point = Decoration.mark({ class: "fault fault-point" });

/** @param {Actions} actions */
export function answers(actions) {
  return StateField.define({
    create: () => Decoration.none,
    update(before, transaction) {
      for (const effect of transaction.effects) {
        if (effect.is(setAnswers)) {
          const doc = transaction.state.doc;
          // Answers to a text that is no longer there are dropped: newer ones are on their way.
          return effect.value.text === doc.toString() ? build(doc, effect.value, actions) : before.map(transaction.changes);
        }
      }
      return before.map(transaction.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

/** @param {import("@codemirror/state").Text} doc @param {{lines: Line[], drawn: string, refusal: string}} value @param {Actions} actions */
function build(doc, { lines, refusal }, actions) {
  /** @type {{from: number, to: number, decoration: Decoration}[]} */
  const all = [];
  for (const line of lines) {
    const end = doc.lineAt(Math.min(line.end, doc.length)).to;
    const span = line.error?.utf16;
    if (line.error && span) {
      const [from, to] = [Math.max(0, Math.min(span[0], doc.length)), Math.min(Math.max(span[1], span[0] + 1), doc.length)];
      if (from < to) {
        all.push({ from, to, decoration: to - from === 1 ? point : underline });
      } else if (from > 0) {
        all.push({ from: from - 1, to: from, decoration: point });
      }
    }
    const widget = new AnswerWidget(line, actions.isDrawn(line), actions);
    all.push({ from: end, to: end, decoration: Decoration.widget({ widget, block: true, side: 1 }) });
  }
  if (refusal) {
    const widget = new RefusalWidget(refusal);
    all.push({ from: doc.length, to: doc.length, decoration: Decoration.widget({ widget, block: true, side: 2 }) });
  }
  const builder = /** @type {RangeSetBuilder<Decoration>} */ (new RangeSetBuilder());
  all.sort((a, b) => a.from - b.from || a.decoration.startSide - b.decoration.startSide);
  for (const { from, to, decoration } of all) {
    builder.add(from, to, decoration);
  }
  return builder.finish();
}
