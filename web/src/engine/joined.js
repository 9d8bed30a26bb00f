/**
 * A file put together again from its first part and the rest. The rest begins with the length of a list; the list has three numbers for each
 * edit: how many bytes of the first part stay before it, how many are dropped, how many come instead. After the list are the bytes that come.
 * Numbers are written as in WebAssembly, seven bits a byte, the lowest first.
 */

/** @param {Uint8Array} bytes @param {number} at @returns {[number, number]} the number, and where the next one begins */
export function numberAt(bytes, at) {
  let [value, shift] = [0, 1];
  for (;;) {
    const byte = bytes[at++];
    value += (byte & 127) * shift;
    shift *= 128;
    if (byte < 128) {
      return [value, at];
    }
  }
}

/** @param {Uint8Array} first @param {Uint8Array} rest @returns {Uint8Array<ArrayBuffer>} */
export function joined(first, rest) {
  const [length, start] = numberAt(rest, 0);
  /** @type {number[]} */
  const edits = [];
  for (let at = start; at < start + length; ) {
    const [number, next] = numberAt(rest, at);
    edits.push(number);
    at = next;
  }
  const kept = edits.reduce((sum, number, at) => (at % 3 === 1 ? sum - number : at % 3 === 2 ? sum + number : sum), first.length);
  const whole = new Uint8Array(kept);
  let [from, come, to] = [0, start + length, 0];
  for (let edit = 0; edit < edits.length; edit += 3) {
    const [stay, drop, add] = edits.slice(edit, edit + 3);
    whole.set(first.subarray(from, from + stay), to);
    whole.set(rest.subarray(come, come + add), to + stay);
    from += stay + drop;
    come += add;
    to += stay + add;
  }
  whole.set(first.subarray(from), to);
  return whole;
}
