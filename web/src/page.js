import { chart, smallest } from "./chart.js";
import { strip } from "./heat.js";
import { view } from "./viewer.js";

const $ = (id) => document.getElementById(id);
const MODELS = JSON.parse($("models").textContent);
const FEATURES = ["psnr", "float_ssim", "cambi"];
const module = WebAssembly.compile(Uint8Array.from(atob($("wasm").textContent), (c) => c.charCodeAt(0)));
const workerCode = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
let workers = [];

const SHOWN = { "vmaf_v0.6.1": "default, for HD", "vmaf_v0.6.1neg": "no credit for sharpening", "vmaf_4k_v0.6.1": "4K screens",
  "vmaf_v1.0.16_3d0h": "with banding and colour, HD", "vmaf_v1.0.16_3d0h_2160": "with banding and colour, 4K" };
const PERCENTILES = ["1 %", "5 %", "50 %", "95 %"]; // the worker's percentiles

for (const name of Object.keys(MODELS)) $("model").append(new Option(`${name} (${SHOWN[name]})`, name));
module.catch(() => { $("message").textContent = "This browser cannot run the engine: it needs WebAssembly with SIMD. Use a newer browser."; });

function element(name, text = "", properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

function show(which) {
  const { files } = $(which);
  $(`${which}-name`).textContent = files.length === 1 ? "" : [...files].map(({ name }) => name).join(", ") || "Choose or drop a file";
  if ([...files].some(({ name }) => /\.(yuv|raw)$/i.test(name))) $("raw").open = true;
}

for (const which of ["reference", "distorted"]) {
  const input = $(which), zone = $(`drop-${which}`);
  input.addEventListener("change", () => show(which));
  for (const [kind, over] of [["dragover", true], ["dragleave", false], ["drop", false]])
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", over);
      if (kind !== "drop" || event.dataTransfer.files.length === 0) return;
      const files = new DataTransfer();
      for (const file of [...event.dataTransfer.files].slice(0, input.multiple ? undefined : 1)) files.items.add(file);
      input.files = files.files;
      show(which);
    });
}
// A file dropped elsewhere must not replace the page.
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());

// The focus stays where the two buttons are.
function busy(is) {
  const [from, to] = is ? [$("start"), $("stop")] : [$("stop"), $("start")], isFocused = document.activeElement === from;
  $("start").disabled = is;
  $("stop").hidden = !is;
  if (isFocused) to.focus();
}

function stop() {
  for (const worker of workers) worker.terminate();
  workers = [];
  busy(false);
}

function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function tableOf(label, heads, rows) {
  const box = element("div", "", { className: "table", tabIndex: 0, role: "group", ariaLabel: label }), body = element("table", "", { ariaLabel: label });
  const line = (cells, kind) => {
    const row = element("tr");
    cells.forEach((cell, i) => row.append(element(i === 0 || kind === "th" ? "th" : "td", cell, i === 0 && kind !== "th" ? { scope: "row" } : {})));
    body.append(row);
    return row;
  };
  line(heads, "th");
  for (const cells of rows) line(cells, "td");
  box.append(body);
  return box;
}

function scoresTable({ pooled, percentiles }, metric) {
  const isShown = (name) => name === metric || /^(psnr_|float_ssim|cambi)/.test(name);
  const first = ([name]) => (name === metric ? 0 : 1);
  return tableOf("Pooled scores", ["metric", "mean", "min", ...PERCENTILES, "max", "harmonic mean"],
    Object.entries(pooled).filter(([name]) => isShown(name)).sort((a, b) => first(a) - first(b))
      .map(([name, p]) => [name, ...[p.mean, p.min, ...percentiles[name], p.max, p.harmonic_mean].map((v) => v.toFixed(3))]));
}

/** All encodes in one table, the best first. */
function overview(done) {
  const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
  $("overview").replaceChildren();
  if (done.length < 2) return;
  $("overview").append(tableOf("Encodes, best first", ["encode", "VMAF", "min", "1 %", "size"], done.slice().sort((a, b) => b.data.pooled.vmaf.mean - a.data.pooled.vmaf.mean)
    .map(({ file, data: { pooled, percentiles } }) => [file.name, pooled.vmaf.mean.toFixed(3), pooled.vmaf.min.toFixed(3), percentiles.vmaf[0].toFixed(3), size(file.size)])));
}

