// One encode against its reference: decodes, pairs, scores.
import { blobFile, classesWith, VmafError } from "../../packages/npm/src/index.js";
import { colourNotes, described, isPlain, isRaw, pairs, pictureFormat, PlainClip, VideoClip } from "./clips.js";
import { bitmapOf } from "./picture.js";

const PERCENTILES = [1, 5, 50, 95], REPORT_MS = 100;
const say = (type, content = {}, moved = []) => postMessage({ type, ...content }, moved);
let places = []; // of scored pairs, for the viewer: times or numbers
let clips = null;
let reported = 0;
const memory = []; // of the module, after each pair

function scored(scorer, done, total) {
  memory.push(scorer.memoryBytes);
  if (done < total && performance.now() - reported < REPORT_MS) return;
  reported = performance.now();
  say("progress", { done, total });
}

/** Two plain clips of one kind: the engine reads them frame by frame, like `vmaf`. */
async function scorePlain({ Scorer }, { reference, distorted, options, raw }) {
  const scorer = await Scorer.open(blobFile(reference), blobFile(distorted), { ...options, ...(isRaw(reference) ? raw : {}) });
  try {
    const total = scorer.pairsLeft;
    say("facts", { text: [`${reference.name} and ${distorted.name}: read directly, ${total} ${total === 1 ? "pair" : "pairs"}`] });
    for (let done = 0; scorer.read(); ) {
      places.push([{ number: done }, { number: done }]);
      scored(scorer, ++done, total);
    }
    return scorer.finish();
  } finally {
    scorer.free();
  }
}

async function scorerFor(Scorer, [a, b], { reference, distorted, options }) {
  const format = pictureFormat(a), other = pictureFormat(b);
  say("facts", { text: [`Reference: ${clips[0].factsOf(a)}`, `Encode: ${clips[1].factsOf(b)}`] });
  if (!(clips[0].hasTimes && clips[1].hasTimes)) say("notes", { text: ["Frames are paired by number: a raw clip has no times"] });
  if (other.width !== format.width || other.height !== format.height)
    throw new VmafError(`the sizes differ: ${reference.name} is ${format.width}x${format.height}, ${distorted.name} is ${other.width}x${other.height}; scale one of them first, or use the vmaf program`);
  if (other.pixelFormat !== format.pixelFormat || other.bitDepth !== format.bitDepth)
    throw new VmafError(`the formats differ: ${reference.name} is ${described(format)}, ${distorted.name} is ${described(other)}; convert one of them first, or use the vmaf program`);
  const notes = colourNotes([a, b], [reference.name, distorted.name]);
  if (notes.length) say("warnings", { text: notes });
  return Scorer.create({ ...options, ...format });
}

async function scorePairs({ Scorer }, job) {
  const total = Math.min(clips[0].count, clips[1].count), dropped = { reference: 0, distorted: 0 };
  const input = (frame) => frame.planes ?? frame, place = ({ timestamp, number }) => ({ timestamp, number });
  let scorer = null, done = 0;
  try {
    for await (const pair of pairs(...clips, dropped)) {
      scorer ??= await scorerFor(Scorer, pair, job);
      await scorer.push(...pair.map(input));
      places.push(pair.map(place));
      scored(scorer, ++done, total);
    }
    if (!scorer) throw new VmafError(`the ${dropped.reference ? "encode" : "reference"} has no frames to score; check that the file is complete`);
    const notes = Object.entries(dropped).filter(([, count]) => count)
      .map(([name, count]) => `${count} ${count === 1 ? "frame" : "frames"} of the ${name === "reference" ? "reference" : "encode"} without a partner in time left out`);
    if (notes.length) say("notes", { text: notes });
    return scorer.finish();
  } finally {
    scorer?.free();
  }
}

async function score(job) {
  try {
    const classes = classesWith({ module: job.module, models: job.models }), both = [job.reference, job.distorted];
    clips = await Promise.all(both.map((file) => (isPlain(file) ? PlainClip.open(file, classes.Clip, job.raw) : VideoClip.open(file))));
    const isEngines = both.every(isPlain) && isRaw(job.reference) === isRaw(job.distorted);
    const result = await (isEngines ? scorePlain : scorePairs)(classes, job);
    const name = job.metric;
    if (result.warnings.length) say("warnings", { text: result.warnings.map((text) => text.replace("the distorted clip", "The encode").replace(/^the/, "The")) });
    say("result", {
      frames: result.frames.map(({ metrics }) => metrics[name]), pooled: result.pooled, document: result.document("json"), exact: result.document("json", 17),
      percentiles: Object.fromEntries(Object.keys(result.pooled).map((metric) => [metric, PERCENTILES.map((p) => result.percentile(metric, p))])), memory, map: result.map,
    });
  } catch (error) {
    say("error", { message: error instanceof VmafError ? error.message : `${error.name}: ${error.message}` });
  }
}

async function show({ index }) {
  try {
    const images = await Promise.all(clips.map(async (clip, i) => {
      const frame = await clip.frameAt(places[index][i]);
      try {
        return await bitmapOf(frame);
      } finally {
        frame.close();
      }
    }));
    say("images", { index, images }, images);
  } catch (error) {
    say("unseen", { message: error.message });
  }
}

addEventListener("message", ({ data }) => (data.type === "score" ? score(data) : show(data)));
