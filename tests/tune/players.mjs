// Plays a ladder in Chromium: dash.js and Shaka Player the DASH manifest, hls.js the HLS playlist. Prints one JSON object.
//   node players.mjs CHROMIUM MODULES FOLDER DASH_MANIFEST HLS_PLAYLIST
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { createRequire } from "node:module";

const [chromium, modules, folder, dash, hls] = process.argv.slice(2);
const { chromium: browserType } = createRequire(path.join(modules, "x.js"))("playwright-core");
const kinds = { ".mpd": "application/dash+xml", ".m3u8": "application/vnd.apple.mpegurl", ".mp4": "video/mp4", ".m4s": "video/iso.segment", ".vtt": "text/vtt", ".js": "text/javascript" };

const server = http.createServer((request, response) => {
  const url = decodeURIComponent(new URL(request.url, "http://host").pathname);
  if (url === "/") { response.setHeader("content-type", "text/html"); return response.end("<!doctype html><video muted></video>"); }
  const file = url.startsWith("/modules/") ? path.join(modules, url.slice(9)) : path.join(folder, url);
  if (!fs.existsSync(file)) { response.statusCode = 404; return response.end(); }
  const size = fs.statSync(file).size, range = /bytes=(\d+)-(\d*)/.exec(request.headers.range || "");
  const from = range ? Number(range[1]) : 0, to = range && range[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
  response.writeHead(range ? 206 : 200, { "content-type": kinds[path.extname(file)] || "application/octet-stream", "content-length": to - from + 1,
    "accept-ranges": "bytes", ...(range && { "content-range": `bytes ${from}-${to}/${size}` }) });
  fs.createReadStream(file, { start: from, end: to }).pipe(response);
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await browserType.launch({ executablePath: chromium, args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"] });

// Runs in the page: play, seek, switch the rung; returns observations.
const watch = async ({ player, url }) => {
  const video = document.querySelector("video"), seen = { errors: [] };
  const until = async (what, condition, seconds = 20) => {
    for (let i = 0; i < seconds * 20; i++) { if (condition()) return true; await new Promise(done => setTimeout(done, 50)); }
    seen.errors.push(`${what}: time ${video.currentTime}, ready ${video.readyState}, ${video.error?.message || "no error"}`);
    return false;
  };
  let use; // selects a rung: 0 is the smallest
  if (player === "dashjs") {
    const p = dashjs.MediaPlayer().create();
    p.on("error", e => seen.errors.push(String(e.error?.message || e.error)));
    p.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false }, initialBitrate: { video: 1 } }, buffer: { fastSwitchEnabled: true } } });
    p.initialize(video, url, true);
    use = rung => { const list = p.getRepresentationsByType("video").slice().sort((a, b) => a.bandwidth - b.bandwidth); p.setRepresentationForTypeById("video", list.at(rung).id, true); };
    await until("ready", () => p.isReady() && video.currentTime > 0);
    seen.languages = p.getTracksFor("audio").map(t => t.lang); seen.texts = p.getTracksFor("text").map(t => t.lang);
    seen.rungs = p.getRepresentationsByType("video").length;
  } else if (player === "shaka") {
    const p = new shaka.Player();
    p.addEventListener("error", e => seen.errors.push("code " + e.detail.code));
    await p.attach(video);
    p.configure({ abr: { enabled: false } });
    await p.load(url).catch(e => seen.errors.push("code " + e.code));
    const list = () => p.getVariantTracks().filter(t => t.language === (p.getVariantTracks().find(x => x.active) || t).language).sort((a, b) => a.height - b.height);
    use = rung => p.selectVariantTrack(list().at(rung), true);
    seen.languages = [...new Set(p.getVariantTracks().map(t => t.language))]; seen.texts = (p.getTextTracks?.() || []).map(t => t.language); seen.rungs = list().length;
  } else {
    const p = new Hls();
    p.on(Hls.Events.ERROR, (_, e) => { if (e.fatal) seen.errors.push(e.details); });
    p.loadSource(url); p.attachMedia(video);
    await until("manifest", () => p.levels.length > 0);
    use = rung => { p.currentLevel = p.levels.map((l, i) => [l.height, i]).sort((a, b) => a[0] - b[0]).at(rung)[1]; };
    seen.languages = p.audioTracks.map(t => t.lang); seen.texts = p.subtitleTracks.map(t => t.lang); seen.rungs = p.levels.length;
  }
  use(0);
  video.play().catch(e => seen.errors.push(String(e)));
  seen.played = await until("play", () => video.currentTime > 0.5);
  seen.small = await until("small rung", () => video.videoHeight > 0) && video.videoHeight;
  video.currentTime = 3.2;
  seen.sought = await until("seek", () => video.currentTime > 3.5 && !video.seeking);
  const before = video.videoHeight;
  video.loop = true;
  use(-1); video.currentTime = 0.2;
  seen.switched = await until("switch", () => video.videoHeight !== before);
  seen.large = video.videoHeight;
  seen.sound = video.webkitAudioDecodedByteCount; seen.duration = video.duration;
  return seen;
};

const results = {};
for (const [player, script, file] of [["dashjs", "dashjs/dist/modern/umd/dash.all.min.js", dash], ["shaka", "shaka-player/dist/shaka-player.compiled.js", dash], ["hls", "hls.js/dist/hls.min.js", hls]]) {
  const page = await browser.newPage();
  page.setDefaultTimeout(90000);
  await page.goto(base + "/");
  await page.addScriptTag({ url: `${base}/modules/${script}` });
  results[player] = await page.evaluate(watch, { player, url: `${base}/${file}` }).catch(e => ({ errors: [String(e)] }));
  await page.close();
}
await browser.close();
server.close();
console.log(JSON.stringify(results));
