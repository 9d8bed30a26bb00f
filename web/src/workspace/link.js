/**
 * Links: a workspace in the fragment of an address, which no server sees.
 *
 * `#1~…` is the text of the workspace with a few letters exchanged, readable; `#1.…` is the same text deflated, in base64url.
 * 1 is the version of the form: a page reads every version that was ever written (tests/links.txt holds links that must open for ever).
 * Law: `decode(await encode(workspace))` is the workspace.
 */
import { parse, print } from "./format.js";

/** A readable link is written up to this many characters. */
const READABLE = 240;

/** A link that unfolds to more than this is refused: 4 MiB of text. */
const MAX_TEXT = 4 << 20;

/** @typedef {import("./format.js").Workspace} Workspace */

/** @param {Workspace} workspace @returns {Promise<string>} the fragment, with its `#` */
export async function encode(workspace) {
  const text = print(workspace);
  const readable = `#1~${exchange(text)}`;
  if (readable.length <= READABLE) {
    return readable;
  }
  const packed = `#1.${toBase64url(await deflate(new TextEncoder().encode(text)))}`;
  return packed.length < readable.length ? packed : readable;
}

/** @param {string} fragment @returns {Promise<Workspace | undefined>} */
export async function decode(fragment) {
  if (fragment.startsWith("#1~")) {
    return parse(exchangeBack(fragment.slice(3)));
  }
  if (fragment.startsWith("#1.")) {
    const text = await inflate(fromBase64url(fragment.slice(3)));
    return parse(text);
  }
  return undefined;
}

/** A space is `;`, a new line `~`; these two and what an address may not hold are written as `%xx`. @param {string} text */
function exchange(text) {
  return encodeURI(text)
    .replace(/[~;#]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", ";")
    .replaceAll("%0A", "~")
    .replaceAll("'", "%27");
}

/** @param {string} text */
function exchangeBack(text) {
  return decodeURIComponent(text.replaceAll("~", "%0A").replaceAll(";", "%20"));
}

/** @param {Uint8Array} bytes */
async function deflate(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Uint8Array} bytes */
async function inflate(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [text, length] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > MAX_TEXT) {
      await reader.cancel();
      throw new Error("the link unfolds to more than 4 MiB");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/** @param {Uint8Array} bytes */
function toBase64url(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
function fromBase64url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/**
 * The hash of the answers of a sheet: 32 bits of FNV-1a over their texts, in hexadecimal. A link has it beside its version,
 * so that the page can say whether the answers are still those that the sender saw.
 * @param {{value?: string, error?: {code: string}}[]} lines
 */
export function hashOf(lines) {
  let hash = 0x811c9dc5;
  const text = lines.map((line) => line.value ?? `error ${line.error?.code}`).join("\n");
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
