/**
 * {@link Engine}: questions to the worker, one at a time. A question has a deadline; a worker that misses it is ended and
 * a new one takes the sheet that was last answered. Of the questions that wait under one key only the latest is asked.
 */

/** The answer to a question that a later one under the same key replaced. */
export const SUPERSEDED = Symbol("superseded");

/** How long a question may take, in milliseconds. */
export const DEADLINE = 2000;

/** How long a worker may take to load, in milliseconds. */
const LOAD_DEADLINE = 30000;

/** The refusal of a question that took too long or whose worker ended. */
const stopped = (/** @type {string} */ message) => ({ error: { code: "stopped", message } });

/**
 * @typedef {object} Question
 * @property {number} id
 * @property {string} key
 * @property {string} method
 * @property {string[]} args
 * @property {(value: any) => void} resolve
 */

export class Engine {
  /** @param {() => Worker} spawn makes a worker */
  constructor(spawn) {
    this.spawn = spawn;
    /** @type {Question[]} */
    this.waiting = [];
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
        this.waiting = this.waiting.filter((question) => {
          if (question.key === key) {
            question.resolve(SUPERSEDED);
          }
          return question.key !== key;
        });
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
    if (this.asked || this.waiting.length === 0) {
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

  /** @param {{id: number, value?: any, fault?: string}} message */
  reply(message) {
    if (message.id === 0) {
      this.loaded = true;
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
    if (question.method === "update") {
      this.text = question.args[0];
    }
    question.resolve(message.value);
    this.send();
  }

  /** Ends the worker, refuses its question, and goes on with a new worker. @param {string} why */
  restart(why) {
    clearTimeout(this.timer);
    const question = this.asked;
    this.worker?.terminate();
    this.restarts += 1;
    this.asked = undefined;
    if (this.restarts > 50 && !this.loaded) {
      question?.resolve(stopped(why));
      this.waiting.splice(0).forEach((waiting) => waiting.resolve(stopped(why)));
      return;
    }
    this.begin();
    // The sheet that was answered before goes first; where the sheet itself was the question, it is not asked again.
    if (this.text) {
      const text = this.text;
      this.waiting.unshift({ id: this.next++, key: "again", method: "update", args: [text], resolve: () => {} });
    }
    question?.resolve(stopped(why));
    this.send();
  }
}
