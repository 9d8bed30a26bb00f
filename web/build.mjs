/**
 * Builds the page from these sources and the engine: `$BITSTRIDE_WASM/page/` to be served, and `$BITSTRIDE_WASM/bitstride.html`, the whole page in
 * one file. `page/bitstride-view.js` is the element for other pages. `$BITSTRIDE_WASM` is the folder that `cargo xtask web` fills, ../target/web where it is not set.
 */
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
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

/** @param {string} spawn the module that makes the worker */
const made = (spawn) => ({
  name: "made modules",
  setup(builder) {
    builder.onResolve({ filter: /^gallery$/ }, () => ({ path: "gallery", namespace: "made" }));
    builder.onResolve({ filter: /^engine$/ }, () => ({ path: join(engine, "bitstride.js") }));
    builder.onResolve({ filter: /^spawn$/ }, () => ({ path: join(here, "src", spawn) }));
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
  await copyFile(join(engine, "bitstride_bg.wasm"), join(page, "bitstride_bg.wasm"));
  await copyFile(join(here, "src/index.html"), join(page, "index.html"));
}

async function oneFile() {
  const text = async (options) => {
    const { outputFiles } = await build({ ...common, write: false, ...options });
    return outputFiles[0].text;
  };
  const main = await text({
    entryPoints: ["src/main.js"],
    format: "esm",
    splitting: false,
    plugins: [made("spawn-inline.js")],
  });
  const worker = await text({ entryPoints: ["src/engine/worker-inline.js"], format: "iife", plugins: [made("spawn-inline.js")], define: { "import.meta.url": '""' } });
  const style = await text({ entryPoints: ["src/style.css"] });
  const module = await readFile(join(engine, "bitstride_bg.wasm"));
  const pack = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
  const shell = await readFile(join(here, "src/index.html"), "utf8");
  const html = shell
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, () =>
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:" />`,
    )
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/<link rel="modulepreload"[^>]*>/g, "")
    .replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, () =>
      [
        `<script type="text/plain" id="worker-script">${pack(Buffer.from(worker))}</script>`,
        `<script type="text/plain" id="engine-module">${pack(module)}</script>`,
        `<script type="module">${main.replaceAll("</script", "<\\/script")}</script>`,
      ].join("\n"),
    );
  await writeFile(join(engine, "bitstride.html"), html);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await served();
  await oneFile();
}
