// @ts-check
// node parity.mjs FOLDER FILE: asks the module in FOLDER the requests of FILE and compares its answers with those there, byte by byte. Where the
// page is built, its first part is asked too, whose answers must be those bytes, or that it is not loaded.
// FILE has requests and answers in turn, each after its length in four bytes, little-endian.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);

/**
 * The functions of a module, anew: they have one module at a time.
 * @param {string} file
 * @param {string} name
 */
async function functionsOf(file, name) {
  const { initSync, ask, NotLoaded } = await import(`${pathToFileURL(join(folder, "bitstride.js")).href}?${name}`);
  const module = new WebAssembly.Module(readFileSync(join(folder, file)));
  const begin = () => initSync({ module });
  begin();
  return { begin, ask, NotLoaded };
}

const whole = await functionsOf("bitstride_bg.wasm", "whole");
const PART = join("page", "bitstride_bg.wasm");
const part = existsSync(join(folder, PART)) ? await functionsOf(PART, "part") : undefined;

const bytes = readFileSync(file);
let at = 0;
const next = () => {
  const end = at + 4 + bytes.readUInt32LE(at);
  const found = bytes.subarray(at + 4, end);
  at = end;
  return found;
};

/** @param {Buffer} request @param {Buffer} native @param {string} name @param {Buffer} answer */
const differs = (request, native, name, answer) =>
  console.log(`${request.toString().slice(0, 300)}\n  native: ${native.toString().slice(0, 600)}\n  ${name}: ${answer.toString().slice(0, 600)}`);

let [same, all, partSame, partLacks] = [0, 0, 0, 0];
// Whether the first part has a sheet, and whether that is another one, as the part lacked something and has begun anew.
let [hasSheet, isBehind] = [false, false];
while (at < bytes.length) {
  const [request, native] = [next(), next()];
  const asked = JSON.parse(request.toString());
  all += 1;
  let answer;
  try {
    answer = Buffer.from(whole.ask(asked));
  } catch (error) {
    // A module that has stopped answers nothing any more.
    answer = Buffer.from(`stopped: ${error}`);
    whole.begin();
  }
  if (answer.equals(native)) {
    same += 1;
  } else if (all - same <= 20) {
    differs(request, native, "module", answer);
  }
  if (!part) {
    continue;
  }
  try {
    isBehind &&= asked[0] !== "update";
    const answer = isBehind ? undefined : Buffer.from(part.ask(asked));
    if (answer?.equals(native)) {
      partSame += 1;
      hasSheet ||= asked[0] === "update";
    } else if (answer) {
      differs(request, native, "first part", answer);
    } else {
      partLacks += 1;
    }
  } catch (error) {
    if (error instanceof part.NotLoaded) {
      partLacks += 1;
    } else {
      differs(request, native, "first part", Buffer.from(`stopped: ${error}`));
    }
    isBehind ||= hasSheet || asked[0] === "update";
    part.begin();
  }
}
console.log(`${same} of ${all} answers have the same bytes`);
if (part) {
  console.log(`${partSame + partLacks} of ${all} answers of the first part have the same bytes or are not loaded, which ${partLacks} are`);
}
process.exitCode = same === all && (!part || partSame + partLacks === all) ? 0 : 1;
