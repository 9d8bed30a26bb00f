// @ts-check
// node parity.mjs FOLDER FILE: asks the module in FOLDER the requests of FILE and compares its answers with those there, byte by byte.
// FILE has requests and answers in turn, each after its length in four bytes, little-endian.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const { initSync, ask } = await import(pathToFileURL(join(folder, "bitstride.js")).href);
const module = new WebAssembly.Module(readFileSync(join(folder, "bitstride_bg.wasm")));
initSync({ module });

const bytes = readFileSync(file);
let at = 0;
const next = () => {
  const end = at + 4 + bytes.readUInt32LE(at);
  const part = bytes.subarray(at + 4, end);
  at = end;
  return part;
};

let [same, all] = [0, 0];
while (at < bytes.length) {
  const [request, native] = [next().toString(), next()];
  all += 1;
  let asked;
  try {
    asked = Buffer.from(ask(JSON.parse(request)));
  } catch (error) {
    // A module that has stopped answers nothing any more.
    asked = Buffer.from(`stopped: ${error}`);
    initSync({ module });
  }
  if (asked.equals(native)) {
    same += 1;
  } else if (all - same <= 20) {
    console.log(`${request.slice(0, 300)}\n  native: ${native.toString().slice(0, 600)}\n  module: ${asked.toString().slice(0, 600)}`);
  }
}
console.log(`${same} of ${all} answers have the same bytes`);
process.exitCode = same === all ? 0 : 1;
