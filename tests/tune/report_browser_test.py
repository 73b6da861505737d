#!/usr/bin/env python3
"""vmaf-tune report in Chromium: no script errors, tables sort and filter, legends hide lines, keys work.

  report_browser_test.py VMAF_TUNE
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import report_data

tune = os.path.abspath(sys.argv[1])
browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if not browser:
    print("skipped: no chromium here (Debian: apt-get install chromium)")
    sys.exit(77)

CATCH = "<script>window.problems=[];addEventListener('error',e=>problems.push(String(e.message)));" \
        "addEventListener('securitypolicyviolation',e=>problems.push('policy: '+e.violatedDirective));</script>"
PROBE = """<pre id="outcome"></pre><script>
const results = {}, byId = id => document.getElementById(id), all = (s, from = document) => Array.from(from.querySelectorAll(s));
const rows = byId("rows"), column = name => Array.from(rows.tHead.rows[0].cells).findIndex(c => c.textContent === name);
const values = name => Array.from(rows.tBodies[0].rows).map(r => r.cells[column(name)]).filter(c => c.dataset.v !== undefined).map(c => Number(c.dataset.v));
const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const pick = (select, value) => { select.value = value; select.dispatchEvent(new Event("change", { bubbles: true })); };
const lines = id => all("#" + id + " svg.plot .line").map(l => l.dataset.line);
results.first = document.querySelector("main section").id; results.verdict = document.querySelector(".answer").textContent;
results.matrix = all("#bd-average-1 td[data-v]").map(c => Number(c.dataset.v));
const head = rows.tHead.rows[0].cells[column("kbps")];
head.querySelector("button").click(); results.up = values("kbps"); results.sortUp = head.getAttribute("aria-sort");
head.querySelector("button").click(); results.down = values("kbps"); results.sortDown = head.getAttribute("aria-sort");
const filter = document.querySelector("input.filter");
filter.value = "libx264 fast"; filter.dispatchEvent(new Event("input"));
results.shown = Array.from(rows.tBodies[0].rows).filter(r => !r.hidden).length; results.count = document.querySelector(".count").textContent;
const theme = () => document.documentElement.dataset.theme || "auto";
results.themes = [theme()]; for (let i = 0; i < 3; i++) { press(document.body, "t"); results.themes.push(theme()); }
byId("theme").click(); byId("theme").click();
results.darkPaper = getComputedStyle(document.querySelector("svg.plot")).getPropertyValue("--paper");
// Legends, pointing and walking.
const key = document.querySelector("#fig-curves .key"), name = key.textContent;
results.lines = lines("fig-curves"); key.click(); results.off = !lines("fig-curves").includes(name) && key.getAttribute("aria-pressed") === "false"; key.click(); results.on = lines("fig-curves").includes(name);
press(document.querySelector("#fig-curves svg.plot"), "ArrowRight"); results.walked = document.querySelector("#fig-curves .readout").textContent;
// Sources and metrics.
const heading = () => document.querySelector("#fig-curves h3").textContent, label = () => all("#fig-curves svg.plot text.name").at(-1).textContent;
results.headings = [heading()]; press(document.body, "]"); results.headings.push(heading()); pick(byId("choose-source"), 0); results.headings.push(heading());
all(".multiple")[1].click(); results.headings.push(heading()); results.pressed = all(".multiple").map(m => m.getAttribute("aria-pressed")); pick(byId("choose-source"), 0);
byId("find-source").value = "a.mkv"; byId("find-source").dispatchEvent(new Event("input")); results.found = all(".multiple").filter(m => !m.hidden).length;
byId("find-source").value = ""; byId("find-source").dispatchEvent(new Event("input"));
results.metrics = all("#choose-metric option").map(o => o.textContent); results.labels = [label()]; pick(byId("choose-metric"), 1); results.labels.push(label());
results.matrices = all("[data-metric-part]").map(p => !p.hidden); pick(byId("choose-metric"), 0);
all("#choose-kind button")[1].click(); results.tab = heading(); press(all("#choose-kind button")[1], "ArrowRight"); results.tabByKey = heading(); all("#choose-kind button")[0].click();
// Frames of several encodes.
const boxes = all("#encodes input"); boxes.forEach(b => { if (b.checked) b.click(); }); boxes[0].click(); results.single = lines("fig-overlay"); boxes[1].click(); results.both = lines("fig-overlay");
const overlay = document.querySelector("#fig-overlay svg.plot"); press(overlay, "ArrowRight"); press(overlay, "End"); results.readout = document.querySelector("#fig-overlay .readout").textContent;
// Pictures.
const figure = document.querySelector("figure[data-picture]"), box = figure.querySelector(".compare"), at = () => getComputedStyle(box).getPropertyValue("--at").trim(), r = box.getBoundingClientRect();
results.pictures = all("figure[data-picture]").length; results.slider = [at()];
box.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse", clientX: r.left + r.width * .25, clientY: r.top + 5, bubbles: true })); results.slider.push(Math.round(parseFloat(at())));
press(box, "ArrowRight"); results.slider.push(Math.round(parseFloat(at()))); press(box, "End"); results.slider.push(at());
figure.querySelector(".difference-button").click(); results.difference = getComputedStyle(box.querySelector(".difference")).display; figure.querySelector(".difference-button").click(); results.noDifference = getComputedStyle(box.querySelector(".difference")).display;
figure.querySelector(".enlarge-button").click(); results.large = byId("large").open && byId("large").querySelector(".compare").getBoundingClientRect().width > r.width; byId("large").querySelector(".difference-button").click();
results.largeDifference = byId("large").querySelector(".compare").classList.contains("is-difference"); byId("close-large").click(); results.closed = !byId("large").open;
box.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })); box.dispatchEvent(new PointerEvent("pointerup", { bubbles: true })); box.click(); results.clicked = byId("large").open; byId("large").close();
press(box, "Enter"); results.entered = byId("large").open; byId("large").close();
// Heat maps: button, key, strength, numbers, and the strip.
const strip = document.querySelector("figure[data-strip] canvas.strip"), heat = figure.querySelector(".heat-button"), pixel = (canvas, x, y) => Array.from(canvas.getContext("2d").getImageData(x, y, 1, 1).data);
results.strips = all("figure[data-strip] canvas.strip").length; results.legend = document.querySelector(".heat-legend .numbers").textContent;
heat.click(); const layer = figure.querySelector("canvas.heat"); results.heat = [getComputedStyle(layer).display, heat.getAttribute("aria-pressed")]; results.strong = pixel(layer, 80, 48)[3]; results.none = pixel(layer, 100, 10)[3];
pick(byId("heat-strength"), 10); byId("heat-strength").dispatchEvent(new Event("input")); results.weak = pixel(layer, 80, 48)[3];
press(box, "m"); results.noHeat = [getComputedStyle(layer).display, heat.getAttribute("aria-pressed")];
press(strip, "End"); results.stripReadout = document.querySelector("figure[data-strip] .readout").textContent; results.stripColours = [pixel(strip, 2, 5), pixel(strip, strip.width - 3, 5)];
const s = strip.getBoundingClientRect(); strip.dispatchEvent(new MouseEvent("click", { clientX: s.left + 1, clientY: s.top + 5, bubbles: true }));
results.stripOpens = byId("large").open && !!byId("large").querySelector("canvas.heat") && byId("large").textContent.includes("Frame 0 of"); byId("large").close();
press(strip, "End"); press(strip, "Enter"); const opened = byId("large").querySelector(".compare");
opened.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse", clientX: opened.getBoundingClientRect().left + 80 / 320 * opened.getBoundingClientRect().width, clientY: opened.getBoundingClientRect().top + 48 / 180 * opened.getBoundingClientRect().height, bubbles: true }));
results.stripEnter = byId("large").open && opened.classList.contains("is-heat"); results.told = byId("large").querySelector(".readout").textContent; byId("large").close();
results.widths = all("svg.plot").map(s => s.getBoundingClientRect().width).filter(w => w);
results.overflow = document.documentElement.scrollWidth > document.documentElement.clientWidth;
press(document.body, "/"); results.focus = document.activeElement === filter;
results.problems = problems;
byId("outcome").textContent = JSON.stringify(results);
</script>"""
# The size of every visible text, and whether the page fits.
SIZES = """<pre id="outcome"></pre><script>
let least = 99, what = "";
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walk.nextNode());) {
  const e = node.parentElement, box = e.getBoundingClientRect();
  if (!node.textContent.trim() || !box.width || /^(SCRIPT|STYLE|OPTION|TITLE|title)$/.test(e.tagName)) continue;
  const svg = e.closest("svg.plot"), scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1, size = parseFloat(getComputedStyle(e).fontSize) * scale;
  if (size < least) { least = size; what = e.tagName + "." + (e.getAttribute("class") || "") + " " + node.textContent.slice(0, 40); }
}
const inside = Array.from(document.querySelectorAll("section *")).filter(e => !e.closest(".scroll, .multiples, nav, .skip") && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length;
document.getElementById("outcome").textContent = JSON.stringify({ least, what, width: document.documentElement.clientWidth, overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth, inside,
  multiples: document.querySelectorAll(".multiple").length, drawn: document.querySelectorAll(".multiple svg path").length, height: document.documentElement.scrollHeight, problems });
if (parent !== window) parent.postMessage(document.getElementById("outcome").textContent, "*");
</script>"""

POLICY = re.compile(r"script-src 'sha256-[^']*'")
# Texts that act if they are taken for markup, script or style.
HOSTILE = ["</script><script>owned('script')</script>", "<script>owned('element')</script>", "<img src=x onerror=owned('image')>",
           "\" onmouseover=\"owned('attribute')\" autofocus onfocus=\"owned('focus')\" x=\"", "' onload='owned(1)", "</title><svg onload=owned('svg')>",
           "]]><script>owned('cdata')</script>", "--><script>owned('comment')</script>", "</style><script>owned('style')</script>",
           "</pre><script>owned('pre')</script>", "<template><script>owned('template')</script></template>", "javascript:owned('address')",
           "${owned('template text')}", "\\u003cscript\\u003eowned('escaped')", "&lt;script&gt;owned('twice')&lt;/script&gt;", "\u2028owned('line')//",
           "<iframe srcdoc=\"<script>parent.owned('frame')</script>\">", "<base href=//evil.example/>", "<a href=javascript:owned('link')>x</a>", "=HYPERLINK(\"x\")"]


def hostile_objects():
    for i, text in enumerate(HOSTILE):
        for q in (20, 26, 32, 38):
            yield {"src": text, "encoder": text, "preset": text, "crf": q, "bitrate_kbps": 9000 / q + i, "score": 100 - q, "metric": text if i % 2 else "vmaf", "pool": text,
                   "vmaf_model": text, "encoder_version": text, "ffmpeg_version": text, "score_backend": text, "score_scale": text, "clip_mode": text, "encode_fps": 10 + q}
        yield {"src": text, "encoder": text, "preset": text, "crf": 1, "exit_status": 1, "error": {"stage": text, "message": text}}
        yield {"type": "frames", "src": text, "reference": text, "distorted": text, "encoder": text, "preset": text, "crf": 2, "metric": text, "framerate": 25,
               "frames": {text: [50 + i for i in range(30)], "vmaf": [1, 2]}}
        yield {"type": "search-result", "src": text, "encoder": text, "preset": text, "q_knob": text, "metric": text, "target": 90,
               "probes": [{"q": 27, "score": 86.0, "bitrate_kbps": 700}, {"q": 22, "score": 95.0, "bitrate_kbps": 1400}]}
        yield {"schema": "vmaf-tune-ladder/v1", "src": text, "encoder": text, "renditions": [{"width": 640, "height": 360, "bitrate_kbps": 400, "vmaf": 70, "crf": 30}]}
        yield {"src": text, "encoder": text, "segment_commands": [], "shots": [{"start_frame": 0, "end_frame": 100, "crf": 25}]}


def in_browser(page, change, width=None):
    """The page's outcome after `change` to its text; in a frame of that width, which may be below a window's minimum."""
    with open(page) as file: text = change(file.read())
    if width:
        with open(page + ".inner.html", "w") as file: file.write(text)
        text = f"""<!DOCTYPE html><body style="margin:0"><iframe src="{os.path.basename(page)}.inner.html" style="width:{width}px;height:844px;border:0"></iframe><pre id="outcome"></pre>
<script>addEventListener("message", event => {{ document.getElementById("outcome").textContent = event.data; }});</script>"""
    with open(page, "w") as file: file.write(text)
    run = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--window-size=1280,900", "--user-data-dir=" + page + ".profile", "--virtual-time-budget=5000",
                          "--dump-dom", "file://" + page], capture_output=True, text=True, timeout=280)
    found = re.search(r'<pre id="outcome">(.*?)</pre>', run.stdout, re.S)
    assert found, run.stderr[-2000:]
    return json.loads(found.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


HOSTILE_CATCH = CATCH.replace("window.problems=[];", "window.problems=[];window.hits=[];window.owned=x=>hits.push(String(x));")
HOSTILE_PROBE = """<pre id="outcome"></pre><script>
for (const key of document.querySelectorAll(".key")) key.dispatchEvent(new Event("click"));
for (const select of document.querySelectorAll("select")) for (const option of select.options) { select.value = option.value; select.dispatchEvent(new Event("change")); }
for (const input of document.querySelectorAll("input")) { if (input.type === "checkbox") input.click(); else { input.value = "<img src=x onerror=owned('input')>"; input.dispatchEvent(new Event("input")); input.value = ""; input.dispatchEvent(new Event("input")); } }
for (const e of document.querySelectorAll("svg, figure, td, button")) for (const kind of ["mouseover", "focus"]) e.dispatchEvent(new Event(kind, { bubbles: true }));
for (const svg of document.querySelectorAll("svg.plot")) for (const key of ["ArrowRight", "End"]) svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const handlers = Array.from(document.querySelectorAll("*")).filter(e => e.id !== "outcome" && Array.from(e.attributes).some(a => /^on/i.test(a.name) || (/^(href|src|action|formaction|xlink:href)$/i.test(a.name) && /^[^#]*script:/i.test(a.value)))).length;
const report = () => { document.getElementById("outcome").textContent = JSON.stringify({ hits, problems, handlers, scripts: document.scripts.length,
  foreign: document.querySelectorAll("iframe, object, embed, base, template, link, a[href]:not([href^='#'])").length, shown: document.body.textContent.includes("</scr" + "ipt><script>owned('script')") }); };
report(); setTimeout(report, 500);
</script>"""

with tempfile.TemporaryDirectory(prefix="vmaf-tune-browser") as folder:
    report_data.write(folder + "/rows.jsonl", report_data.rows())
    report_data.write(folder + "/frames.jsonl", [*report_data.frames(), *report_data.pictured_frames(folder)])
    page = folder + "/report.html"
    subprocess.check_call([tune, "report", folder + "/rows.jsonl", *report_data.others(folder), "--frames", folder + "/frames.jsonl", "-o", page, "-q", "--target", "90"])
    narrow = folder + "/narrow.html"
    shutil.copy(page, narrow)
    own_policy = POLICY.search(open(page).read())
    allowed = lambda text: POLICY.sub("script-src 'unsafe-inline'", text)  # for the probes; removes one line of defence
    r = in_browser(page, lambda text: allowed(text).replace("<head>", "<head>" + CATCH).replace("</body>", PROBE + "</body>"))

    n = in_browser(narrow, lambda text: allowed(text).replace("<head>", "<head>" + CATCH).replace("</body>", SIZES + "</body>"), 390)
    report_data.write(folder + "/many.jsonl", report_data.rows([f"source {i:02}.mkv" for i in range(40)]))
    page = folder + "/many.html"
    subprocess.check_call([tune, "report", folder + "/many.jsonl", "-o", page, "-q"])
    m = in_browser(page, lambda text: allowed(text).replace("<head>", "<head>" + CATCH).replace("</body>", SIZES + "</body>"))

    report_data.write(folder + "/hostile.jsonl", hostile_objects())
    page = folder + "/hostile.html"
    subprocess.check_call([tune, "report", folder + "/hostile.jsonl", "-o", page, "-q", "--title", HOSTILE[0], "--thumbnails", "0"])
    h = in_browser(page, lambda text: allowed(text).replace("<head>", "<head>" + HOSTILE_CATCH).replace("</body>", HOSTILE_PROBE + "</body>"))

    # With the page's own policy, only its script runs (and marks its end).
    page = folder + "/policy.html"
    subprocess.check_call([tune, "report", folder + "/rows.jsonl", "-o", page, "-q", "--thumbnails", "0"])
    text = open(page).read().replace("</body>", "<pre id='outcome'></pre><script>document.body.dataset.owned = 1</script></body>")
    with open(page, "w") as file: file.write(text)
    dom = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + page + ".profile", "--dump-dom", "file://" + page],
                         capture_output=True, text=True, timeout=180).stdout

checks = {
    "no script errors and nothing fetched": r["problems"] == [],
    "rows sort upwards": len(r["up"]) == 60 and r["up"] == sorted(r["up"]) and r["sortUp"] == "ascending",
    "and downwards": r["down"] == sorted(r["down"], reverse=True) and r["sortDown"] == "descending",
    "rows filter": r["shown"] == 10 and r["count"] == "10 of 61",
    "themes go round": r["themes"] == ["auto", "light", "dark", "auto"],
    "charts follow the theme": r["darkPaper"].strip() == "#14181f",
    "it opens with the verdict": r["first"] == "verdict" and r["verdict"].startswith("libx265 medium needs 27.5 % less bitrate than libx264 medium at VMAF (mean) 90") and "2 sources" in r["verdict"],
    "average BD-rates": any(abs(v + 13.75) < 1e-6 for v in r["matrix"]),
    "legend entries hide and show their line": r["off"] and r["on"] and len(r["lines"]) == 7,
    "arrow keys walk along the points": "kbps" in r["walked"],
    "sources by key, choice and small chart": r["headings"][0] == r["headings"][2] and r["headings"][1] == r["headings"][3] and "b & <b>.mkv" in r["headings"][1] and r["pressed"] == ["false", "true"],
    "sources are found by name": r["found"] == 1,
    "another metric, with its matrix": r["metrics"][0] == "VMAF (mean)" and len(r["metrics"]) >= 3 and r["labels"][0] != r["labels"][1] and r["matrices"].index(True) == 1 and r["matrices"].count(True) == 1,
    "tabs by click and key": r["tab"].startswith("Quality value") and r["tabByKey"].startswith("Speed"),
    "encodes lie over each other": len(r["single"]) == 1 and len(r["both"]) == 2,
    "arrow keys walk along the frames": r["readout"].startswith("frame 299 · 11.96 s · "),
    "the slider follows pointer and keys": r["slider"] == ["50%", 25, 30, "100%"] and r["pictures"] >= 2,
    "the difference comes and goes": r["difference"] == "block" and r["noDifference"] == "none",
    "heat maps by button and key": r["heat"] == ["block", "true"] and r["noHeat"] == ["none", "false"],
    "their strength": r["strong"] > 2 * r["weak"] > 0 and r["none"] == 0,
    "their numbers": r["legend"] == "100806040200" and "32×32 at 64,32: vmaf " in r["told"],
    "a strip of worst cells": r["strips"] == 1 and r["stripReadout"].startswith("frame 19 · 0.76 s · worst cell 24.0, 32×32 at 64,32") and sum(r["stripColours"][0][:3]) < sum(r["stripColours"][1][:3]),
    "which opens frames": r["stripOpens"] and r["stripEnter"],
    "pictures grow by button, click and key": r["large"] and r["largeDifference"] and r["closed"] and r["clicked"] and r["entered"],
    "390 pixels: no text below 11, nothing sticks out": n["width"] <= 390 and n["least"] >= 11 and not n["overflow"] and n["inside"] == 0 and n["problems"] == [],
    "40 sources: all in the index, the page stays short": m["multiples"] == 40 and m["drawn"] >= 40 * 6 and m["height"] < 12000 and m["least"] >= 11 and not m["overflow"],
    "charts have a size and the page does not scroll sideways": min(r["widths"]) > 300 and not r["overflow"],
    "the slash goes to the filter": r["focus"],
    "no hostile text runs": h["hits"] == [] and h["handlers"] == 0 and h["problems"] == [],
    "nor makes elements": h["scripts"] == 4 and h["foreign"] == 0,  # the page's script and its data, and those of this test
    "but is shown as it is": h["shown"],
    "the page's policy knows its script": own_policy is not None and 'data-ready="yes"' in dom,
    "and stops every other": "data-owned" not in dom,
}
for name, good in checks.items(): print("ok" if good else "FAILED", "-", name)
if not all(checks.values()): sys.exit("browser results: " + json.dumps([r, n, m, h])[:6000])
