import { VmafError } from "./errors.js";
import { Instance } from "./instance.js";
import { copyPlane, planeSizes, planesOf, planesOfFrame } from "./pictures.js";

export const DEFAULT_MODEL = "vmaf_v0.6.1";
const DOCUMENTS = { xml: 0, json: 1, csv: 2, sub: 3 };
const ALL_DIGITS = 17;

const isFrame = (picture) => typeof VideoFrame !== "undefined" && picture instanceof VideoFrame;

function list(value) {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

// Documents write numbers that JSON lacks as C does.
function parseDocument(text) {
  const words = { nan: NaN, "-nan": NaN, inf: Infinity, "-inf": -Infinity };
  const quoted = text.replace(/: (-?(?:nan|inf))(?=[,\s}])/g, ': "\\u0000$1"');
  return JSON.parse(quoted, (key, value) => (typeof value === "string" && value[0] === "\0" ? words[value.slice(1)] : value));
}

function checkSize(sides) {
  for (const [name, value] of Object.entries(sides))
    if (!Number.isInteger(value) || value <= 0) throw new VmafError(`${name} is ${value}; give the size of the pictures in pixels`);
}

function checkWhole(numbers) {
  for (const [name, value] of Object.entries(numbers))
    if (!Number.isInteger(value) || value < 0) throw new VmafError(`${name} is ${JSON.stringify(value)}; give a whole number of at least 0`);
}

/** The scores, in full precision. */
export class Result {
  constructor(document, texts, map, warnings = []) {
    this.version = document.version;
    this.frames = document.frames.map(({ frameNum, metrics }) => ({ frame: frameNum, metrics }));
    this.pooled = document.pooled_metrics;
    this.aggregate = document.aggregate_metrics;
    this.map = map;
    this.warnings = warnings;
    this.#texts = texts;
  }
  #texts;

  /** The document that `vmaf` writes: "json", "xml", "csv" or "sub"; with `digits` significant digits, or as libvmaf prints them. */
  document(format = "json", digits = 0) {
    return this.#texts(format, digits);
  }

  /** The p-th percentile (0 to 100) of a metric over the frames, like `vmaf --percentiles`. */
  percentile(metric, p) {
    const values = this.frames.map(({ metrics }) => metrics[metric]).filter((value) => value !== undefined).sort((a, b) => a - b);
    if (values.length === 0) throw new VmafError(`there is no score '${metric}'`);
    if (!(p >= 0 && p <= 100)) throw new VmafError(`${p} is no percentile; use 0 to 100`);
    if (values.some(Number.isNaN)) return NaN;
    return values[Math.min(Math.floor((p * values.length) / 100), values.length - 1)];
  }
}

