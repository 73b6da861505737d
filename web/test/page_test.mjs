// Tests the page in Chromium, from a file:   VMAF=... CLIPGEN=... node web/test/page_test.mjs build-web/index.html [SCREENSHOTS]
// Clips must get the vmaf program's scores in every digit; video files those of the same frames decoded by FFmpeg.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { smallest } from "../src/chart.js";

const page_file = resolve(process.argv[2]), screenshots = process.argv[3];
const folder = mkdtempSync(join(tmpdir(), "vmaf-page-"));
const at = (name) => join(folder, name);
const words = (name) => process.env[name].split(" ");
const run = ([program, ...first], ...rest) => execFileSync(program, [...first, ...rest], { stdio: ["ignore", "pipe", "pipe"] });
const figures = (document) => document.slice(document.indexOf('"frames"'));

function program(reference, distorted) {
  run(words("VMAF"), "-r", at(reference), "-d", at(distorted), "-q", "--json", "-o", at("out.json"), "--precision", "max", "--feature", "psnr");
  return figures(readFileSync(at("out.json"), "utf8"));
}
function decoded(name) {
  run(["ffmpeg"], "-v", "error", "-y", "-i", at(name), "-strict", "-1", "-f", "yuv4mpegpipe", at(`${name}.y4m`)); // -1: above 8 bits
  return `${name}.y4m`;
}

run(words("CLIPGEN"), "--size", "352x288", "--frames", "12", at("ref.y4m"));
run(words("CLIPGEN"), "--size", "352x288", "--frames", "12", "--distort", "dct:24", at("dist.y4m"));
run(words("CLIPGEN"), "--size", "176x144", "--frames", "3", at("small.y4m"));
run(words("CLIPGEN"), "--size", "352x288", "--frames", "12", at("ref.yuv"));
const encode = (from, to, ...options) => run(["ffmpeg"], "-v", "error", "-y", "-i", at(from), ...options, at(to));
encode("ref.y4m", "ref.webm", "-c:v", "libvpx-vp9", "-crf", "10", "-b:v", "0");
encode("ref.y4m", "dist.webm", "-c:v", "libvpx-vp9", "-crf", "50", "-b:v", "0");
encode("ref.y4m", "ref.mp4", "-c:v", "libx264", "-crf", "10");
encode("ref.y4m", "dist.mp4", "-c:v", "libx264", "-crf", "40");
encode("small.y4m", "small.webm", "-c:v", "libvpx-vp9", "-crf", "50", "-b:v", "0");
encode("ref.y4m", "dist.mpg", "-c:v", "mpeg2video");
encode("ref.y4m", "dist.mkv", "-c:v", "libvpx-vp9", "-crf", "50", "-b:v", "0");
run(words("CLIPGEN"), "--size", "352x288", "--frames", "12", "--depth", "10", at("deep.y4m"));
encode("deep.y4m", "deep.webm", "-c:v", "libvpx-vp9", "-profile:v", "2", "-pix_fmt", "yuv420p10le", "-crf", "50", "-b:v", "0");
encode("dist.mp4", "rotated.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90");
encode("ref.y4m", "full.webm", "-vf", "scale=in_range=tv:out_range=pc", "-color_range", "pc", "-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0");
encode("ref.y4m", "early.webm", "-vf", "trim=start_frame=2,setpts=PTS-STARTPTS", "-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0");
writeFileSync(at("empty.mp4"), "");
writeFileSync(at("text.y4m"), "no clip");
writeFileSync(at("damaged.webm"), readFileSync(at("dist.webm")).subarray(0, 200));
encode("ref.y4m", "keys.mp4", "-c:v", "libx264", "-crf", "20", "-g", "4", "-movflags", "faststart");
encode("ref.y4m", "keys.webm", "-c:v", "libvpx-vp9", "-crf", "20", "-b:v", "0", "-g", "4");
encode("ref.y4m", "pieces.mp4", "-c:v", "libx264", "-crf", "20", "-g", "4", "-movflags", "frag_keyframe+empty_moov");
const cutFiles = ["keys.mp4", "keys.webm", "pieces.mp4"].map((name) => {
  const whole = readFileSync(at(name));
  writeFileSync(at(`cut-${name}`), whole.subarray(0, Math.trunc(whole.length * 0.7)));
  return `cut-${name}`;
});
run(["ffmpeg"], "-v", "error", "-y", "-ss", "0.2", "-i", at("keys.mp4"), "-c", "copy", at("edit.mp4")); // an edit list hides 5 frames
run(words("CLIPGEN"), "--size", "352x288", "--frames", "12", "--depth", "10", "--distort", "dct:24", at("deep_dist.y4m"));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--allow-file-access-from-files=false"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
const complaints = [], requests = [];
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || requests.push(request.url()));
await page.goto(pathToFileURL(page_file).href);

