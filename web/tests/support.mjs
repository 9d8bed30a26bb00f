/** What all tests of the page share: a server of the built page that notes every request, a browser, and the sheet by its parts. */
import { access, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, resolve } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { functionsOf } from "../kept.mjs";
import { answerer } from "../src/engine/answerer.js";

const here = dirname(fileURLToPath(import.meta.url));
/** The folder that `cargo xtask web` fills. */
export const built = resolve(process.env.BITSTRIDE_WASM ?? join(here, "../../target/web"));
const page = join(built, "page");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/** Serves the page on a free port of this machine. */
async function serve() {
  const server = createServer(async (request, response) => {
    const name = new URL(request.url ?? "/", "http://localhost").pathname.replace(/^\/$/, "/index.html");
    try {
      const body = await readFile(join(page, name.replaceAll("..", "")));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream", "cache-control": "no-store" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** The browser: $CHROMIUM, or Debian's. */
const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"],
  });

/** Why the page cannot be tested here, or undefined. */
export async function missing() {
  for (const [file, what] of [
    [join(page, "index.html"), "the built page (cargo xtask web)"],
    [process.env.CHROMIUM ?? "/usr/bin/chromium", "a Chromium (CHROMIUM=path)"],
  ]) {
    try {
      await access(file);
    } catch {
      return `${what} is missing`;
    }
  }
  return undefined;
}

/** A server and a browser for the tests of a file, unless they are skipped. @param {string | undefined} skip */
export function inBrowser(skip) {
  /** @type {{browser: import("playwright-core").Browser, origin: string}} */
  const here = { browser: /** @type {any} */ (undefined), origin: "" };
  let close = () => {};
  before(async () => {
    if (!skip) {
      const server = await serve();
      [here.browser, here.origin, close] = [await launch(), server.origin, server.close];
    }
  });
  after(async () => {
    await here.browser?.close();
    close();
  });
  return here;
}

/** Numbers below a bound that are the same in every run (xorshift). @param {number} seed @returns {(below: number) => number} */
export function random(seed) {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/**
 * A page with a workspace, its errors and the hosts it asked.
 * @param {import("playwright-core").Browser} browser
 * @param {string} address
 * @param {import("playwright-core").BrowserContextOptions} [options]
 * @param {(tab: import("playwright-core").Page) => Promise<unknown>} [prepare] what is done before the address is opened
 */
export async function open(browser, address, options = {}, prepare) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, ...options });
  const tab = await context.newPage();
  await prepare?.(tab);
  /** @type {string[]} */
  const faults = [];
  const requests = [];
  tab.on("pageerror", (error) => faults.push(error.message));
  // Chromium gives text that is typed over a selection a style of its own; the page's policy drops it and says so.
  tab.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Applying inline style")) {
      faults.push(message.text());
    }
  });
  tab.on("request", (request) => requests.push(request.url()));
  await tab.goto(address);
  await tab.waitForSelector(".cm-content", { timeout: 20000 });
  return { tab, faults, requests, context };
}

/** Waits until the sheet is answered and every picture painted. @param {import("playwright-core").Page} tab */
export async function settled(tab) {
  await tab.waitForFunction(
    () => {
      const shadow = document.querySelector(".editor")?.shadowRoot;
      const lines = [...(shadow?.querySelectorAll(".cm-line") ?? [])].filter((line) => /\S/.test(line.textContent ?? ""));
      const answers = shadow?.querySelectorAll(".answer").length ?? 0;
      const stages = [...document.querySelectorAll(".tile")];
      return (
        (answers > 0 || lines.length === 0) &&
        stages.every((tile) => tile.querySelector(".tile-error") || /** @type {HTMLElement} */ (tile.querySelector(".stage"))?.dataset.painted)
      );
    },
    undefined,
    { timeout: 20000 },
  );
  await tab.waitForTimeout(120);
}

/** Types a whole sheet in place of the one that is there. @param {import("playwright-core").Page} tab @param {string} text */
export async function type(tab, text) {
  await tab.locator(".cm-content").click();
  await tab.keyboard.press("Control+A");
  await tab.keyboard.insertText(text);
}

/** The answers under the lines, as texts. @param {import("playwright-core").Page} tab */
export const answersOf = (tab) => tab.locator(".answer").allInnerTexts();

/** Prints a count in the form that the table of measurements reads. @param {string} id @param {number} got @param {number} all @param {string} what */
export const report = (id, got, all, what) => console.log(`${id}: ${got} of ${all} ${what}`);

/** The engine without a browser: questions as the worker answers them. */
export async function ask() {
  const module = await functionsOf(built);
  module.initSync({ module: await readFile(join(built, "bitstride_bg.wasm")) });
  const answer = answerer(module);
  return (/** @type {string} */ method, /** @type {string[]} */ ...args) => answer(method, args).value;
}
