/** Questions to the worker: one at a time, the latest of a key wins, and a worker that does not answer is ended and replaced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DEADLINE, Engine, SUPERSEDED } from "../src/engine/client.js";

/** Workers that answer what a function says, or nothing. @param {(message: any) => any} answer */
function workers(answer) {
  const made = [];
  const spawn = () => {
    const worker = {
      isEnded: false,
      got: [],
      postMessage(message) {
        this.got.push(message);
        const value = answer(message);
        if (value !== undefined) {
          queueMicrotask(() => !this.isEnded && this.onmessage({ data: { id: message.id, ...value } }));
        }
      },
      terminate() {
        this.isEnded = true;
      },
    };
    made.push(worker);
    queueMicrotask(() => worker.onmessage({ data: { id: 0, value: "ready" } }));
    return worker;
  };
  return { made, spawn };
}

test("answers come back to their questions, in order", async () => {
  const { made, spawn } = workers(({ method, args }) => ({ value: `${method} ${args[0]}` }));
  const engine = new Engine(/** @type {any} */ (spawn));
  const all = await Promise.all(["1", "2", "3"].map((text) => engine.ask("answer", [text])));
  assert.deepEqual(all, ["answer 1", "answer 2", "answer 3"]);
  assert.equal(made.length, 1);
});

test("of the questions that wait under one key only the latest is asked", async () => {
  const { made, spawn } = workers(({ args }) => ({ value: args[0] }));
  const engine = new Engine(/** @type {any} */ (spawn));
  const all = await Promise.all(["1", "2", "3", "4"].map((text) => engine.ask("answer", [text], "key")));
  assert.deepEqual(all, ["1", SUPERSEDED, SUPERSEDED, "4"]);
  assert.equal(made[0].got.length, 2);
});

test("W10 a question without an answer is stopped after the deadline, and the sheet is known to the next worker", async () => {
  const { made, spawn } = workers(({ method, args }) => (method === "answer" && args[0] === "endless" ? undefined : { value: args[0] }));
  const engine = new Engine(/** @type {any} */ (spawn));
  assert.equal(await engine.update("a = 4:1"), "a = 4:1");
  const start = performance.now();
  const [stopped, next] = await Promise.all([engine.ask("answer", ["endless"]), engine.ask("answer", ["a"])]);
  const time = performance.now() - start;
  assert.equal(stopped.error.code, "stopped");
  assert.equal(next, "a");
  assert.ok(time >= DEADLINE - 5 && time < DEADLINE + 200, String(time));
  assert.deepEqual(
    made[1].got.map(({ method, args }) => [method, args[0]]),
    [
      ["update", "a = 4:1"],
      ["answer", "a"],
    ],
  );
  assert.ok(made[0].isEnded);
  console.log(`W10: 1 of 1 endless questions is stopped, and the next answered after ${time.toFixed(0)} ms (goal 2,200)`);
});

test("a worker that traps is replaced", async () => {
  const { made, spawn } = workers(({ args }) => (args[0] === "trap" ? { fault: "unreachable" } : { value: args[0] }));
  const engine = new Engine(/** @type {any} */ (spawn));
  const [trapped, next] = await Promise.all([engine.ask("answer", ["trap"]), engine.ask("answer", ["fine"])]);
  assert.match(trapped.error.message, /unreachable/);
  assert.equal(next, "fine");
  assert.equal(made.length, 2);
});
