// For Node: module, models and clips are files.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

import { clipClass } from "./clip.js";
import { VmafError } from "./errors.js";
import { hasSimd } from "./instance.js";
import { scorerClass, sharedInstances } from "./scorer.js";

export { VmafError } from "./errors.js";
export { formatOf } from "./pictures.js";
export { DEFAULT_MODEL, Result } from "./scorer.js";
export { blobFile, classesWith, scorerWith } from "./index.js";
export { hasSimd };

const place = (path) => new URL(path, import.meta.url);
const instances = sharedInstances(async (kind) => WebAssembly.compile(await readFile(place(`../wasm/vmaf-turbo-${kind}.wasm`))));

/** The versions of the package's models. */
export async function models() {
  return (await readdir(place("../models/"))).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5)).sort();
}

async function model(version) {
  try {
    if (!/^[\w.]+$/.test(version)) throw new Error("not a version");
    return await readFile(place(`../models/${version}.json`), "utf8");
  } catch {
    throw new VmafError(`there is no model '${version}'; there are ${(await models()).join(", ")}`, "ENOENT");
  }
}

const platform = { instance: (simd = hasSimd()) => instances(simd ? "simd" : "scalar"), model };
export const Scorer = scorerClass(platform), Clip = clipClass(platform);

/** Opens a file for Scorer.open() and Clip.open(); call its `close()` at the end. */
export function openFile(path) {
  try {
    const descriptor = openSync(path, "r"), facts = fstatSync(descriptor);
    if (facts.isDirectory()) {
      closeSync(descriptor);
      throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
    }
    return {
      name: String(path),
      size: facts.size,
      read: (from, target) => readSync(descriptor, target, 0, target.length, from),
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    throw new VmafError(`cannot open '${path}': ${error.message.replace(/^\w+: |, \w+( '.*')?$/gs, "")}`, error.code);
  }
}

/** Scores two clips: YUV4MPEG2, or raw with width, height, pixelFormat and bitDepth. */
export async function scoreFiles(reference, distorted, { onProgress, signal, ...options } = {}) {
  const files = [];
  let scorer;
  try {
    for (const path of [reference, distorted]) files.push(openFile(path));
    scorer = await Scorer.open(files[0], files[1], options);
    const total = scorer.pairsLeft;
    for (let done = 0; ; ) {
      signal?.throwIfAborted();
      if (!scorer.read()) break;
      done++;
      onProgress?.({ done, total });
      await new Promise((resolve) => setImmediate(resolve)); // lets other work run
    }
    return scorer.finish();
  } finally {
    scorer?.free();
    for (const file of files) file.close();
  }
}
