/** The worker of the page in one file: a classic script; the first message has the module's bytes, or these packed. */
import * as engine from "engine";
import { answerer } from "./answerer.js";
import { restored } from "./kinds.js";
import { unpack } from "./embedded.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));
/** @type {ReturnType<typeof answerer> | undefined} */
let answer;

scope.onmessage = (event) => {
  const { id, method, args, module, packed } = event.data;
  if (module || packed) {
    const bytes = module ?? restored(unpack(packed)).buffer;
    engine.initSync({ module: bytes });
    answer = answerer(engine);
    scope.postMessage({ id: 0, value: "ready", module: bytes }, [bytes]);
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
