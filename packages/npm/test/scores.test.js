// Compares the package with the vmaf program (environment variables VMAF and CLIPGEN: commands, optionally with a launcher before them).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Worker } from "node:worker_threads";

import { blobFile, Clip, DEFAULT_MODEL, formatOf, hasSimd, models, openFile, Result, Scorer, scoreFiles, VmafError } from "../src/node.js";

const folder = mkdtempSync(join(tmpdir(), "vmaf-npm-"));
const at = (name) => join(folder, name);
const words = (name) => process.env[name].split(" ");
const run = ([program, ...first], ...rest) => execFileSync(program, [...first, ...rest], { stdio: ["ignore", "pipe", "pipe"] });

function clip(name, ...options) {
  run(words("CLIPGEN"), "--frames", "5", ...options, at(name));
}
function program(reference, distorted, ...options) {
  run(words("VMAF"), "-r", at(reference), "-d", at(distorted), "-q", "--json", "-o", at("out.json"), ...options);
  return readFileSync(at("out.json"), "utf8");
}
const figures = (document) => document.slice(document.indexOf('"frames"'));
const raw = { width: 176, height: 144 };
const rawOptions = ["-w", "176", "-h", "144", "-p", "420"];

before(() => {
  for (const [end, distort] of [["ref", []], ["dist", ["--distort", "dct:24"]]]) {
    clip(`${end}.y4m`, "--size", "176x144", ...distort);
    clip(`${end}.yuv`, "--size", "176x144", ...distort);
    clip(`${end}10.yuv`, "--size", "176x144", "--depth", "10", ...distort);
    clip(`${end}10.y4m`, "--size", "176x144", "--depth", "10", ...distort);
    clip(`${end}422.y4m`, "--size", "177x145", "--format", "422", ...distort);
  }
});
after(() => rmSync(folder, { recursive: true }));

function planes(name, { depth = 8, frame = 0 } = {}) {
  const bytes = readFileSync(at(name));
  const samples = (176 * 144 * 3) / 2;
  const all = depth > 8 ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : new Uint8Array(bytes);
  return all.slice(frame * samples, (frame + 1) * samples);
}

test("clips get the program's scores in every digit", async () => {
  for (const [reference, distorted] of [["ref.y4m", "dist.y4m"], ["ref422.y4m", "dist422.y4m"]]) {
    const result = await scoreFiles(at(reference), at(distorted), { features: ["psnr"] });
    assert.equal(figures(result.document("json", 17)), figures(program(reference, distorted, "--feature", "psnr", "--precision", "max")));
    assert.equal(figures(result.document()), figures(program(reference, distorted, "--feature", "psnr")));
  }
});

test("numbers in the wrong form are understood or refused", async () => {
  const picture = new Uint8Array(64 * 64 * 3);
  const scorer = await Scorer.create({ width: 64, height: 64, pixelFormat: 444 });
  assert.throws(() => scorer.push(picture.subarray(1), picture), /needs 12288/);
  scorer.push(picture, picture);
  scorer.free();
  for (const wrong of [{ bitDepth: "8" }, { bitDepth: 8.5 }, { subsample: -1 }, { mapCell: -16 }])
    await assert.rejects(Scorer.create({ width: 64, height: 64, ...wrong }), new RegExp(`${Object.keys(wrong)[0]} is .*; give a whole number`));
});

test("luma alone is enough for features that read no chroma only", async () => {
  const luma = [new Uint8Array(64 * 64)], all = [luma[0], new Uint8Array(32 * 32), new Uint8Array(32 * 32)];
  const vmaf = await Scorer.create({ width: 64, height: 64 });
  vmaf.push(luma, luma);
  vmaf.finish();
  const psnr = await Scorer.create({ width: 64, height: 64, model: null, features: ["psnr"] });
  assert.throws(() => psnr.push(luma, all), /needs chroma/);
  psnr.push(all, all);
  psnr.finish();
});

