/**
 * Bytes as a text of UTF-16, 15.9 bits a unit, for a script element: without markup, ends of lines and halves of characters. A unit is one of
 * 63,358; the first 2,178 of them stand for 15 bits each, the others for 16.
 */

const FIRST = 0x80;
const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;
const COUNT = 0xfffe - SURROGATE_COUNT - FIRST;
const SHORT = 0x10000 - COUNT;

/** @param {Uint8Array} bytes */
export function textOf(bytes) {
  /** @type {string[]} */
  const text = [];
  let [held, bits, at] = [0, 0, 0];
  const take = (/** @type {number} */ count) => {
    for (; bits < count; bits += 8) {
      held = held * 256 + (bytes[at++] ?? 0);
    }
    bits -= count;
    const value = Math.floor(held / 2 ** bits);
    held %= 2 ** bits;
    return value;
  };
  while (at * 8 - bits < bytes.length * 8) {
    const value = take(15);
    const number = value < SHORT ? value : value * 2 + take(1) - SHORT;
    const unit = FIRST + number;
    text.push(String.fromCharCode(unit < SURROGATES ? unit : unit + SURROGATE_COUNT));
  }
  return text.join("");
}

/** @param {string} text @param {number} length how many bytes it stands for */
export function bytesOf(text, length) {
  const bytes = new Uint8Array(length);
  let [held, bits, at] = [0, 0, 0];
  for (let index = 0; at < length; index += 1) {
    const unit = text.charCodeAt(index);
    const number = (unit < SURROGATES ? unit : unit - SURROGATE_COUNT) - FIRST;
    const isShort = number < SHORT;
    // At most 7 bits are held, so that all fit in 32.
    held = isShort ? (held << 15) | number : (held << 16) | (number + SHORT);
    bits += isShort ? 15 : 16;
    for (; bits >= 8 && at < length; at += 1) {
      bits -= 8;
      bytes[at] = held >>> bits;
    }
    held &= (1 << bits) - 1;
  }
  return bytes;
}