function finished(article, name, data, worker) {
  const mean = data.pooled.vmaf.mean, status = article.querySelector(".status");
  article.querySelector("progress").remove();
  const score = element("p", mean.toFixed(3), { className: "score" });
  score.append(element("small", " VMAF (mean)"));
  const pair = { name, values: data.frames, map: data.map, ask: (index) => worker.postMessage({ type: "show", index }) };
  const download = element("button", "Save JSON", { type: "button" }), worst = element("button", "Show worst frame", { type: "button", className: "worst" });
  download.addEventListener("click", () => save(`${name}.json`, data.document));
  worst.addEventListener("click", () => pair.ask(data.frames.indexOf(smallest(data.frames))));
  const point = (index) => { status.textContent = `Frame ${index}: ${data.frames[index].toFixed(4)}`; };
  const choose = (index) => {
    point(index);
    pair.ask(index);
  };
  status.textContent = "Click the curve, or use the arrow keys and Enter, to see both frames.";
  const say = (text) => { status.textContent = text; };
  article.append(score, chart(data.frames, "VMAF", article.clientWidth - 34, choose, point),
    ...(data.map ? [strip(data.map, article.clientWidth - 34, pair.ask, say)] : []), status, scoresTable(data, "vmaf"), worst, download);
  Object.assign(article, { pair, exact: data.exact, memory: data.memory, saved: data.document }); // the last three for tests
  article.dataset.state = "done";
  $("announced").textContent = `${name}: VMAF ${mean.toFixed(2)}`;
}

function scoreOne(reference, distorted, job) {
  const article = element("article", "", { ariaLabel: distorted.name }), status = element("p", "Starting", { className: "status facts" });
  article.dataset.state = "running";
  const bar = element("progress");
  bar.setAttribute("aria-label", `Progress of ${distorted.name}`);
  article.append(element("h2", distorted.name), bar, status);
  $("results").append(article);
  const worker = new Worker(workerCode);
  workers.push(worker);
  const begin = performance.now();
  return new Promise((resolve) => {
    const fail = (message) => {
      article.querySelector("progress")?.remove();
      status.remove();
      article.append(element("p", message[0].toUpperCase() + message.slice(1), { className: "error", role: "alert" }));
      article.dataset.state = "failed";
      resolve(null);
    };
    worker.addEventListener("error", (event) => fail(event.message || "the worker stopped, perhaps for lack of memory; score smaller pictures or close other pages"));
    worker.addEventListener("message", ({ data }) => {
      if (data.type === "progress") {
        const seconds = (performance.now() - begin) / 1000;
        Object.assign(article.querySelector("progress"), { max: Math.max(1, data.total), value: data.done });
        status.textContent = `${data.done} of ${data.total} frames, ${(data.done / seconds).toFixed(1)} per second, ${clock((seconds / data.done) * (data.total - data.done))} left`;
      } else if (data.type === "facts" || data.type === "notes") {
        for (const text of data.text) article.append(element("p", text, { className: "facts" }));
      } else if (data.type === "warnings") {
        for (const text of data.text) article.append(element("p", text, { className: "warning", role: "alert" }));
      } else if (data.type === "images") view(article.pair, data.index, data.images);
      else if (data.type === "unseen") status.textContent = data.message;
      else if (data.type === "error") fail(data.message);
      else if (data.type === "result") {
        finished(article, distorted.name, data, worker);
        resolve({ file: distorted, data });
      }
    });
    worker.postMessage({ type: "score", reference, distorted, ...job });
  });
}

$("stop").addEventListener("click", () => {
  stop();
  for (const article of document.querySelectorAll('[data-state="running"]')) article.remove();
});

$("choice").addEventListener("submit", async (event) => {
  event.preventDefault();
  stop();
  $("results").replaceChildren();
  $("overview").replaceChildren();
  const [reference] = $("reference").files, encodes = [...$("distorted").files];
  $("message").textContent = !reference ? "Choose a reference." : encodes.length === 0 ? "Choose an encode to compare with it." : "";
  if ($("message").textContent) return;
  busy(true);
  try {
    const model = $("model").value;
    const job = {
      module: await module, models: { [model]: MODELS[model] }, metric: "vmaf",
      options: { model, features: FEATURES.filter((name) => $(name).checked), map: $("map").checked },
      raw: { width: Number($("width").value), height: Number($("height").value), pixelFormat: $("pixelFormat").value, bitDepth: Number($("bitDepth").value) },
    };
    // One worker per encode, as many at once as there are processors.
    $("announced").textContent = `Scoring ${encodes.length === 1 ? encodes[0].name : `${encodes.length} encodes`}`;
    const done = [], waiting = encodes.slice(), lanes = Math.min(waiting.length, navigator.hardwareConcurrency || 2);
    await Promise.all(Array.from({ length: lanes }, async () => {
      for (let encode = waiting.shift(); encode; encode = waiting.shift()) {
        const result = await scoreOne(reference, encode, job);
        if (result) done.push(result);
        overview(done);
      }
    }));
  } catch (error) {
    $("message").textContent = error.message;
  }
  busy(false);
});