test("maps equal the program's", async () => {
  const { map } = await scoreFiles(at("ref.y4m"), at("dist.y4m"), { map: true, mapCell: 48 });
  const document = JSON.parse(program("ref.y4m", "dist.y4m", "--map", at("map.npy"), "--map-cell", "48"));
  const bytes = readFileSync(at("map.npy")), begin = 10 + bytes.readUInt16LE(8);
  const cells = new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length));
  assert.deepEqual([map.score, map.x, map.y], ["vmaf", document.map.x, document.map.y]);
  assert.deepEqual([map.columns, map.rows, map.cells.length], [4, 3, 60]);
  assert.deepEqual(map.cells, cells);
  assert.equal((await scoreFiles(at("ref.y4m"), at("dist.y4m"))).map, null);
  const psnr = await scoreFiles(at("ref.y4m"), at("dist.y4m"), { model: null, features: ["psnr"], map: "psnr_y" });
  assert.equal(psnr.map.score, "psnr_y");
  await assert.rejects(scoreFiles(at("ref.y4m"), at("dist.y4m"), { map: true, mapCell: 20 }), /multiple of 16/);
  await assert.rejects(scoreFiles(at("ref.y4m"), at("dist.y4m"), { model: null, features: ["psnr"], map: true }), /needs a score/);
});

test("raw clips of 10 bit, several models and options", async () => {
  const result = await scoreFiles(at("ref10.yuv"), at("dist10.yuv"), {
    ...raw, bitDepth: 10, model: [{ version: "vmaf_v0.6.1", name: "a" }, { version: "vmaf_v0.6.1neg", name: "b" }],
    features: [{ name: "psnr", options: { enable_mse: true } }, "ciede"],
  });
  const document = program("ref10.yuv", "dist10.yuv", ...rawOptions, "-b", "10", "--precision", "max", "--model", "version=vmaf_v0.6.1:name=a",
    "--model", "version=vmaf_v0.6.1neg:name=b", "--feature", "psnr=enable_mse=true", "--feature", "ciede");
  assert.equal(figures(result.document("json", 17)), figures(document));
});

test("pictures get the scores of clips, in every form and without SIMD128", async () => {
  const wanted = (await scoreFiles(at("ref.yuv"), at("dist.yuv"), { ...raw, features: ["psnr"] })).document("json", 17);
  const pieces = (whole) => [whole.subarray(0, 25344), whole.subarray(25344, 31680), whole.subarray(31680)];
  const padded = (whole) => {
    const strides = [200, 90, 96];
    return { strides, planes: pieces(whole).map((plane, i) => {
      const width = i ? 88 : 176, out = new Uint8Array(strides[i] * (i ? 72 : 144));
      for (let y = 0; y * width < plane.length; y++) out.set(plane.subarray(y * width, (y + 1) * width), y * strides[i]);
      return out;
    }) };
  };
  for (const simd of [hasSimd(), false])
    for (const form of [(whole) => whole, pieces, padded]) {
      const scorer = await Scorer.create({ ...raw, features: ["psnr"], simd });
      assert.equal(scorer.instructionSet, simd ? "simd128" : "scalar");
      for (let frame = 0; frame < 5; frame++) scorer.push(form(planes("ref.yuv", { frame })), form(planes("dist.yuv", { frame })));
      assert.equal(scorer.finish().document("json", 17), wanted);
    }
});

test("a single clip gives the pictures that are scored", async () => {
  const wanted = await scoreFiles(at("ref422.y4m"), at("dist422.y4m"), { features: ["psnr"] });
  const files = ["ref422.y4m", "dist422.y4m"].map((name) => openFile(at(name)));
  const clips = await Promise.all(files.map((file) => Clip.open(file)));
  assert.deepEqual(clips[0].format, { width: 177, height: 145, pixelFormat: "422", bitDepth: 8 });
  assert.deepEqual([clips[0].framesLeft, clips[0].frameRate > 0], [5, true]);
  const scorer = await Scorer.create({ ...clips[0].format, features: ["psnr"] });
  for (let pair = clips.map((clip) => clip.read()); pair[0]; pair = clips.map((clip) => clip.read())) scorer.push(...pair);
  assert.equal(scorer.finish().document("json", 17), wanted.document("json", 17));
  for (const clip of clips) clip.free();
  assert.throws(() => clips[0].read(), /freed/);
  for (const file of files) file.close();

  const raw10 = await Clip.open(openFile(at("ref10.yuv")), { ...raw, bitDepth: 10 });
  assert.ok(raw10.skip(3));
  assert.deepEqual(raw10.read()[0], planes("ref10.yuv", { depth: 10, frame: 3 }).subarray(0, 25344));
  assert.equal(raw10.skip(2), false);
  raw10.free();
  await assert.rejects(Clip.open(openFile(at("ref.yuv"))), /is not a YUV4MPEG2 clip/);
});

