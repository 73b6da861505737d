// For browsers and their workers: fetches module and models from next to this file.
import { clipClass } from "./clip.js";
import { VmafError } from "./errors.js";
import { hasSimd } from "./instance.js";
import { scorerClass, sharedInstances } from "./scorer.js";

export { VmafError } from "./errors.js";
export { formatOf } from "./pictures.js";
export { DEFAULT_MODEL, Result } from "./scorer.js";
export { hasSimd };

async function fetched(path) {
  const url = new URL(path, import.meta.url);
  const response = await fetch(url);
  if (!response.ok) throw new VmafError(`${url} could not be fetched: ${response.status} ${response.statusText}`, "ENOENT");
  return response;
}

const instances = sharedInstances(async (kind) => WebAssembly.compile(await (await fetched(`../wasm/vmaf-turbo-${kind}.wasm`)).arrayBuffer()));

const platform = {
  instance: (simd = hasSimd()) => instances(simd ? "simd" : "scalar"),
  model: async (version) => (await fetched(`../models/${encodeURIComponent(version)}.json`)).text(),
};
export const Scorer = scorerClass(platform), Clip = clipClass(platform);

/** Scorer and Clip with the caller's module and models: for self-contained pages. */
export function classesWith({ module, models }) {
  const instance = sharedInstances(async () => module);
  const given = {
    instance: () => instance("given"),
    model: async (version) => {
      if (!(version in models)) throw new VmafError(`there is no model '${version}'; there are ${Object.keys(models).join(", ")}`, "ENOENT");
      return models[version];
    },
  };
  return { Scorer: scorerClass(given), Clip: clipClass(given) };
}

export const scorerWith = (parts) => classesWith(parts).Scorer;

const READ_AHEAD = 1 << 20; // bytes: every reading of a Blob takes milliseconds, and clips of odd sizes are read row by row

/** Wraps a Blob or File for Scorer.open(); only in workers, which can read files synchronously. */
export function blobFile(blob, name = blob.name ?? "clip") {
  const reader = new FileReaderSync();
  const read = (begin, length) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(begin, begin + length)));
  let ahead = new Uint8Array(0), first = 0; // what was read last, and where it begins
  return {
    name,
    size: blob.size,
    read(place, target) {
      let bytes;
      if (target.length >= READ_AHEAD) bytes = read(place, target.length);
      else {
        if (place < first || place + target.length > first + ahead.length) [ahead, first] = [read(place, READ_AHEAD), place];
        bytes = ahead.subarray(place - first, place - first + target.length);
      }
      target.set(bytes);
      return bytes.length;
    },
  };
}
