// Builds the page: one self-contained file.   node web/build.mjs MODULE.wasm OUTPUT.html
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, output] = process.argv.slice(2);
const MODELS = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_3d0h_2160"];

async function bundle(name) {
  const { outputFiles } = await build({ entryPoints: [join(here, "src", name)], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
    define: { "import.meta.url": "''" }, legalComments: "eof" });
  return outputFiles[0].text.replaceAll("</script", "<\\/script").trim();
}
const read = (name) => readFileSync(join(here, "src", name), "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("page.js"), style = read("page.css"), worker = await bundle("worker.js");
const { version } = JSON.parse(readFileSync(join(here, "../packages/npm/package.json"), "utf8"));
const parts = {
  script, style, worker, version: `vmaf-turbo ${version}`,
  wasm: readFileSync(wasm).toString("base64"),
  models: JSON.stringify(Object.fromEntries(MODELS.map((name) => [name, readFileSync(join(here, `../models/${name}.json`), "utf8")]))).replaceAll("<", "\\u003c"),
  csp: `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; worker-src blob:; style-src ${hash(style)}; img-src blob:; base-uri 'none'; form-action 'none'`,
};
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, read("page.html").replace(/@(\w+)@/g, (all, name) => parts[name] ?? all));