test("blobs are read in large pieces, also row by row", async () => {
  let reads = 0;
  globalThis.FileReaderSync = class {
    readAsArrayBuffer(piece) {
      reads++;
      return piece.buffer.slice(piece.byteOffset, piece.byteOffset + piece.length);
    }
  };
  const blob = (name) => {
    const bytes = readFileSync(at(name));
    return { name, size: bytes.length, slice: (begin, end) => bytes.subarray(begin, end) };
  };
  const scorer = await Scorer.open(blobFile(blob("ref422.y4m")), blobFile(blob("dist422.y4m")));
  while (scorer.read());
  const wanted = await scoreFiles(at("ref422.y4m"), at("dist422.y4m"));
  assert.equal(figures(scorer.finish().document()), figures(wanted.document()));
  assert.ok(reads < 12, `${reads} reads`); // a clip is 256 kB, and a row 177 bytes
});

test("clips that are out of step, or show something else, are reported", async () => {
  for (const [lag, warning] of [[1, /^the distorted clip is 1 frame late: /], [-2, /^the distorted clip is 2 frames early: /], [0, null]]) {
    clip("long.yuv", "--size", "176x144", "--frames", "40");
    const scorer = await Scorer.create(raw);
    for (let frame = 2; frame < 36; frame++) scorer.push(planes("long.yuv", { frame }), planes("long.yuv", { frame: frame - lag }));
    const { warnings } = scorer.finish();
    if (warning) assert.match(warnings.join(), warning);
    else assert.deepEqual(warnings, []);
  }
});

test("video frames: planes and interleaved chroma are read, RGB is refused", async () => {
  globalThis.VideoFrame = class {
    constructor(format, whole) {
      Object.assign(this, { format, whole, visibleRect: { width: 176, height: 144 } });
    }
    allocationSize() { return this.whole.length; }
    async copyTo(buffer) {
      const out = new Uint8Array(buffer);
      out.set(this.whole);
      if (this.format === "I420") return [{ offset: 0, stride: 176 }, { offset: 25344, stride: 88 }, { offset: 31680, stride: 88 }];
      for (let i = 0; i < 6336; i++) [out[25344 + 2 * i], out[25345 + 2 * i]] = [this.whole[25344 + i], this.whole[31680 + i]];
      return [{ offset: 0, stride: 176 }, { offset: 25344, stride: 176 }];
    }
  };
  const wanted = (await scoreFiles(at("ref.yuv"), at("dist.yuv"), { ...raw, features: ["psnr"] })).document("json", 17);
  for (const format of ["I420", "NV12"]) {
    const scorer = await Scorer.create({ ...raw, features: ["psnr"] });
    for (let frame = 0; frame < 5; frame++)
      await scorer.push(new VideoFrame(format, planes("ref.yuv", { frame })), new VideoFrame(format, planes("dist.yuv", { frame })));
    assert.equal(scorer.finish().document("json", 17), wanted);
  }
  const scorer = await Scorer.create(raw);
  const rgb = new VideoFrame("RGBX", planes("ref.yuv"));
  await assert.rejects(async () => scorer.push(rgb, rgb), /cannot be read exactly/);
  scorer.free();
  assert.throws(() => formatOf(null), VmafError);
  assert.deepEqual(formatOf("I422P10"), { pixelFormat: "422", bitDepth: 10, isSemiPlanar: false });
});

