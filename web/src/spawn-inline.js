/**
 * The worker of the page in one file: its script and the engine are in the page, packed; both become a worker without any request.
 */

/** Bytes of a script element that holds base64 of a gzip. @param {string} id */
async function unpack(id) {
  const text = /** @type {HTMLElement} */ (document.getElementById(id)).textContent ?? "";
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const packed = Promise.all([unpack("worker-script"), unpack("engine-module")]);

/** Stands for a worker until it is made: messages wait. */
export function spawnWorker() {
  /** @type {{onmessage: any, onerror: any, postMessage: (message: any) => void, terminate: () => void}} */
  const stand = { onmessage: null, onerror: null, postMessage: (message) => waiting.push(message), terminate: () => (isEnded = true) };
  /** @type {any[]} */
  const waiting = [];
  let isEnded = false;
  void packed.then(([script, module]) => {
    if (isEnded) {
      return;
    }
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = (event) => stand.onmessage?.(event);
    worker.onerror = (event) => stand.onerror?.(event);
    stand.postMessage = (message) => worker.postMessage(message);
    stand.terminate = () => worker.terminate();
    worker.postMessage({ module });
    waiting.splice(0).forEach((message) => worker.postMessage(message));
  });
  return /** @type {Worker} */ (/** @type {unknown} */ (stand));
}
