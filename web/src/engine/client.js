/**
 * {@link Engine}: questions to the worker, one at a time. A question has a deadline; a worker that misses it is ended and
 * a new one takes the sheet that was last answered. Of the questions that wait under one key only the latest is asked. A question that
 * the worker's first part cannot answer waits for the whole engine, while others go on.
 */

/** The answer to a question that a later one under the same key replaced. */
export const SUPERSEDED = Symbol("superseded");

/** How long a question may take, in milliseconds. */
export const DEADLINE = 2000;

/** How long a worker may take to load, in milliseconds. */
const LOAD_DEADLINE = 30000;

/** The refusal of a question that took too long or whose worker ended. */
const stopped = (/** @type {string} */ message) => ({ error: { code: "stopped", message } });

/** The refusal of a question that needs what could not be loaded. */
const NOT_LOADED = { error: { code: "not-loaded", message: "this needs the rest of the engine, which could not be loaded; the next change tries again" } };

/**
 * @typedef {object} Question
 * @property {number} id
 * @property {string} key
 * @property {string} method
 * @property {string[]} args
 * @property {(value: any) => void} resolve
 * @property {string} [sheet] of one that waits for the whole engine, the sheet that it is about
 */

export class Engine {
  /** @param {() => Worker} spawn makes a worker */
  constructor(spawn) {
    this.spawn = spawn;
    /** @type {Question[]} */
    this.waiting = [];
    /** What only the whole engine can answer. @type {Question[]} */
    this.later = [];
    /** Called when questions begin or cease to wait for the whole engine. @type {(isWaiting: boolean) => void} */
    this.waits = () => {};
    /** @type {Question | undefined} */
    this.asked = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.next = 1;
    /** The last sheet that was answered: a new worker is given it first. */
    this.text = "";
    this.restarts = 0;
    this.loaded = false;
    /** @type {Worker | undefined} */
    this.worker = undefined;
    this.begin();
  }

  begin() {
    this.loaded = false;
    const worker = this.spawn();
    this.worker = worker;
    worker.onmessage = (event) => this.reply(event.data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.restart(`the engine stopped: ${event.message ?? "it could not be loaded"}`);
    };
  }

  /**
   * Asks a question. The promise never rejects: it gives the value, a refusal, or {@link SUPERSEDED}.
   * @param {string} method
   * @param {string[]} args
   * @param {string} [key] questions under one key replace each other while they wait
   * @returns {Promise<any>}
   */
  ask(method, args, key) {
    return new Promise((resolve) => {
      const id = this.next++;
      if (key !== undefined) {
        const stays = (/** @type {Question} */ question) => {
          if (question.key === key) {
            question.resolve(SUPERSEDED);
          }
          return question.key !== key;
        };
        this.waiting = this.waiting.filter(stays);
        this.later = this.later.filter(stays);
        this.waits(this.later.length > 0);
      }
      this.waiting.push({ id, key: key ?? `question ${id}`, method, args, resolve });
      this.send();
    });
  }

  /** A new sheet: it goes before all other questions, which were about the old one or follow it. */
  /** @param {string} text */
  update(text) {
    const promise = this.ask("update", [text], "update");
    const at = this.waiting.findIndex((question) => question.key === "update");
    if (at > 0) {
      this.waiting.unshift(...this.waiting.splice(at, 1));
    }
    return promise;
  }

  send() {
    // What is asked after a sheet is about it, and waits with it.
    if (this.asked || this.waiting.length === 0 || this.later.some(({ method }) => method === "update")) {
      return;
    }
    const question = /** @type {Question} */ (this.waiting.shift());
    this.asked = question;
    this.timer = setTimeout(
      () => this.restart(`no answer within ${DEADLINE / 1000} s, so the question was stopped`),
      this.loaded ? DEADLINE : LOAD_DEADLINE,
    );
    this.worker?.postMessage({ id: question.id, method: question.method, args: question.args });
  }

  /** @param {{id: number, value?: any, lacks?: boolean, fault?: string}} message */
  reply(message) {
    if (message.id === 0) {
      this.loaded = true;
      if (message.value !== "ready") {
        this.rest(message.value === "whole");
      }
      return;
    }
    const question = this.asked;
    if (!question || question.id !== message.id) {
      return;
    }
    if (message.fault !== undefined) {
      this.restart(`the engine stopped: ${message.fault}`);
      return;
    }
    clearTimeout(this.timer);
    this.asked = undefined;
    if (message.lacks) {
      this.later.push({ ...question, sheet: this.text });
      this.waits(true);
    } else {
      if (question.method === "update") {
        this.text = question.args[0];
      }
      question.resolve(message.value);
    }
    this.send();
  }

  /** The rest of the engine is there, or cannot be had. @param {boolean} isThere */
  rest(isThere) {
    const later = this.later.splice(0);
    this.waits(false);
    if (isThere) {
      this.waiting.unshift(...this.withSheets(later));
    } else {
      later.forEach((question) => question.resolve(NOT_LOADED));
    }
    this.send();
  }

  /** Questions with the sheets that they are about before them, and at last the present one again. @param {Question[]} questions */
  withSheets(questions) {
    let sheet = this.text;
    const again = (/** @type {string} */ text) => {
      const isNew = text !== sheet;
      sheet = text;
      return isNew ? [{ id: this.next++, key: "again", method: "update", args: [text], resolve: () => {} }] : [];
    };
    const asked = questions.flatMap((question) => {
      const before = question.method === "update" ? [] : again(question.sheet ?? "");
      sheet = question.method === "update" ? question.args[0] : sheet;
      return [...before, question];
    });
    return questions.some(({ method }) => method === "update") ? asked : [...asked, ...again(this.text)];
  }

  /** Ends the worker, refuses its question, and goes on with a new worker. @param {string} why */
  restart(why) {
    clearTimeout(this.timer);
    const question = this.asked;
    this.worker?.terminate();
    this.restarts += 1;
    this.asked = undefined;
    // A new worker begins with the first part, and asks for the rest anew.
    const later = this.withSheets(this.later.splice(0));
    this.waits(false);
    if (this.restarts > 50 && !this.loaded) {
      question?.resolve(stopped(why));
      [...later, ...this.waiting.splice(0)].forEach((waiting) => waiting.resolve(stopped(why)));
      return;
    }
    this.begin();
    this.waiting.unshift(...later);
    // The sheet that was answered before goes first; where the sheet itself was the question, it is not asked again.
    if (this.text) {
      const text = this.text;
      this.waiting.unshift({ id: this.next++, key: "again", method: "update", args: [text], resolve: () => {} });
    }
    question?.resolve(stopped(why));
    this.send();
  }
}
