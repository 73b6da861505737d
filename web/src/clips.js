// Clips in a worker, frame by frame in display order: video files that the browser decodes, and plain clips.
import { ALL_FORMATS, BlobSource, EncodedPacketSink, Input } from "mediabunny";

import { blobFile, formatOf, VmafError } from "../../packages/npm/src/index.js";
import { missingBytes } from "./complete.js";

const IN_WORK = 8; // frames that a decoder may run ahead; they hold its memory

export const isPlain = (file) => /\.(y4m|yuv|raw)$/i.test(file.name);
export const isRaw = (file) => /\.(yuv|raw)$/i.test(file.name);

const problem = (file, text) => new VmafError(`'${file.name}' ${text}`);

/** Width, height, chroma format and depth of a frame of either kind; throws if its samples cannot be read. */
export function pictureFormat(frame) {
  if (frame.planes) return frame.format;
  const { pixelFormat, bitDepth } = formatOf(frame.format);
  return { width: frame.visibleRect.width, height: frame.visibleRect.height, pixelFormat, bitDepth };
}

const isHdr = ({ transfer }) => transfer === "pq" || transfer === "hlg";

/** Sentences about colours that differ, of a pair of frames; throws where the samples do not mean the same. Limited unless stated, as for `vmaf`. */
export function colourNotes(frames, names) {
  const colours = frames.map(({ colorSpace }) => colorSpace ?? {}), told = (i, text) => `${names[i]} ${text}`;
  const ranges = colours.map(({ fullRange }) => (fullRange ? "has full range" : "has limited range"));
  if (ranges[0] !== ranges[1] && colours.every(({ fullRange }) => fullRange !== undefined))
    throw new VmafError(`the colour ranges differ: ${names.map((_, i) => told(i, ranges[i])).join(", ")}; convert one of them first, or use the vmaf program, which does`);
  if (colours.every(({ transfer }) => transfer) && isHdr(colours[0]) !== isHdr(colours[1]))
    throw new VmafError(`${names.map((_, i) => told(i, isHdr(colours[i]) ? "is HDR" : "is not")).join(", ")}; their scores would mean nothing`);
  return ["matrix", "transfer", "primaries"].filter((word) => colours[0][word] && colours[1][word] && colours[0][word] !== colours[1][word])
    .map((word) => `The ${word} differs: ${colours[0][word]} and ${colours[1][word]}; samples are compared as they are stored`);
}
export const described = ({ width, height, pixelFormat, bitDepth }) => `${width}x${height} ${[...pixelFormat].join(":")} ${bitDepth} bit`;

/** YUV4MPEG2 and raw clips, read by the engine. Without a frame rate they have no timestamps. */
export class PlainClip {
  static async open(file, Clip, raw) {
    if (isRaw(file) && !(raw.width > 0 && raw.height > 0))
      throw problem(file, 'is raw: give width, height, chroma and bits under "Raw clips"');
    const clip = new PlainClip();
    clip.file = file;
    clip.reopen = () => Clip.open(blobFile(file), isRaw(file) ? raw : {});
    const reader = await clip.reopen();
    clip.count = reader.framesLeft;
    clip.rate = reader.frameRate;
    reader.free();
    const header = isRaw(file) ? "" : (await file.slice(0, 1024).text()).split("\n")[0];
    clip.colorSpace = isRaw(file) ? {} : { fullRange: header.includes("XCOLORRANGE=FULL") };
    return clip;
  }

  get hasTimes() {
    return this.rate > 0;
  }

  factsOf(frame) {
    return `${isRaw(this.file) ? "raw" : "YUV4MPEG2"}, ${described(frame.format)}, read directly${this.hasTimes ? `, ${+this.rate.toFixed(3)} frames/s` : ""}`;
  }

  async *frames() {
    const reader = await this.reopen();
    try {
      for (let i = 0, planes = reader.read(); planes; planes = reader.read(), i++)
        yield { planes, format: reader.format, colorSpace: this.colorSpace, timestamp: this.hasTimes ? Math.round((i * 1e6) / this.rate) : 0,
          duration: this.hasTimes ? 1e6 / this.rate : 0, number: i, close() {} };
    } finally {
      reader.free();
    }
  }

  /** The frame with a number. */
  async frameAt({ number }) {
    const reader = await this.reopen();
    try {
      const planes = reader.skip(number) ? reader.read() : null;
      if (!planes) throw problem(this.file, `frame ${number} is not there; the file has changed`);
      return { planes, format: reader.format, close() {} };
    } finally {
      reader.free();
    }
  }
}

export class VideoClip {
  hasTimes = true;

