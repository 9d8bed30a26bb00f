/**
 * The module worker: the engine lives here, so that a long question never stops the page.
 * A question is `{id, method, args}`; the reply `{id, value}` or `{id, fault}` where the module trapped.
 */
import * as engine from "engine";
import { answerer } from "./answerer.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** @type {Promise<ReturnType<typeof answerer>>} */
const ready = start();

async function start() {
  await engine.default({ module_or_path: new URL("./bitstride_bg.wasm", scope.location.href) });
  scope.postMessage({ id: 0, value: "ready" });
  return answerer(engine);
}

scope.onmessage = async (event) => {
  const { id, method, args } = event.data;
  try {
    const { value, transfer } = (await ready)(method, args);
    scope.postMessage({ id, value }, transfer);
  } catch (fault) {
    scope.postMessage({ id, fault: String(fault) });
  }
};
