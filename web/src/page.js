import { chart } from "./chart.js";

const $ = (id) => document.getElementById(id);
const MODELS = JSON.parse($("models").textContent);
const FEATURES = ["psnr", "float_ssim", "cambi"];
const module = WebAssembly.compile(Uint8Array.from(atob($("wasm").textContent), (c) => c.charCodeAt(0)));
const workerCode = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
let workers = [];

for (const name of Object.keys(MODELS)) $("model").append(new Option(name, name));

function element(name, text = "", properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

for (const which of ["reference", "distorted"]) {
  const input = $(which), zone = $(`drop-${which}`);
  const show = () => { $(`${which}-name`).textContent = input.files.length === 1 ? "" : [...input.files].map(({ name }) => name).join(", ") || "Choose or drop a file"; };
  input.addEventListener("change", show);
  for (const [kind, over] of [["dragover", true], ["dragleave", false], ["drop", false]])
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", over);
      if (kind !== "drop") return;
      input.files = event.dataTransfer.files;
      show();
    });
}

function busy(is) {
  $("start").disabled = is;
  $("stop").hidden = !is;
}

function stop() {
  for (const worker of workers) worker.terminate();
  workers = [];
  busy(false);
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, "0")}`;

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function view(name, index, images) {
  $("viewer-title").textContent = `${name}, frame ${index}`;
  ["frame-reference", "frame-distorted"].forEach((id, i) => {
    const canvas = $(id);
    [canvas.width, canvas.height] = [images[i].width, images[i].height];
    canvas.getContext("2d").drawImage(images[i], 0, 0);
    images[i].close();
  });
  slide();
  $("viewer").showModal();
}
function slide() {
  $("frame-distorted").style.clipPath = `inset(0 0 0 ${$("slider").value}%)`;
}
$("slider").addEventListener("input", slide);

function table(pooled, percentiles, metric) {
  const box = element("div", "", { className: "table", tabIndex: 0 }), body = element("table");
  const row = (cells, kind) => {
    const line = element("tr");
    cells.forEach((cell, i) => line.append(element(i === 0 || kind === "th" ? "th" : "td", cell)));
    body.append(line);
  };
  row(["metric", "mean", "min", "max", "harmonic mean"], "th");
  const shown = (name) => name === metric || /^(psnr_|float_ssim|cambi)/.test(name);
  const first = ([name]) => (name === metric ? 0 : 1);
  for (const [name, p] of Object.entries(pooled).sort((a, b) => first(a) - first(b))) if (shown(name)) row([name, ...[p.mean, p.min, p.max, p.harmonic_mean].map((v) => v.toFixed(4))]);
  box.append(body);
  const text = percentiles.map(([p, value]) => `${p} %: ${value.toFixed(2)}`).join(", ");
  return [box, element("p", `Percentiles of ${metric} over the frames: ${text}`, { className: "facts" })];
}

function finished(article, name, data, worker) {
  const mean = data.pooled.vmaf.mean;
  article.querySelector("progress").remove();
  article.querySelector(".status").textContent = "";
  const score = element("p", mean.toFixed(3), { className: "score" });
  score.append(element("small", " VMAF (mean)"));
  const download = element("button", "Save JSON", { type: "button" });
  download.addEventListener("click", () => save(`${name}.json`, data.document));
  const choose = (index) => {
    article.querySelector(".status").textContent = `Frame ${index}: ${data.frames[index].toFixed(4)}`;
    if (data.canShow) worker.postMessage({ type: "show", index });
    else article.querySelector(".status").textContent += " (frames of plain clips are not shown)";
  };
  article.append(score, chart(data.frames, "VMAF", article.clientWidth - 34, choose), ...table(data.pooled, data.percentiles, "vmaf"), download);
  Object.assign(article, { exact: data.exact, memory: data.memory }); // for tests
  article.dataset.state = "done";
}

function scoreOne(reference, distorted, job) {
  const article = element("article"), status = element("p", "Starting", { className: "status facts" });
  article.dataset.state = "running";
  article.append(element("h2", distorted.name), element("progress"), status);
  $("results").append(article);
  const worker = new Worker(workerCode);
  workers.push(worker);
  const begin = performance.now();
  return new Promise((resolve) => {
    const fail = (message) => {
      article.querySelector("progress")?.remove();
      article.append(element("p", message, { className: "error" }));
      article.dataset.state = "failed";
      resolve();
    };
    worker.addEventListener("error", (event) => fail(event.message || "the worker ended; there may be too little memory"));
    worker.addEventListener("message", ({ data }) => {
      if (data.type === "progress") {
        const seconds = (performance.now() - begin) / 1000;
        Object.assign(article.querySelector("progress"), { max: Math.max(1, data.total), value: data.done });
        status.textContent = `${data.done} of ${data.total} frames, ${(data.done / seconds).toFixed(1)} per second, ${clock((seconds / data.done) * (data.total - data.done))} left`;
      } else if (data.type === "facts" || data.type === "notes") {
        for (const text of data.text) article.append(element("p", text, { className: "facts" }));
      } else if (data.type === "images") view(distorted.name, data.index, data.images);
      else if (data.type === "error") fail(data.message);
      else if (data.type === "result") {
        finished(article, distorted.name, data, worker);
        resolve();
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
  const [reference] = $("reference").files, encodes = [...$("distorted").files];
  $("message").textContent = !reference ? "Choose a reference." : encodes.length === 0 ? "Choose an encode to compare with it." : "";
  if ($("message").textContent) return;
  busy(true);
  try {
    const model = $("model").value;
    const job = {
      module: await module, models: { [model]: MODELS[model] }, metric: "vmaf",
      options: { model, features: FEATURES.filter((name) => $(name).checked) },
      raw: { width: Number($("width").value), height: Number($("height").value), pixelFormat: $("pixelFormat").value, bitDepth: Number($("bitDepth").value) },
    };
    // As many at once as there are processors; each is a worker of its own.
    const waiting = encodes.slice(), lanes = Math.min(waiting.length, navigator.hardwareConcurrency || 2);
    await Promise.all(Array.from({ length: lanes }, async () => {
      for (let encode = waiting.shift(); encode; encode = waiting.shift()) await scoreOne(reference, encode, job);
    }));
  } catch (error) {
    $("message").textContent = error.message;
  }
  busy(false);
});