/** Creates the class with a platform (Node or browser) that loads the module and the models. */
export function scorerClass(platform) {
  return class Scorer {
    #instance;
    #handle = 0;
    #format = null;
    #files = [];
    #pending = false;
    #hasMap = false;

    /** Loads module and models, and prepares for pictures of this format. */
    static async create(options = {}) {
      const scorer = await this.#start(options);
      const { width, height, bitDepth = 8 } = options, pixelFormat = String(options.pixelFormat ?? "420");
      try {
        checkSize({ width, height });
        if (!/^4(00|20|22|44)$/.test(pixelFormat)) throw new VmafError(`there is no pixel format '${pixelFormat}'; use 420, 422, 444 or 400`);
        checkWhole({ bitDepth });
        scorer.#instance.call("scorer_prepare", scorer.#handle, Number(pixelFormat), bitDepth, width, height);
        scorer.#format = { width, height, pixelFormat, bitDepth };
        return scorer;
      } catch (error) {
        scorer.free();
        throw error;
      }
    }

    /** A scorer of two clips (YUV4MPEG2, or raw with width, height, pixelFormat and bitDepth) as files of Instance.open(). */
    static async open(reference, distorted, options = {}) {
      const scorer = await this.#start(options);
      try {
        const instance = scorer.#instance;
        scorer.#files = [reference, distorted].map((file) => instance.open(file));
        const isRaw = options.width !== undefined;
        const { width = 0, height = 0, pixelFormat = "420", bitDepth = 8 } = options;
        if (isRaw) checkSize({ width, height });
        checkWhole({ bitDepth });
        instance.call("scorer_open", scorer.#handle, scorer.#files[0], reference.name, scorer.#files[1], distorted.name,
          Number(pixelFormat), isRaw ? bitDepth : 0, width, height);
        return scorer;
      } catch (error) {
        scorer.free();
        throw error;
      }
    }

    static async #start({ model = DEFAULT_MODEL, features, subsample = 0, frameRate = 0, map = false, mapCell = 0, simd, instance }) {
      checkWhole({ subsample, mapCell });
      const scorer = new this();
      scorer.#instance = instance ?? (await platform.instance(simd));
      const { exports } = scorer.#instance;
      scorer.#handle = exports.scorer_new(subsample, frameRate);
      if (!scorer.#handle) throw scorer.#instance.error();
      try {
        const models = list(model);
        for (const each of models) await scorer.#addModel(typeof each === "string" ? { version: each } : each, models.length > 1);
        for (const each of list(features)) scorer.#addFeature(typeof each === "string" ? { name: each } : each);
        if (map) scorer.#instance.call("scorer_use_map", scorer.#handle, map === true ? "" : map, mapCell);
        scorer.#hasMap = Boolean(map);
        return scorer;
      } catch (error) {
        scorer.free();
        throw error;
      }
    }

    async #addModel({ version, json, name, options = {}, disableClip = false, enableTransform = false }, isOneOfSeveral) {
      const text = json === undefined ? await platform.model(version) : typeof json === "string" ? json : JSON.stringify(json);
      this.#setOptions(options);
      this.#instance.call("scorer_model", this.#handle, text, name ?? (isOneOfSeveral ? (version ?? "vmaf") : "vmaf"), disableClip, enableTransform);
    }

    #addFeature({ name, options = {} }) {
      this.#setOptions(options);
      this.#instance.call("scorer_feature", this.#handle, name);
    }

    #setOptions(options) {
      for (const [key, value] of Object.entries(options)) this.#instance.call("scorer_option", this.#handle, key, String(value));
    }

    /** "simd128" or "scalar". */
    get instructionSet() {
      return this.#instance.text(this.#instance.exports.scorer_isa(this.#alive));
    }

    /** Memory of the module, shared by all scorers of a thread; it never shrinks. */
    get memoryBytes() {
      return this.#instance.exports.memory.buffer.byteLength;
    }

    /** Scores the next pair. With VideoFrames it returns a promise to await before the next call. */
    push(reference, distorted) {
      const format = this.#needs("push");
      if (!isFrame(reference) && !isFrame(distorted)) return this.#pushPlanes([planesOf(reference, format), planesOf(distorted, format)]);
      this.#pending = true;
      return Promise.all([reference, distorted].map((picture) => (isFrame(picture) ? planesOfFrame(picture, format) : planesOf(picture, format))))
        .finally(() => { this.#pending = false; })
        .then((pictures) => this.#pushPlanes(pictures));
    }

    #needs(call) {
      if (!this.#format) throw new VmafError(this.#alive ? `${call}() needs a scorer of create()` : "");
      if (this.#pending) throw new VmafError("the last push() of VideoFrames is still running; await it");
      void this.#alive;
      return this.#format;
    }

    get #alive() {
      if (!this.#handle) throw new VmafError("the scorer was freed");
      return this.#handle;
    }

    #pushPlanes(pictures) {
      const { exports } = this.#instance, handle = this.#alive;
      const planes = exports.scorer_reads_chroma(handle) ? 3 : 1;
      const Samples = this.#format.bitDepth > 8 ? Uint16Array : Uint8Array;
      if (pictures.some((picture) => picture.length < planes)) throw new VmafError("the picture has only luma, and a feature needs chroma; give all planes");
      pictures.forEach((picture, which) => picture.slice(0, planes).forEach((plane, i) => {
        const address = exports.scorer_plane(handle, which, i);
        const stride = exports.scorer_stride(handle, which, i) / Samples.BYTES_PER_ELEMENT;
        const [width, height] = planeSizes(this.#format)[i];
        copyPlane(plane, new Samples(exports.memory.buffer, address, stride * height), stride, width, height);
      }));
      this.#instance.call("scorer_push", handle);
    }

    /** For scorers from open(): scores the next pair; false at the end of either clip. */
    read() {
      return this.#instance.call("scorer_read", this.#alive) === 1;
    }
    get pairsLeft() {
      return this.#instance.exports.scorer_pairs_left(this.#alive);
    }
    get frameRate() {
      return this.#instance.exports.scorer_frame_rate(this.#alive);
    }

    /** Returns the scores and frees the scorer's memory; the result stays valid. */
    finish() {
      if (this.#pending) throw new VmafError("the last push() of VideoFrames is still running; await it");
      const instance = this.#instance;
      instance.call("scorer_finish", this.#alive);
      const text = (format, digits) => {
        const number = DOCUMENTS[format];
        if (number === undefined) throw new VmafError(`there is no format '${format}'; use json, xml, csv or sub`);
        const address = instance.exports.scorer_document(this.#handle, number, digits);
        if (!address) throw instance.error();
        return instance.text(address);
      };
      // Creates all documents now, since the memory is freed.
      const texts = new Map();
      for (const format of Object.keys(DOCUMENTS)) for (const digits of [0, ALL_DIGITS]) texts.set(`${format} ${digits}`, text(format, digits));
      const map = this.#hasMap ? this.#map() : null, warnings = this.#warnings();
      this.free();
      return new Result(parseDocument(texts.get(`json ${ALL_DIGITS}`)), (format, digits) => {
        const found = texts.get(`${format} ${digits}`);
        if (found === undefined) throw new VmafError(`there is no document '${format}' with ${digits} digits; use json, xml, csv or sub, and 0 or 17`);
        return found;
      }, map, warnings);
    }

    #warnings() {
      const { exports } = this.#instance, lag = exports.scorer_lag(this.#handle), frames = Math.abs(lag) === 1 ? "frame" : "frames";
      if (!exports.scorer_shows_the_same(this.#handle)) return ["the clips do not show the same pictures: no offset makes their frames alike"];
      if (!lag) return [];
      return [`the distorted clip is ${Math.abs(lag)} ${frames} ${lag > 0 ? "late" : "early"}: its frames fit others of the reference clip much better, so these scores mean little`];
    }

    #map() {
      const { exports } = this.#instance, handle = this.#handle;
      const numbers = (Numbers, name, count) => new Numbers(exports.memory.buffer, exports[name](handle), count).slice();
      const columns = exports.scorer_map_columns(handle), rows = exports.scorer_map_rows(handle);
      return {
        score: this.#instance.text(exports.scorer_map_score(handle)), columns, rows, x: [...numbers(Int32Array, "scorer_map_x", columns + 1)],
        y: [...numbers(Int32Array, "scorer_map_y", rows + 1)], cells: numbers(Float32Array, "scorer_map_cells", exports.scorer_map_size(handle)),
      };
    }

    /** Frees the scorer's memory; safe to call twice. */
    free() {
      if (this.#handle) this.#instance.exports.scorer_delete(this.#handle);
      this.#handle = 0;
      for (const number of this.#files.splice(0)) this.#instance.close(number);
    }
    [Symbol.dispose ?? Symbol.for("dispose")]() {
      this.free();
    }
  };
}

/** Compiles the module once; several scorers share its memory. */
export function sharedInstances(load) {
  const made = new Map();
  return (kind) => {
    if (!made.has(kind)) made.set(kind, load(kind).then((module) => Instance.create(module)).catch((error) => {
      made.delete(kind);
      throw error;
    }));
    return made.get(kind);
  };
}
