/**
 * The Why panel: what is true of the line at the cursor, why it has its value, how other notations write it, its law, and its text for other
 * programs. Questions are asked when their section is open.
 */
import { h, useEffect, useState } from "../ui/dom.js";
import { copy } from "../ui/notice.js";
import { SUPERSEDED } from "../engine/client.js";

/** @typedef {import("../workspace/state.js").State} State */
/** @typedef {import("../protocol.js").Line} Line */

/** How long typing must rest before the panel asks, in milliseconds. */
const REST = 120;

/** What the panel calls a notation. */
const NOTATIONS = /** @type {Record<string, string>} */ ({
  cute: "CuTe",
  padded: "CuTe, padded",
  linear: "linear layout",
  triton: "Triton",
  mixed: "strides and XOR",
  xla: "XLA",
  strides: "strides",
  tag: "oneDNN tag",
  affine: "affine map",
});

/** What the panel calls a program's text. */
const PROGRAMS = /** @type {Record<string, string>} */ ({
  cpp: "CuTe C++",
  dsl: "CuTe DSL",
  pycute: "pycute",
  gluon: "Gluon",
  ttgir: "Triton MLIR",
  jax: "JAX",
  torch: "PyTorch",
  numpy: "NumPy",
  einops: "einops",
  c: "C",
  latex: "LaTeX",
});

/** The type of elements that is taken where a notation writes one and the layout has none. */
const ELEMENT = "f32";

/**
 * An answer that follows a question: the last one stays until the next is there.
 * @param {State} state @param {string} method @param {string[]} args @param {boolean} isWanted
 */
function useAnswer(state, method, args, isWanted) {
  const [answer, setAnswer] = useState(/** @type {any} */ (undefined));
  const key = args.join("\n");
  const meaning = state.meaning(key);
  useEffect(() => {
    if (!isWanted) {
      return undefined;
    }
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const got = await state.engine.ask(method, args, `why ${method}`);
      if (isCurrent && got !== SUPERSEDED) {
        setAnswer({ key, ...got });
      }
    }, REST);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, meaning, isWanted]);
  return answer?.key === key || answer === undefined ? answer : { ...answer, isOld: true };
}

/** @param {{state: State, draw: (expression: string) => void}} props */
export function Why({ state, draw }) {
  const line = state.currentLine.value;
  if (!line) {
    return h("p", { class: "quiet" }, "Type a line in the sheet: what is true of it appears here.");
  }
  const name = line.name ?? line.expression;
  return h(
    "div",
    { class: "why" },
    h("h2", { class: "why-title" }, h("span", null, line.name ?? "this line"), line.kind && h("em", null, line.kind)),
    h("p", { class: "why-value", tabIndex: 0 }, line.value ?? line.error?.message),
    h(Facts, { state, name, isWanted: !line.error && line.kind !== "int" }),
    h(Explained, { state, line, draw }),
    h(Notations, { state, name, line }),
    h(Law, { state, line }),
  );
}

/** @param {{title: string, isOpen?: boolean, children?: any, onToggle?: (isOpen: boolean) => void, count?: number}} props */
function Section({ title, isOpen = false, children, onToggle, count }) {
  return h(
    "details",
    {
      class: "section",
      open: isOpen,
      onToggle: (/** @type {any} */ event) => onToggle?.(event.currentTarget.open),
    },
    h("summary", null, h("h3", null, title), count !== undefined && h("span", { class: "count" }, count)),
    h("div", { class: "section-body" }, children),
  );
}

/** @param {{state: State, name: string, isWanted: boolean}} props */
function Facts({ state, name, isWanted }) {
  const answer = useAnswer(state, "facts", [name], isWanted);
  const facts = /** @type {any[]} */ (answer?.facts ?? [])
    .filter((fact) => !fact.error)
    .toSorted((/** @type {any} */ one, /** @type {any} */ other) => Number(isLong(one)) - Number(isLong(other)));
  if (!isWanted || facts.length === 0) {
    return null;
  }
  return h(
    "dl",
    { class: `facts ${answer.isOld ? "old" : ""}` },
    facts.map((fact) =>
      h(
        "div",
        { key: fact.name, class: isLong(fact) ? "long" : "", title: fact.notes?.join("\n") ?? fact.expression },
        h("dt", null, fact.name.replace(/^is_/, "").replaceAll("_", " ")),
        h("dd", { class: fact.value === "true" ? "yes" : fact.value === "false" ? "no" : "" }, word(fact.value)),
      ),
    ),
  );
}

/** Whether a fact needs the whole width. @param {{value: string}} fact */
const isLong = (fact) => fact.value.length > 24;

/** @param {string} value */
const word = (value) => (value === "true" ? "yes" : value === "false" ? "no" : value);

/** @param {{state: State, line: Line, draw: (expression: string) => void}} props */
function Explained({ state, line, draw }) {
  const answer = useAnswer(state, "explain", [line.expression], true);
  const steps = /** @type {import("../protocol.js").Step[]} */ (answer?.steps ?? []);
  if (steps.length === 0) {
    return null;
  }
  return h(
    Section,
    { title: line.error ? "Why it is refused" : "Why", isOpen: true, count: steps.length },
    (answer.assumptions ?? []).map((/** @type {string} */ text) => h("p", { class: "quiet", key: text }, text)),
    h(
      "ol",
      { class: `steps ${answer.isOld ? "old" : ""}` },
      steps.map((step, number) =>
        h(
          "li",
          { key: number },
          h("p", null, step.rule),
          step.expression &&
            h(
              "div",
              { class: "step-code" },
              h("code", null, step.expression, h("b", null, ` = ${step.value}`)),
              h(
                "div",
                { class: "step-acts" },
                /layout|linear|xla|composed|swizzle|map/.test(step.kind) && act("draw", () => draw(step.expression)),
                act("copy", () => void copy(step.expression, "expression")),
              ),
            ),
        ),
      ),
    ),
  );
}

