/**
 * The worker of the page in one file: its script is a text of the page's own script, and the engine is in the page, packed; both become a
 * worker without any request.
 */
import script from "worker-script";
import { embedded } from "./engine/embedded.js";

/** The engine's module, once a worker has unpacked it: that takes a while, so that the next worker is given it. @type {ArrayBuffer | undefined} */
let module;

export function spawnWorker() {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.addEventListener("message", ({ data }) => {
    module = data.module ?? module;
  });
  worker.postMessage(module ? { module } : { packed: embedded("engine-module") });
  return worker;
}