  static async open(file) {
    if (typeof VideoDecoder === "undefined")
      throw problem(file, "cannot be decoded here: WebCodecs needs a newer browser, and a page from https: or a local file. Or use .y4m clips");
    const clip = new VideoClip();
    clip.file = file;
    if (file.size === 0) throw problem(file, "is empty; there is nothing to score");
    const missing = await missingBytes(file);
    if (missing) throw problem(file, `is cut off: ${missing} bytes are missing at its end; copy or encode it again`);
    try {
      clip.track = await new Input({ source: new BlobSource(file), formats: ALL_FORMATS }).getPrimaryVideoTrack();
    } catch (error) {
      throw problem(file, `cannot be read as MP4, WebM or Matroska (${error.message}); check that the file is complete`);
    }
    if (!clip.track) throw problem(file, "has no video that can be read; check that the file is complete");
    const turn = await clip.track.getRotation();
    if (turn) throw problem(file, `is to be shown rotated by ${turn} degrees, and frames are not rotated here; use the vmaf program, which does`);
    const config = await clip.track.getDecoderConfig();
    if (!config) throw problem(file, "has a codec that this browser does not support; decode it to .y4m first");
    // A software decoder gives the same samples everywhere.
    for (const hardwareAcceleration of ["prefer-software", "no-preference"]) {
      const wanted = { ...config, hardwareAcceleration };
      if ((await VideoDecoder.isConfigSupported(wanted).catch(() => ({}))).supported) {
        clip.config = wanted;
        break;
      }
    }
    if (!clip.config) throw problem(file, `is ${config.codec}, which this browser does not decode; use another browser or decode it to .y4m first`);
    clip.count = (await clip.track.computePacketStats()).packetCount;
    return clip;
  }

  get decoder() {
    return this.config.hardwareAcceleration === "prefer-software" ? "software" : "chosen by the browser";
  }

  /** Frames from a packet on; the caller closes them. */
  async *frames(from) {
    const ready = [];
    let failure = null, wake = () => {}, flushed = false;
    const decoder = new VideoDecoder({
      output: (frame) => { ready.push(frame); wake(); },
      error: (error) => { failure = error; wake(); },
    });
    try {
      decoder.configure(this.config);
      const packets = new EncodedPacketSink(this.track).packets(from);
      let more = true;
      for (;;) {
        if (failure) throw problem(this.file, `could not be decoded (${failure.message}); the file may be damaged`);
        if (ready.length) {
          const frame = ready.shift();
          if (frame.timestamp >= 0) yield frame;
          else frame.close(); // before the start of an edit list: players do not show it
          continue;
        }
        if (more && decoder.decodeQueueSize < IN_WORK) {
          const { value, done } = await packets.next();
          if (done) {
            more = false;
            decoder.flush().then(() => { flushed = true; wake(); }, (error) => { failure ??= error; wake(); });
          } else decoder.decode(value.toEncodedVideoChunk());
          if (!ready.length && more) await new Promise((resolve) => setTimeout(resolve));
          continue;
        }
        if (flushed) return;
        await new Promise((resolve) => { wake = resolve; setTimeout(resolve, 50); });
      }
    } finally {
      for (const frame of ready) frame.close();
      if (decoder.state !== "closed") decoder.close();
    }
  }

  factsOf(frame) {
    const { primaries, transfer, matrix, fullRange } = frame.colorSpace, words = [primaries, transfer, matrix];
    const colours = words.some(Boolean) ? words.map((word) => word ?? "not stated").join("/") : "not stated";
    return `${this.config.codec}, ${described(pictureFormat(frame))} (${frame.format}), ` +
      `decoder: ${this.decoder}, colour: ${colours}${fullRange ? ", full range" : ""}`;
  }

  /** The frame at a time in microseconds. */
  async frameAt({ timestamp: time }) {
    const key = await new EncodedPacketSink(this.track).getKeyPacket(time / 1e6 + 1e-4);
    for await (const frame of this.frames(key ?? undefined)) {
      if (frame.timestamp >= time - 100) return frame;
      frame.close();
    }
    throw problem(this.file, "the frame could not be found again");
  }
}

/** Pairs of frames by their times since the first, or by number where a clip has no times; frames without a partner are dropped and counted. */
export async function* pairs(reference, distorted, dropped) {
  const isTimed = reference.hasTimes && distorted.hasTimes;
  const left = reference.frames(), right = distorted.frames();
  let a = null, b = null, zeroA = null, zeroB = null;
  const next = async (frames) => (await frames.next()).value ?? null;
  try {
    a = await next(left);
    b = await next(right);
    zeroA = a?.timestamp ?? 0;
    zeroB = b?.timestamp ?? 0;
    while (a && b) {
      const apart = isTimed ? (a.timestamp - zeroA) - (b.timestamp - zeroB) : 0;
      const half = Math.min(a.duration || 1e6 / 24, b.duration || 1e6 / 24) / 2;
      if (apart > half) {
        dropped.distorted++;
        b.close();
        b = await next(right);
      } else if (apart < -half) {
        dropped.reference++;
        a.close();
        a = await next(left);
      } else {
        yield [a, b];
        a.close();
        b.close();
        [a, b] = [await next(left), await next(right)];
      }
    }
    for (const [frame, frames, name] of [[a, left, "reference"], [b, right, "distorted"]])
      for (let rest = frame; rest; rest = await next(frames)) {
        dropped[name]++;
        rest.close();
        if (rest === a) a = null;
        if (rest === b) b = null;
      }
  } finally {
    a?.close();
    b?.close();
    await left.return();
    await right.return();
  }
}
