/** The worker of the page that is served: a module beside it. */
export const spawnWorker = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