/** @param {string} text @param {() => void} run */
function act(text, run) {
  return h("button", { type: "button", class: "act", onClick: run }, text);
}

/** @typedef {{notation: string, value?: string, error?: import("../protocol.js").Refusal, note?: string}} Written */

/**
 * The layout in every notation. One that writes the type of the elements is asked again with a type.
 * @param {State} state @param {string} name @param {boolean} isWanted @returns {Written[]}
 */
function useWritten(state, name, isWanted) {
  const answer = useAnswer(state, "in_notations", [name], isWanted);
  const [typed, setTyped] = useState(/** @type {Record<string, Written>} */ ({}));
  /** @type {Written[] | undefined} */
  const notations = answer?.notations;
  const untyped = (notations ?? []).filter(({ error }) => error?.code === "arity");
  useEffect(() => {
    let isCurrent = true;
    setTyped({});
    void Promise.all(
      untyped.map(async ({ notation }) => {
        const got = await state.engine.ask("answer", [`convert(${name}, ${notation}, ${ELEMENT})`]);
        return { notation, note: ELEMENT, ...got };
      }),
    ).then((all) => {
      if (isCurrent) {
        setTyped(Object.fromEntries(all.filter(({ value }) => value !== undefined).map((each) => [each.notation, each])));
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [notations]);
  return (notations ?? []).map((each) => typed[each.notation] ?? each);
}

/** @param {{state: State, name: string, line: Line}} props */
function Notations({ state, name, line }) {
  const [isOpen, setOpen] = useState(true);
  const isLayout = Boolean(line.view && line.view !== "words" && line.kind !== "int") || line.kind === "map";
  const written = useWritten(state, name, isOpen && isLayout && !line.error);
  if (!isLayout || line.error) {
    return h(Outside, { line, written: [] });
  }
  const cute = written.find(({ notation }) => notation === "cute");
  const all = written.filter(({ notation, value }) => notation !== "padded" || value !== cute?.value);
  const held = all.filter(({ notation, error }) => NOTATIONS[notation] && !error);
  const refused = all.filter(({ error }) => error);
  return [
    h(
      Section,
      { title: "In other notations", isOpen, onToggle: setOpen, count: held.length || undefined, key: "notations" },
      held.map((each) => h(Text, { key: each.notation, what: label(NOTATIONS[each.notation], each), text: each.value ?? "" })),
      refused.length > 0 &&
        h(
          "details",
          { class: "refused-notations" },
          h("summary", null, `${refused.length} cannot say this, and why`),
          refused.map(({ notation, error }) =>
            h("p", { key: notation }, h("b", null, NOTATIONS[notation] ?? PROGRAMS[notation] ?? notation), `: ${error?.message}`),
          ),
        ),
    ),
    h(Outside, { line, written: all.filter(({ notation, error }) => !NOTATIONS[notation] && !error), key: "outside" }),
  ];
}

/** @param {string} text @param {Written} written */
const label = (text, { note }) => (note ? `${text}, of ${note}` : text);

/** A text that can be copied. @param {{what: string, text: string}} props */
function Text({ what, text }) {
  return h(
    "div",
    { class: "notation" },
    h("div", { class: "notation-head" }, h("span", null, what), act("copy", () => void copy(text, what))),
    h("code", { tabIndex: 0 }, text),
  );
}

/** @param {{state: State, line: Line}} props */
function Law({ state, line }) {
  const [isOpen, setOpen] = useState(false);
  const answer = useAnswer(state, "law", [line.expression], isOpen);
  const isCall = /^[a-z_]\w*\(|\so\s/i.test(line.expression);
  if (!isCall || line.error) {
    return null;
  }
  return h(
    Section,
    { title: "The law, checked", isOpen, onToggle: setOpen },
    answer?.statement && h("code", { class: "law" }, answer.statement),
    answer?.holds !== undefined &&
      answer.holds !== null &&
      h("p", { class: answer.holds ? "yes" : "broken" }, answer.holds ? "It holds here, point by point:" : "It does not hold here:"),
    (answer?.notes ?? []).map((/** @type {string} */ note) => h("p", { class: "quiet", key: note }, note)),
    answer?.error && h("p", { class: "quiet" }, answer.error.message),
  );
}

/** The line for other programs. @param {{line: Line, written: Written[]}} props */
function Outside({ line, written }) {
  const { expression } = line;
  /** @type {[string, string][]} */
  const texts = [
    ["command line", `bitstride '${expression.replaceAll("'", "'\\''")}'`],
    ["Python", `import bitstride\nbitstride.evaluate(${JSON.stringify(expression)})`],
    ["Rust", `bitstride_lang::evaluate(${JSON.stringify(expression)})?`],
    ...written.map((each) => /** @type {[string, string]} */ ([label(PROGRAMS[each.notation] ?? each.notation, each), each.value ?? ""])),
  ];
  return h(
    Section,
    { title: "Copy for a program", count: texts.length },
    texts.map(([what, text]) => h(Text, { key: what, what, text })),
  );
}
