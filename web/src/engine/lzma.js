/**
 * What LZMA packed, unpacked: streams without a header, of literals in the context of the upper bits of the byte before them, at any
 * position alike (lc = 3, lp = 0, pb = 0). The format is that of the LZMA SDK's specification.
 */

// Where the probabilities of each decision begin.
const IS_MATCH = 0;
const IS_REPEAT = 12;
const IS_OLDER = 24;
const IS_SECOND = 36;
const IS_THIRD = 48;
const IS_LONG = 60;
const SLOTS = 72;
const SPECIAL = SLOTS + 4 * 64;
const ALIGN = SPECIAL + 128;
const LENGTH = ALIGN + 16;
const REPEAT_LENGTH = LENGTH + 274;
const LITERALS = REPEAT_LENGTH + 274;
/** How many bits of the byte before are a context. */
const CONTEXT_BITS = 3;
const COUNT = LITERALS + 768 * 2 ** CONTEXT_BITS;

/** @param {Uint8Array} packed @param {number} size how many bytes it is unpacked @returns {Uint8Array<ArrayBuffer>} */
export function unpacked(packed, size) {
  const out = new Uint8Array(size);
  const odds = new Uint16Array(COUNT).fill(1024);
  let [range, code, from, at] = [0xffffffff, 0, 5, 0];
  for (let start = 1; start < 5; start += 1) {
    code = ((code << 8) | packed[start]) >>> 0;
  }

  const more = () => {
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | packed[from++]) >>> 0;
    }
  };
  const bit = (/** @type {number} */ index) => {
    const chance = odds[index];
    const bound = (range >>> 11) * chance;
    if (code < bound) {
      range = bound;
      odds[index] = chance + ((2048 - chance) >> 5);
      more();
      return 0;
    }
    range -= bound;
    code -= bound;
    odds[index] = chance - (chance >> 5);
    more();
    return 1;
  };
  /** A number whose bits come from the highest. @param {number} base @param {number} bits */
  const number = (base, bits) => {
    let node = 1;
    while (node < 1 << bits) {
      node = (node << 1) | bit(base + node);
    }
    return node - (1 << bits);
  };
  /** A number whose bits come from the lowest. @param {number} base @param {number} bits */
  const reversed = (base, bits) => {
    let [node, value] = [1, 0];
    for (let place = 0; place < bits; place += 1) {
      const got = bit(base + node);
      node = (node << 1) | got;
      value |= got << place;
    }
    return value;
  };
  /** Bits that are as likely 0 as 1. @param {number} bits */
  const plain = (bits) => {
    let value = 0;
    for (; bits > 0; bits -= 1) {
      range >>>= 1;
      const got = code >= range ? 1 : 0;
      code -= got ? range : 0;
      value = value * 2 + got;
      more();
    }
    return value;
  };
  const length = (/** @type {number} */ base) => {
    if (!bit(base)) {
      return number(base + 2, 3);
    }
    return bit(base + 1) ? 16 + number(base + 18, 8) : 8 + number(base + 10, 3);
  };

  // Distances of the last copies, and what the last steps were.
  let [last, second, third, fourth, state] = [0, 0, 0, 0, 0];
  while (at < size) {
    if (!bit(IS_MATCH + state)) {
      const base = LITERALS + 768 * ((at > 0 ? out[at - 1] : 0) >> (8 - CONTEXT_BITS));
      let symbol = 1;
      if (state >= 7) {
        // After a copy the byte differs from the one that would have come next, at first in no bit.
        let [expected, mask] = [out[at - last - 1], 0x100];
        while (symbol < 0x100) {
          expected <<= 1;
          const next = expected & mask;
          const got = bit(base + mask + next + symbol);
          symbol = (symbol << 1) | got;
          mask &= got ? next : ~next;
        }
      }
      while (symbol < 0x100) {
        symbol = (symbol << 1) | bit(base + symbol);
      }
      out[at++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(IS_REPEAT + state)) {
      if (bit(IS_OLDER + state)) {
        let distance = second;
        if (bit(IS_SECOND + state)) {
          distance = third;
          if (bit(IS_THIRD + state)) {
            distance = fourth;
            fourth = third;
          }
          third = second;
        }
        second = last;
        last = distance;
      } else if (!bit(IS_LONG + state)) {
        out[at] = out[at - last - 1];
        at += 1;
        state = state < 7 ? 9 : 11;
        continue;
      }
      count = length(REPEAT_LENGTH);
      state = state < 7 ? 8 : 11;
    } else {
      [fourth, third, second] = [third, second, last];
      count = length(LENGTH);
      state = state < 7 ? 7 : 10;
      const slot = number(SLOTS + 64 * Math.min(count, 3), 6);
      const bits = (slot >> 1) - 1;
      last = slot < 4 ? slot : (2 | (slot & 1)) * 2 ** bits;
      if (slot >= 14) {
        last += plain(bits - 4) * 16 + reversed(ALIGN, 4);
      } else if (slot >= 4) {
        last += reversed(SPECIAL + last - slot, bits);
      }
    }
    for (count = Math.min(count + 2, size - at); count > 0; count -= 1) {
      out[at] = out[at - last - 1];
      at += 1;
    }
  }
  return out;
}
