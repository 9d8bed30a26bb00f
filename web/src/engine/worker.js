/**
 * The module worker: the engine lives here, so that a long question never stops the page.
 * A question is `{id, method, args}`; the reply `{id, value}`, `{id, lacks: true}` where only the whole engine can answer, or `{id, fault}` where
 * the module trapped. A message of id 0 says `ready`, then `whole`, or `partial` where the rest cannot be had.
 */
import * as engine from "engine";
import { inParts } from "./parts.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** @param {string} name a file beside this one */
async function load(name) {
  const response = await fetch(new URL(name, scope.location.href));
  if (!response.ok) {
    throw new Error(`${name}: ${response.status}`);
  }
  return new Uint8Array(await response.arrayBuffer());
}

const ready = inParts(engine, load, (isThere) => scope.postMessage({ id: 0, value: isThere ? "whole" : "partial" }));
ready.then(
  () => scope.postMessage({ id: 0, value: "ready" }),
  // The question that waits says why.
  () => {},
);

scope.onmessage = async (event) => {
  const { id, method, args } = event.data;
  try {
    const got = (await ready)(method, args);
    scope.postMessage(got ? { id, value: got.value } : { id, lacks: true }, got?.transfer ?? []);
  } catch (fault) {
    scope.postMessage({ id, fault: String(fault) });
  }
};
