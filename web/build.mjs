/**
 * Builds the page from these sources and the engine: `$BITSTRIDE_WASM/page/` to be served, and `$BITSTRIDE_WASM/bitstride.html`, the whole page in
 * one file. `page/bitstride-view.js` is the element for other pages. `$BITSTRIDE_WASM` is the folder that `cargo xtask web` fills, ../target/web where it is not set.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import { fitting, needs } from "./kept.mjs";
import { apart, element } from "./pack.mjs";
import { parse } from "./src/workspace/format.js";

const here = dirname(fileURLToPath(import.meta.url));
const engine = resolve(process.env.BITSTRIDE_WASM ?? join(here, "../target/web"));
const page = join(engine, "page");

/** The groups of the gallery in their order. */
const GROUPS = [
  "Start here",
  "Layouts, first steps",
  "CuTe layout algebra",
  "Linear layouts",
  "XLA tiled arrays",
  "Hardware",
  "Three notations, one layout",
];

/** The most bytes of all that is loaded before the page answers, as brotli packs them. */
export const FIRST_LOAD = 700_000;

/** What brotli leaves of bytes. @param {Uint8Array} bytes */
export function packed(bytes) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(bytes, { params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
}

/** The sheets of gallery/*.txt, in the order of ORDER.txt. */
export async function gallery() {
  const folder = join(here, "gallery");
  const order = (await readFile(join(folder, "ORDER.txt"), "utf8")).split("\n").filter(Boolean);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt") && name !== "ORDER.txt");
  const missing = names.filter((name) => !order.includes(name.slice(0, -4)));
  if (missing.length > 0) {
    throw new Error(`gallery/ORDER.txt does not name ${missing.join(", ")}`);
  }
  const sheets = await Promise.all(
    order.map(async (slug) => ({ slug, ...parse((await readFile(join(folder, `${slug}.txt`), "utf8")).trimEnd()) })),
  );
  return sheets.sort((one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group));
}

/** @param {string} spawn the module that makes the worker @param {Record<string, string>} [texts] files that the script has as texts, by name */
const made = (spawn, texts = {}) => ({
  name: "made modules",
  setup(builder) {
    builder.onResolve({ filter: /^gallery$/ }, () => ({ path: "gallery", namespace: "made" }));
    builder.onResolve({ filter: /^(worker-script|page-style)$/ }, ({ path }) => ({ path, namespace: "text" }));
    builder.onResolve({ filter: /^engine$/ }, () => ({ path: join(engine, "bitstride.js") }));
    builder.onResolve({ filter: /^spawn$/ }, () => ({ path: join(here, "src", spawn) }));
    builder.onLoad({ filter: /.*/, namespace: "text" }, ({ path }) => ({ contents: texts[path], loader: "text" }));
    builder.onLoad({ filter: /.*/, namespace: "made" }, async () => ({
      contents: JSON.stringify(await gallery()),
      loader: "json",
    }));
  },
});

const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  absWorkingDir: here,
  logLevel: "warning",
};

/** Numbers the locals and functions of the module so that the most used ones have the shortest numbers; what it answers stays. */
async function renumber() {
  const file = join(engine, "bitstride_bg.wasm");
  const passes = ["--duplicate-function-elimination", "--vacuum", "--coalesce-locals-learning", "--reorder-locals", "--reorder-functions"];
  await promisify(execFile)(join(here, "node_modules/.bin/wasm-opt"), ["--all-features", ...passes, file, "-o", file]);
}

async function served() {
  await rm(page, { recursive: true, force: true });
  await mkdir(page, { recursive: true });
  await build({
    ...common,
    entryPoints: { main: "src/main.js", "bitstride-view": "src/element.js" },
    outdir: page,
    format: "esm",
    splitting: true,
    chunkNames: "[name]-[hash]",
    plugins: [made("spawn.js")],
  });
  await build({ ...common, entryPoints: { worker: "src/engine/worker.js" }, outdir: page, format: "esm", plugins: [made("spawn.js")] });
  await build({ ...common, entryPoints: { style: "src/style.css" }, outdir: page });
  await copyFile(join(here, "src/index.html"), join(page, "index.html"));
  const others = await Promise.all((await readdir(page)).map((name) => readFile(join(page, name))));
  const room = others.reduce((sum, bytes) => sum - packed(bytes), FIRST_LOAD);
  const module = await readFile(join(engine, "bitstride_bg.wasm"));
  const { first, rest, name } = fitting(module, await needs(module, engine, await gallery()), room, packed);
  await writeFile(join(page, "bitstride_bg.wasm"), first);
  await writeFile(join(page, name), rest);
}

async function oneFile() {
  const text = async (options) => {
    const { outputFiles } = await build({ ...common, write: false, ...options });
    return outputFiles[0].text;
  };
  const texts = {
    "worker-script": await text({ entryPoints: ["src/engine/worker-inline.js"], format: "iife", plugins: [made("spawn-inline.js")] }),
    "page-style": await text({ entryPoints: ["src/style.css"] }),
  };
  const main = await text({
    entryPoints: ["src/main.js"],
    inject: ["src/style-inline.js"],
    format: "esm",
    plugins: [made("spawn-inline.js", texts)],
  });
  const start = await text({ entryPoints: ["src/one-file.js"], format: "esm" });
  const module = await readFile(join(engine, "bitstride_bg.wasm"));
  const shell = await readFile(join(here, "src/index.html"), "utf8");
  /** @type {[string, Uint8Array][]} */
  const files = [
    ["page-script", Buffer.from(main)],
    ["engine-module", apart(module)],
  ];
  const elements = await Promise.all(files.map(([id, bytes]) => element(id, bytes)));
  const html = shell
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, () =>
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:" />`,
    )
    .replace(/\s*<meta charset[^>]*>/, "")
    .replace(/<link rel="(stylesheet|modulepreload)"[^>]*>\s*/g, "")
    .replace(/<script[^>]*src="[^"]*"[^>]*><\/script>\s*/, "")
    .replace("</body>", () => `${elements.join("\n")}\n<script type="module">${start}</script>\n</body>`);
  // UTF-16, whose mark at the beginning comes before what anybody says of it.
  await writeFile(join(engine, "bitstride.html"), `\ufeff${html}`, "utf16le");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await renumber();
  await served();
  await oneFile();
}
