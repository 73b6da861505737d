// One encode against its reference: decodes, pairs, scores.
import { blobFile, formatOf, scorerWith, VmafError } from "../../packages/npm/src/index.js";
import { factsOf, isPlain, isRaw, pairs, VideoClip } from "./clips.js";

const say = (type, content = {}, moved = []) => postMessage({ type, ...content }, moved);
let times = []; // of scored pairs, for the viewer
let clips = null;
const memory = []; // of the module, after each pair

async function scorePlain(Scorer, { reference, distorted, options, raw }) {
  if (isRaw(reference) && !raw.width) throw new VmafError(`'${reference.name}' is raw: give width, height, chroma and bits under "Raw clips"`);
  const scorer = await Scorer.open(blobFile(reference), blobFile(distorted), { ...options, ...(isRaw(reference) ? raw : {}) });
  try {
    const total = scorer.pairsLeft;
    say("facts", { text: [`${reference.name} and ${distorted.name}: read directly, ${total} pairs`] });
    for (let done = 0; scorer.read(); ) {
      say("progress", { done: ++done, total });
      memory.push(scorer.memoryBytes);
    }
    return scorer.finish();
  } finally {
    scorer.free();
  }
}

async function scoreVideo(Scorer, { reference, distorted, options }) {
  clips = [await VideoClip.open(reference), await VideoClip.open(distorted)];
  const total = Math.min(clips[0].count, clips[1].count), dropped = { reference: 0, distorted: 0 };
  let scorer = null, done = 0;
  times = [];
  try {
    for await (const [a, b] of pairs(clips[0], clips[1], dropped)) {
      if (!scorer) {
        const format = formatOf(a.format), { width, height } = a.visibleRect;
        say("facts", { text: [`Reference: ${factsOf(clips[0], a)}`, `Encode: ${factsOf(clips[1], b)}`] });
        if (b.visibleRect.width !== width || b.visibleRect.height !== height)
          throw new VmafError(`the sizes differ: ${reference.name} is ${width}x${height}, ${distorted.name} is ${b.visibleRect.width}x${b.visibleRect.height}; scale one of them first, or use the vmaf program`);
        const other = formatOf(b.format);
        if (other.pixelFormat !== format.pixelFormat || other.bitDepth !== format.bitDepth)
          throw new VmafError(`the formats differ: ${reference.name} is ${a.format}, ${distorted.name} is ${b.format}; convert one of them first, or use the vmaf program`);
        scorer = await Scorer.create({ ...options, ...format, width, height });
      }
      await scorer.push(a, b);
      times.push([a.timestamp, b.timestamp]);
      say("progress", { done: ++done, total });
      memory.push(scorer.memoryBytes);
    }
    if (!scorer) throw new VmafError("there are no frames to score");
    const notes = Object.entries(dropped).filter(([, count]) => count).map(([name, count]) => `${count} frames of the ${name === "reference" ? "reference" : "encode"} have no partner in time and were left out`);
    if (notes.length) say("notes", { text: notes });
    return scorer.finish();
  } finally {
    scorer?.free();
  }
}

async function score(job) {
  try {
    const Scorer = scorerWith({ module: job.module, models: job.models });
    if (isPlain(job.reference) !== isPlain(job.distorted))
      throw new VmafError("one clip is plain video (.y4m, .yuv) and the other is not; give two of a kind, or use the vmaf program");
    const result = await (isPlain(job.reference) ? scorePlain : scoreVideo)(Scorer, job);
    const name = job.metric;
    say("result", {
      frames: result.frames.map(({ metrics }) => metrics[name]), pooled: result.pooled, document: result.document("json"), exact: result.document("json", 17),
      percentiles: [1, 5, 50, 95].map((p) => [p, result.percentile(name, p)]), canShow: times.length > 0, memory,
    });
  } catch (error) {
    say("error", { message: error instanceof VmafError ? error.message : `${error.name}: ${error.message}` });
  }
}

async function show({ index }) {
  try {
    const images = await Promise.all(clips.map(async (clip, i) => {
      const frame = await clip.frameAt(times[index][i]);
      try {
        return await createImageBitmap(frame);
      } finally {
        frame.close();
      }
    }));
    say("images", { index, images }, images);
  } catch (error) {
    say("error", { message: error.message });
  }
}

addEventListener("message", ({ data }) => (data.type === "score" ? score(data) : show(data)));
