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
  cpp: "CuTe C++",
  dsl: "CuTe DSL",
  pycute: "pycute",
  gluon: "Gluon",
  jax: "JAX",
  mosaic: "Mosaic",
  torch: "PyTorch",
  pytorch: "PyTorch",
  numpy: "NumPy",
  einops: "einops",
});

/**
 * An answer that follows a question: the last one stays until the next is there.
 * @param {State} state @param {string} method @param {string[]} args @param {boolean} isWanted
 */
function useAnswer(state, method, args, isWanted) {
  const [answer, setAnswer] = useState(/** @type {any} */ (undefined));
  const edition = state.edition.value;
  const key = args.join("\n");
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
  }, [key, edition, isWanted]);
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
    h("p", { class: "why-value" }, line.value ?? line.error?.message),
    h(Facts, { state, name, isWanted: !line.error }),
    h(Explained, { state, line, draw }),
    h(Notations, { state, name, line }),
    h(Law, { state, line }),
    h(Outside, { line }),
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

/** @param {{state: State, name: string, line: Line}} props */
function Notations({ state, name, line }) {
  const [isOpen, setOpen] = useState(true);
  const isLayout = Boolean(line.view) || line.kind === "map";
  const answer = useAnswer(state, "in_notations", [name], isOpen && isLayout && !line.error);
  const notations = /** @type {any[]} */ (answer?.notations ?? []);
  if (!isLayout || line.error) {
    return null;
  }
  const held = notations.filter((each) => !each.error);
  const refused = notations.filter((each) => each.error);
  return h(
    Section,
    { title: "In other notations", isOpen, onToggle: setOpen, count: held.length || undefined },
    held.map((each) =>
      h(
        "div",
        { class: "notation", key: each.notation },
        h("div", { class: "notation-head" }, h("span", null, NOTATIONS[each.notation] ?? each.notation), act("copy", () => void copy(each.value, NOTATIONS[each.notation] ?? each.notation))),
        h("code", null, each.value),
      ),
    ),
    refused.length > 0 &&
      h(
        "details",
        { class: "refused-notations" },
        h("summary", null, `${refused.length} notations cannot say this`),
        refused.map((each) =>
          h(
            "p",
            { key: each.notation },
            h("b", null, NOTATIONS[each.notation] ?? each.notation),
            `: ${each.error.message}`,
          ),
        ),
      ),
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

/** The line for other programs. @param {{line: Line}} props */
function Outside({ line }) {
  const expression = line.expression;
  const shell = `bitstride '${expression.replaceAll("'", "'\\''")}'`;
  const python = `import bitstride\nbitstride.evaluate(${JSON.stringify(expression)})`;
  const rust = `bitstride_lang::evaluate(${JSON.stringify(expression)})?`;
  return h(
    Section,
    { title: "Copy as" },
    [
      ["command line", shell],
      ["Python", python],
      ["Rust", rust],
      ["value", line.value ?? ""],
    ].map(([what, text]) =>
      h(
        "div",
        { class: "notation", key: what },
        h("div", { class: "notation-head" }, h("span", null, what), act("copy", () => void copy(text, what))),
        h("code", null, text),
      ),
    ),
  );
}
