/**
 * The engine in two parts. The first answers what it can; a question that needs more is given back, and is to be asked again when the rest is
 * there. Law: what is answered are the bytes of the whole engine, before the rest is there as after.
 *
 * `web/split.mjs` makes the parts. A function that the first part lacks stops it, so that it is begun anew with the sheet that it answered last.
 * What the module calls also depends on the memory that it has used: what was answered once may lack a function the next time.
 */
import { answerer } from "./answerer.js";
import { joined } from "./joined.js";

/** The file of the first part, which names that of the rest. */
const FIRST = "bitstride_bg.wasm";

/**
 * @param {typeof import("engine")} engine
 * @param {(name: string) => Promise<Uint8Array>} load the bytes of a file
 * @param {(isThere: boolean) => void} arrived called with true when the rest is there, with false when it cannot be loaded
 * @returns {Promise<(method: string, args: string[]) => {value: any, transfer: Transferable[]} | undefined>} nothing where the rest is needed
 */
export async function inParts(engine, load, arrived) {
  const first = await load(FIRST);
  let module = await WebAssembly.compile(/** @type {BufferSource} */ (first));
  engine.initSync({ module });
  const answer = answerer(engine);
  const [name] = WebAssembly.Module.customSections(module, "rest").map((bytes) => new TextDecoder().decode(bytes));
  let sheet = "";
  /** @type {Promise<void> | undefined} */
  let loading;
  let isTried = false;
  // Whether the first part has another sheet than the one that is asked about.
  let isBehind = false;

  const begin = () => {
    engine.initSync({ module });
    isBehind = false;
    try {
      answer("update", [sheet]);
    } catch (fault) {
      if (!(fault instanceof engine.NotLoaded)) {
        throw fault;
      }
      engine.initSync({ module });
      isBehind = true;
    }
  };
  const loadRest = () => {
    isTried = true;
    loading ??= load(name)
      .then((rest) => WebAssembly.compile(joined(first, rest)))
      .then((whole) => {
        module = whole;
        begin();
        arrived(true);
      })
      .catch(() => {
        loading = undefined;
        arrived(false);
      });
  };

  return (method, args) => {
    if (isBehind && method !== "update") {
      return undefined;
    }
    try {
      const got = answer(method, args);
      if (method === "update") {
        sheet = args[0];
        isBehind = false;
      }
      // The rest comes after what was asked first, and is asked again only where it is needed.
      if (name && !isTried) {
        loadRest();
      }
      return got;
    } catch (fault) {
      if (!(fault instanceof engine.NotLoaded)) {
        throw fault;
      }
      begin();
      loadRest();
      return undefined;
    }
  };
}
