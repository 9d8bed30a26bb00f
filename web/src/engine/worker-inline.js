/** The worker of the page in one file: a classic script; the first message has the module's bytes. */
import * as engine from "engine";
import { answerer } from "./answerer.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));
/** @type {ReturnType<typeof answerer> | undefined} */
let answer;

scope.onmessage = (event) => {
  const { id, method, args, module } = event.data;
  if (module) {
    engine.initSync({ module });
    answer = answerer(engine);
    scope.postMessage({ id: 0, value: "ready" });
    return;
  }
  try {
    if (!answer) {
      throw new Error("the engine is not loaded");
    }
    const { value, transfer } = answer(method, args);
    scope.postMessage({ id, value }, transfer);
  } catch (fault) {
    scope.postMessage({ id, fault: String(fault) });
  }
};
