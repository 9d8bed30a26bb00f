/**
 * A module of WebAssembly taken apart for packing: its instructions, and the numbers behind them by what they are, since like is packed well
 * beside like. Each kind is one list of bytes, with the functions by type and then by length. The first list is the module without the bodies
 * of its functions; it has their lengths. Before the lists are the lengths of these. Law: a module that is taken apart and restored is the same,
 * byte for byte, since both ways pass over a body alike. An instruction that is not known here is refused, or the numbers behind it are taken for
 * instructions, which packs worse.
 */
import { numberAt } from "./joined.js";
import { CODE, FUNCTIONS, section, sectionsOf } from "./sections.js";

/** The kinds of bytes, in the order of their lists. */
export const KINDS = ["frame", "groups", "i64", "float", "signature", "table", "branch", "global", "align", "load", "store", "i32", "call", "local", "code"];
const [, GROUPS, I64, FLOAT, SIGNATURE, TABLE, BRANCH, GLOBAL, ALIGN, LOAD, STORE, I32, CALL, LOCAL, INSTRUCTION] = KINDS.keys();

/** The kinds of the numbers behind an instruction; behind the others that the engine has, up to the last one, is none. @type {Record<number, number[]>} */
const OPERANDS = {
  0x02: [INSTRUCTION],
  0x03: [INSTRUCTION],
  0x04: [INSTRUCTION],
  0x0c: [BRANCH],
  0x0d: [BRANCH],
  0x10: [CALL],
  0x11: [SIGNATURE, SIGNATURE],
  0x20: [LOCAL],
  0x21: [LOCAL],
  0x22: [LOCAL],
  0x23: [GLOBAL],
  0x24: [GLOBAL],
  0x3f: [INSTRUCTION],
  0x40: [INSTRUCTION],
  0x41: [I32],
  0x42: [I64],
};
const BRANCH_TABLE = 0x0e;
const SELECT_TYPED = 0x1c;
const FIRST_LOAD = 0x28;
const FIRST_STORE = 0x36;
const LAST_STORE = 0x3e;
const F32 = 0x43;
const F64 = 0x44;
const LAST = 0xc4;
const MORE = 0xfc;
/** The numbers behind an instruction that begins with `MORE`: conversions, then whole pieces of memory. */
const MORE_OPERANDS = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1];

/** How a load or store is aligned where nothing is said against it: the logarithm of its bytes, from the first load on. */
const NATURAL = [2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2];

/**
 * Passes over a body, and gives each byte its kind.
 * @param {number} size how many bytes the body has
 * @param {(kind: number, expected: number) => number} byte the next byte, of a kind; what is `expected` is 0 in its list
 */
export function pass(size, byte) {
  let left = size;
  const next = (/** @type {number} */ kind, expected = 0) => {
    if (left === 0) {
      throw new Error("a body of the module is longer than it says");
    }
    left -= 1;
    return byte(kind, expected);
  };
  const number = (/** @type {number} */ kind) => {
    for (let [value, shift] = [0, 1]; ; shift *= 128) {
      const part = next(kind);
      value += (part & 127) * shift;
      if (part < 128) {
        return value;
      }
    }
  };
  const several = (/** @type {number} */ count, /** @type {() => void} */ act) => {
    for (; count > 0; count -= 1) {
      act();
    }
  };
  several(number(GROUPS), () => {
    number(GROUPS);
    next(GROUPS);
  });
  while (left > 0) {
    const instruction = next(INSTRUCTION);
    if (instruction >= FIRST_LOAD && instruction <= LAST_STORE) {
      next(ALIGN, NATURAL[instruction - FIRST_LOAD]);
      number(instruction < FIRST_STORE ? LOAD : STORE);
    } else if (instruction === BRANCH_TABLE) {
      several(number(TABLE) + 1, () => number(TABLE));
    } else if (instruction === F32 || instruction === F64) {
      several(instruction === F32 ? 4 : 8, () => next(FLOAT));
    } else if (instruction === MORE) {
      const operands = MORE_OPERANDS[number(INSTRUCTION)];
      if (operands === undefined) {
        throw new Error("an instruction of the module is not known");
      }
      several(operands, () => number(INSTRUCTION));
    } else if (instruction > LAST || instruction === SELECT_TYPED) {
      throw new Error(`the instruction ${instruction} of the module is not known`);
    } else {
      OPERANDS[instruction]?.forEach(number);
    }
  }
}

/** The numbers of a section that begins with a list, where each of them begins, and last where the list ends. @param {Uint8Array} module @param {number} id */
function numbersOf(module, id) {
  const [count, start] = numberAt(module, section(sectionsOf(module), id).from);
  const [numbers, places] = [/** @type {number[]} */ ([]), [start]];
  while (numbers.length < count) {
    const [number, next] = numberAt(module, places[numbers.length]);
    numbers.push(number);
    places.push(next);
  }
  return { numbers, places };
}

/** The functions in the order of their bodies. @param {Uint8Array} module @param {number[]} lengths of the bodies */
export function orderOf(module, lengths) {
  const types = numbersOf(module, FUNCTIONS).numbers;
  return [...lengths.keys()].sort((one, other) => types[one] - types[other] || lengths[one] - lengths[other] || one - other);
}

/** @param {Uint8Array} apart @returns {Uint8Array<ArrayBuffer>} */
export function restored(apart) {
  const lists = /** @type {Uint8Array[]} */ ([]);
  let from = 0;
  const sizes = KINDS.map(() => {
    const [size, next] = numberAt(apart, from);
    from = next;
    return size;
  });
  for (const size of sizes) {
    lists.push(apart.subarray(from, from + size));
    from += size;
  }
  const frame = lists[0];
  const { numbers: lengths, places } = numbersOf(frame, CODE);
  const starts = /** @type {number[]} */ ([]);
  let to = places[0];
  lengths.forEach((length, index) => {
    to += places[index + 1] - places[index];
    starts.push(to);
    to += length;
  });
  const end = places[lengths.length];
  const module = new Uint8Array(frame.length - end + to);
  module.set(frame.subarray(0, places[0]));
  module.set(frame.subarray(end), to);
  const read = KINDS.map(() => 0);
  for (const index of orderOf(frame, lengths)) {
    module.set(frame.subarray(places[index], places[index + 1]), starts[index] - (places[index + 1] - places[index]));
    let at = starts[index];
    pass(lengths[index], (kind, expected) => (module[at++] = lists[kind][read[kind]++] ^ expected));
  }
  return module;
}