async function score(reference, ...encodes) {
  await page.setInputFiles("#reference", at(reference));
  await page.setInputFiles("#distorted", encodes.map(at));
  await page.click("#start");
  await page.waitForFunction((count) => document.querySelectorAll('article[data-state="done"],article[data-state="failed"]').length === count,
    encodes.length, { timeout: 300000 });
  return page.$$eval("article", (list) => list.map((a) => ({ state: a.dataset.state, exact: a.exact, text: a.innerText, error: a.querySelector(".error")?.textContent })));
}

async function check(name, body) {
  await body();
  console.log(`ok ${name}`);
}

try {
  await check("two clips", async () => {
    const [result] = await score("ref.y4m", "dist.y4m");
    assert.equal(result.state, "done", result.text);
    assert.equal(figures(result.exact), program("ref.y4m", "dist.y4m"));
    if (screenshots) await page.screenshot({ path: join(screenshots, "clips-1400.png"), fullPage: true });
  });
  await check("the saved document is the program's", async () => {
    run(words("VMAF"), "-r", at("ref.y4m"), "-d", at("dist.y4m"), "-q", "--json", "-o", at("out.json"), "--feature", "psnr");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save JSON")]);
    const still = (text) => text.replace(/"fps": [^,]*/, "");
    assert.equal(still(readFileSync(await download.path(), "utf8")), still(readFileSync(at("out.json"), "utf8")));
    assert.equal(download.suggestedFilename(), "dist.y4m.json");
  });
  await check("the viewer shows consecutive frames of plain clips", async () => {
    await page.focus("article svg");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#viewer[open]");
    assert.match(await page.textContent("#viewer-title"), /dist\.y4m, frame 3: \d+\.\d\d/);
    const seen = () => page.$eval("#frame-reference", (canvas) => canvas.toDataURL());
    const third = await seen();
    await page.click("#after");
    await page.waitForFunction(() => /frame 4/.test(document.getElementById("viewer-title").textContent));
    assert.notEqual(await seen(), third);
    await page.keyboard.press("Escape");
  });
  await check("heat maps: a strip, and the map over both frames", async () => {
    await page.check("#map");
    const [result] = await score("ref.y4m", "dist.y4m");
    assert.equal(figures(result.exact), program("ref.y4m", "dist.y4m"));
    await page.focus("article canvas.strip");
    await page.keyboard.press("End");
    assert.match(await page.textContent("article .status"), /Frame 11: worst cell \d+\.\d/);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#viewer[open]");
    const alphas = () => page.$eval("#frame-heat", (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((_, i) => i % 4 === 3).reduce((a, b) => a + b, 0));
    const usual = await alphas();
    assert.ok(usual > 0);
    await page.fill("#strength", "10");
    assert.ok((await alphas()) < usual / 2);
    await page.fill("#strength", "70");
    await page.hover("#frames");
    assert.match(await page.textContent("#cell"), /cell: \d+\.\d/);
    if (screenshots) await page.screenshot({ path: join(screenshots, "heat-1400.png") });
    await page.click("#heat");
    assert.ok(await page.isHidden("#frame-heat"));
    await page.keyboard.press("m");
    assert.ok(await page.isVisible("#frame-heat"));
    await page.keyboard.press("Escape");
    await page.uncheck("#map");
  });
  await check("plain clips with video files", async () => {
    const [video] = await score("ref.y4m", "dist.webm");
    assert.equal(video.state, "done", video.text);
    assert.equal(figures(video.exact), program("ref.y4m", decoded("dist.webm")));
    await page.setInputFiles("#reference", at("ref.yuv")); // opens the fields of raw clips
    await page.fill("#width", "352");
    await page.fill("#height", "288");
    const [raw] = await score("ref.yuv", "dist.webm");
    assert.equal(figures(raw.exact), figures(video.exact));
    assert.match(raw.text, /paired by number/);
  });
  await check("VP9 scores as FFmpeg decodes it, and the viewer shows a frame", async () => {
    const [result] = await score("ref.webm", "dist.webm");
    assert.equal(result.state, "done", result.text);
    assert.equal(figures(result.exact), program(decoded("ref.webm"), decoded("dist.webm")));
    assert.match(result.text, /vp09.*decoder: software/);
    await page.focus("article svg");
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#viewer[open]");
    assert.match(await page.textContent("#viewer-title"), /frame 5/);
    if (screenshots) await page.screenshot({ path: join(screenshots, "viewer-1400.png") });
    await page.keyboard.press("Escape");
  });
  await check("Matroska, and 10 bit", async () => {
    for (const [reference, encode] of [["ref.y4m", "dist.mkv"], ["deep.y4m", "deep.webm"]]) {
      const [result] = await score(reference, encode);
      assert.equal(result.state, "done", result.text);
      assert.equal(figures(result.exact), program(reference, decoded(encode)));
    }
  });
  await check("H.264 if the browser decodes it", async () => {
    const [result] = await score("ref.mp4", "dist.mp4");
    if (result.state === "failed") return assert.match(result.error, /does not decode/);
    assert.equal(figures(result.exact), program(decoded("ref.mp4"), decoded("dist.mp4")));
  });
  await check("frames that an edit list hides are left out", async () => {
    const whole = await score("ref.mp4", "keys.mp4");
    if (whole[0].state === "failed") return assert.match(whole[0].error, /does not decode/);
    const [result] = await score("edit.mp4", "edit.mp4");
    assert.equal(JSON.parse(result.exact).frames.length, 7);
    assert.equal(figures(result.exact), program(decoded("edit.mp4"), decoded("edit.mp4")));
  });
  await check("errors are shown, and the next pair is scored", async () => {
    for (const [reference, encode, sentence] of [["ref.webm", "small.webm", /The sizes differ: ref\.webm is 352x288, small\.webm is 176x144/],
      ["ref.webm", "damaged.webm", /'damaged\.webm'/], ["ref.webm", "empty.mp4", /'empty\.mp4' is empty/],
      ["ref.y4m", "full.webm", /The colour ranges differ: ref\.y4m has limited range, full\.webm has full range/], ["ref.webm", "dist.mpg", /'dist\.mpg'/], ["ref.y4m", "small.webm", /The sizes differ/],
      ["ref.y4m", "text.y4m", /'text\.y4m' is not a YUV4MPEG2 clip; raw clips need a size/], ["ref.y4m", "rotated.mp4", /'rotated\.mp4'.* rotated by \d+ degrees/],
      ["ref.y4m", "small.y4m", /The clips do not match/], ["ref.y4m", "deep_dist.y4m", /The clips do not match: .* 8 bit, .* 10 bit/],
      ...cutFiles.map((name) => ["ref.webm", name, new RegExp(`'${name}' is cut off: \\d+ bytes are missing`)])]) {
      const [result] = await score(reference, encode);
      assert.equal(result.state, "failed", `${reference} ${encode}`);
      assert.match(result.error, sentence);
    }
    const results = await score("ref.webm", "dist.webm", "small.webm", "ref.webm");
    assert.deepEqual(results.map(({ state }) => state).sort(), ["done", "done", "failed"]);
    assert.deepEqual(await page.$$eval("#overview th[scope]", (list) => list.map((cell) => cell.textContent)), ["ref.webm", "dist.webm"]);
    if (screenshots) await page.screenshot({ path: join(screenshots, "several-1400.png"), fullPage: true });
  });
  await check("keyboard and screen readers: the focus stays, and every control has a name", async () => {
    await page.setInputFiles("#reference", at("ref.y4m"));
    await page.setInputFiles("#distorted", ["dist.y4m", "dist.webm"].map(at));
    await page.check("#map");
    await page.focus("#start");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "stop");
    await page.waitForFunction(() => document.querySelectorAll('article[data-state="done"]').length === 2, null, { timeout: 300000 });
    assert.equal(await page.evaluate(() => document.activeElement.id), "start");
    await page.focus("article [role=slider]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#viewer[open]");
    const { nodes } = await (await page.context().newCDPSession(page)).send("Accessibility.getFullAXTree");
    const roles = ["button", "checkbox", "combobox", "slider", "table", "article", "dialog", "img", "image", "Canvas", "textbox"];
    const unnamed = nodes.filter(({ ignored, role, name }) => !ignored && roles.includes(role?.value) && !name?.value).map(({ role }) => role.value);
    assert.deepEqual(unnamed, []);
    await page.keyboard.press("Escape");
    await page.uncheck("#map");
  });
  await check("films of many frames", () => assert.equal(smallest(Array.from({ length: 300000 }, (_, i) => 50 + (i % 40))), 50));
  await check("an encode that is early is reported", async () => {
    const [result] = await score("ref.webm", "early.webm");
    assert.equal(result.state, "done", result.text);
    assert.match(result.text, /The encode is 2 frames early/);
    assert.match(result.text, /2 frames of the reference without a partner in time left out/);
  });
  await check("no horizontal scrolling at phone width", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await score("ref.webm", "dist.webm");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (screenshots) await page.screenshot({ path: join(screenshots, "video-390.png"), fullPage: true });
    await page.emulateMedia({ colorScheme: "dark" });
    if (screenshots) await page.screenshot({ path: join(screenshots, "dark-390.png"), fullPage: true });
  });
  await check("100 frames of 1080p need less than 100 MB, constant over time", async () => {
    run(["ffmpeg"], "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25", "-frames:v", "100", "-c:v", "libvpx-vp9", "-deadline", "realtime",
      "-cpu-used", "8", "-b:v", "4M", at("large.webm"));
    const [result] = await score("large.webm", "large.webm");
    assert.equal(result.state, "done", result.text);
    const memory = await page.$eval("article", (article) => article.memory);
    assert.equal(memory.length, 100);
    assert.ok(memory.at(-1) - memory[9] < 1e6, "beyond what the scores take"); // 64 KiB at a time
    assert.ok(memory.at(-1) < 100e6, `${memory.at(-1)} bytes`);
    console.log(`   ${memory.at(-1) / 1e6} MB`);
  });
  assert.deepEqual([complaints, requests], [[], []]);
  console.log("ok no browser warnings, no network requests");
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
