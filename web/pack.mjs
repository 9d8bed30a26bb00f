/** Files packed into texts for script elements, which `src/engine/lzma.js`, `units.js` and, for the module, `kinds.js` unpack. */
import SevenZip from "7z-wasm";
import { bodiesOf, written } from "./split.mjs";
import { KINDS, orderOf, pass, restored } from "./src/engine/kinds.js";
import { unpacked } from "./src/engine/lzma.js";
import { bytesOf, textOf } from "./src/engine/units.js";

/** Where the stream of the only file of an archive begins, and where the head of an archive says how long it is. */
const STREAM = 32;
const STREAM_LENGTH = 12;

/** The stream of LZMA that a file is. @param {Uint8Array} bytes */
async function lzma(bytes) {
  const archiver = await SevenZip({ print: () => {}, printErr: () => {} });
  archiver.FS.writeFile("/file", bytes);
  archiver.callMain(["a", "-t7z", "-m0=LZMA:lc=3:lp=0:pb=0:d=8m:fb=273:mc=10000", "-mhc=off", "-mmt=off", "/packed.7z", "/file"]);
  const archive = archiver.FS.readFile("/packed.7z");
  const length = new DataView(archive.buffer, archive.byteOffset).getUint32(STREAM_LENGTH, true);
  return archive.subarray(STREAM, STREAM + length);
}

/** A script element that holds a file. @param {string} id @param {Uint8Array} bytes */
export async function element(id, bytes) {
  const packed = await lzma(bytes);
  const text = textOf(packed);
  if (!Buffer.from(unpacked(bytesOf(text, packed.length), bytes.length)).equals(Buffer.from(bytes))) {
    throw new Error(`${id} is not unpacked as it was`);
  }
  return `<script type="text/plain" id="${id}" data-packed="${packed.length}" data-size="${bytes.length}">${text}</script>`;
}

/** A module taken apart by the kinds of its bytes. @param {Uint8Array} module */
export function apart(module) {
  const bodies = bodiesOf(module);
  const lists = KINDS.map(() => /** @type {number[]} */ ([]));
  for (const index of orderOf(module, bodies.map(({ locals, to }) => to - locals))) {
    const { locals, to } = bodies[index];
    let at = locals;
    pass(to - locals, (kind, expected) => {
      const byte = module[at++];
      lists[kind].push(byte ^ expected);
      return byte;
    });
  }
  const frame = Buffer.concat([
    module.subarray(0, bodies[0].from),
    ...bodies.map(({ from, locals }) => module.subarray(from, locals)),
    module.subarray(bodies[bodies.length - 1].to),
  ]);
  const parts = [frame, ...lists.slice(1).map((list) => Buffer.from(list))];
  const all = Buffer.concat([Buffer.from(parts.flatMap(({ length }) => written(length))), ...parts]);
  if (!Buffer.from(restored(all)).equals(Buffer.from(module))) {
    throw new Error("the module is not restored as it was");
  }
  return all;
}