test("errors have clear messages", async () => {
  await assert.rejects(scoreFiles(at("none.y4m"), at("dist.y4m")), { name: "VmafError", code: "ENOENT" });
  await assert.rejects(scoreFiles(at("ref.yuv"), at("dist.y4m")), /is not a YUV4MPEG2 clip/);
  await assert.rejects(scoreFiles(at("nowhere.y4m"), at("dist.y4m")), { code: "ENOENT", message: `cannot open '${at("nowhere.y4m")}': no such file or directory` });
  await assert.rejects(scoreFiles(at("ref.y4m"), at("dist422.y4m")), /the clips do not match: .*176x144 4:2:0 8 bit.*177x145 4:2:2 8 bit/);
  await assert.rejects(scoreFiles(at("ref.y4m"), at("ref10.y4m")), /the clips do not match: .* 8 bit, .* 10 bit/);
  await assert.rejects(scoreFiles(folder, at("dist.y4m")), { code: "EISDIR", message: `cannot open '${folder}': it is a folder` });
  await assert.rejects(scoreFiles(at("ref.yuv"), at("dist.yuv"), { width: 176, height: -1 }), /height is -1; give the size/);
  writeFileSync(at("cut.y4m"), readFileSync(at("dist.y4m")).subarray(0, 60000));
  await assert.rejects(scoreFiles(at("ref.y4m"), at("cut.y4m")), /cut\.y4m/);
  await assert.rejects(Scorer.create({ ...raw, model: "vmaf_v9" }), /there is no model 'vmaf_v9'; there are .*vmaf_v0\.6\.1/);
  await assert.rejects(Scorer.create({ ...raw, model: null, features: ["psnrr"] }), /psnrr/);
  await assert.rejects(Scorer.create({ ...raw, model: null }), /nothing to score/);
  await assert.rejects(Scorer.create({ ...raw, pixelFormat: "410" }), /pixel format/);
  await assert.rejects(Scorer.create({ height: 144 }), /width is undefined/);
  const scorer = await Scorer.create(raw);
  assert.throws(() => scorer.push(new Uint8Array(10), new Uint8Array(10)), /has 10 samples; 176x144 420 needs 38016/);
  assert.throws(() => scorer.push(new Uint16Array(38016), new Uint16Array(38016)), /Uint8Array/);
  assert.throws(() => scorer.finish(), /no frames/);
  scorer.free();
  scorer.free();
  assert.throws(() => scorer.push(planes("ref.yuv"), planes("ref.yuv")), /freed/);
});

test("memory is freed, even after failures", async () => {
  const size = 640 * 480 * 1.5, picture = new Uint8Array(size).fill(90);
  const once = async () => {
    const scorer = await Scorer.create({ width: 640, height: 480, features: ["psnr", "cambi"] });
    scorer.push(picture, picture);
    scorer.push(picture, picture);
    scorer.finish();
    await assert.rejects(Scorer.create({ width: 640, height: 480, features: ["none"] }));
  };
  const used = () => process.memoryUsage().external + process.memoryUsage().arrayBuffers;
  await once();
  const first = used();
  for (let i = 0; i < 12; i++) await once();
  assert.ok(used() < first + 32e6, `${used()} bytes after ${first}`);
});

test("results: percentiles, other documents, models", async () => {
  const result = await scoreFiles(at("ref.y4m"), at("dist.y4m"));
  const scores = result.frames.map(({ metrics }) => metrics.vmaf).sort((a, b) => a - b);
  assert.equal(result.percentile("vmaf", 0), scores[0]);
  assert.equal(result.percentile("vmaf", 50), scores[2]);
  assert.equal(result.pooled.vmaf.max, scores[4]);
  const { pooled_metrics } = JSON.parse(program("ref.y4m", "dist.y4m", "--percentiles", "1,5,30,50,95,100", "--precision", "max"));
  for (const p of [1, 5, 30, 50, 95, 100]) assert.equal(result.percentile("vmaf", p), pooled_metrics.vmaf[`p${p}`], p);
  assert.throws(() => result.percentile("vmaf", 101), /0 to 100/);
  const counted = new Result({ frames: Array.from({ length: 100 }, (_, i) => ({ frameNum: i, metrics: { x: i } })) });
  for (let p = 0; p < 100; p++) assert.equal(counted.percentile("x", p), p);
  assert.match(result.document("xml"), /^<VMAF version=/);
  assert.throws(() => result.document("pdf"), /pdf/);
  assert.ok((await models()).includes(DEFAULT_MODEL));
});

test("progress, and a stop on request", async () => {
  const seen = [];
  await scoreFiles(at("ref.y4m"), at("dist.y4m"), { onProgress: ({ done, total }) => seen.push(`${done}/${total}`) });
  assert.deepEqual(seen, ["1/5", "2/5", "3/5", "4/5", "5/5"]);
  const control = new AbortController();
  await assert.rejects(scoreFiles(at("ref.y4m"), at("dist.y4m"), { signal: control.signal, onProgress: () => control.abort() }), { name: "AbortError" });
});

test("it works in a worker", async () => {
  const worker = new Worker(new URL("worker.js", import.meta.url), { workerData: [at("ref.y4m"), at("dist.y4m")] });
  const mean = await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  assert.equal(mean, (await scoreFiles(at("ref.y4m"), at("dist.y4m"))).pooled.vmaf.mean);
});
