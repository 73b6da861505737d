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
const results = {};
const rows = document.getElementById("rows"), column = name => Array.from(rows.tHead.rows[0].cells).findIndex(c => c.textContent === name);
const values = name => Array.from(rows.tBodies[0].rows).map(r => r.cells[column(name)]).filter(c => c.dataset.v !== undefined).map(c => Number(c.dataset.v));
const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const head = rows.tHead.rows[0].cells[column("kbps")];
head.querySelector("button").click(); results.up = values("kbps"); results.sortUp = head.getAttribute("aria-sort");
head.querySelector("button").click(); results.down = values("kbps"); results.sortDown = head.getAttribute("aria-sort");
const filter = document.querySelector("input.filter");
filter.value = "libx264 fast"; filter.dispatchEvent(new Event("input"));
results.shown = Array.from(rows.tBodies[0].rows).filter(r => !r.hidden).length; results.count = document.querySelector(".count").textContent;
const theme = () => document.documentElement.dataset.theme || "auto";
results.themes = [theme()]; for (let i = 0; i < 3; i++) { press(document.body, "t"); results.themes.push(theme()); }
document.getElementById("theme").click(); document.getElementById("theme").click();
results.darkPaper = getComputedStyle(document.querySelector("svg.plot")).getPropertyValue("--paper");
const key = document.querySelector("#rate-quality-1 .key"), line = document.querySelector("#rate-quality-1 .line");
press(key, "Enter"); results.off = line.classList.contains("off"); press(key, " "); results.on = !line.classList.contains("off");
const frames = document.getElementById("frames-1"); press(frames, "ArrowRight"); press(frames, "End");
results.readout = frames.closest("figure").querySelector(".readout").textContent;
results.widths = Array.from(document.querySelectorAll("svg.plot")).map(s => s.getBoundingClientRect().width);
results.overflow = document.documentElement.scrollWidth > document.documentElement.clientWidth;
press(document.body, "/"); results.focus = document.activeElement === filter;
results.problems = problems;
document.getElementById("outcome").textContent = JSON.stringify(results);
</script>"""

POLICY = re.compile(r"script-src 'sha256-[^']*'")
# Texts that do something where they are taken for markup, script or style instead of text.
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


def in_browser(page, change):
    """What the page's outcome says after `change` of its text."""
    with open(page) as file: text = change(file.read())
    with open(page, "w") as file: file.write(text)
    run = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--user-data-dir=" + page + ".profile", "--virtual-time-budget=5000",
                          "--dump-dom", "file://" + page], capture_output=True, text=True, timeout=280)
    found = re.search(r'<pre id="outcome">(.*?)</pre>', run.stdout, re.S)
    assert found, run.stderr[-2000:]
    return json.loads(found.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


HOSTILE_CATCH = CATCH.replace("window.problems=[];", "window.problems=[];window.hits=[];window.owned=x=>hits.push(String(x));")
HOSTILE_PROBE = """<pre id="outcome"></pre><script>
for (const key of document.querySelectorAll(".key")) key.dispatchEvent(new Event("click"));
for (const e of document.querySelectorAll("svg, figure, td, button")) for (const kind of ["mouseover", "focus"]) e.dispatchEvent(new Event(kind, { bubbles: true }));
for (const svg of document.querySelectorAll("svg.plot")) for (const key of ["ArrowRight", "End"]) svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const handlers = Array.from(document.querySelectorAll("*")).filter(e => e.id !== "outcome" && Array.from(e.attributes).some(a => /^on/i.test(a.name) || (/^(href|src|action|formaction|xlink:href)$/i.test(a.name) && /^[^#]*script:/i.test(a.value)))).length;
const report = () => { document.getElementById("outcome").textContent = JSON.stringify({ hits, problems, handlers, scripts: document.scripts.length,
  foreign: document.querySelectorAll("iframe, object, embed, base, template, link, a[href]:not([href^='#'])").length, shown: document.body.textContent.includes("</scr" + "ipt><script>owned('script')") }); };
report(); setTimeout(report, 500);
</script>"""

with tempfile.TemporaryDirectory(prefix="vmaf-tune-browser") as folder:
    report_data.write(folder + "/rows.jsonl", report_data.rows())
    report_data.write(folder + "/frames.jsonl", report_data.frames())
    page = folder + "/report.html"
    subprocess.check_call([tune, "report", folder + "/rows.jsonl", *report_data.others(folder), "--frames", folder + "/frames.jsonl", "-o", page, "-q"])
    own_policy = POLICY.search(open(page).read())
    allowed = lambda text: POLICY.sub("script-src 'unsafe-inline'", text)  # for the probes; it takes away one line of defence
    r = in_browser(page, lambda text: allowed(text).replace("<head>", "<head>" + CATCH).replace("</body>", PROBE + "</body>"))

    report_data.write(folder + "/hostile.jsonl", hostile_objects())
    page = folder + "/hostile.html"
    subprocess.check_call([tune, "report", folder + "/hostile.jsonl", "-o", page, "-q", "--title", HOSTILE[0], "--thumbnails", "0"])
    h = in_browser(page, lambda text: allowed(text).replace("<head>", "<head>" + HOSTILE_CATCH).replace("</body>", HOSTILE_PROBE + "</body>"))

    # With the page's own policy its script runs (it numbers the keys of legends), and no other does.
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
    "legend entries hide and show their line": r["off"] and r["on"],
    "arrow keys walk along the frames": r["readout"].startswith("frame 299 · 11.96 s · vmaf "),
    "charts have a size and the page does not scroll sideways": min(r["widths"]) > 300 and not r["overflow"],
    "the slash goes to the filter": r["focus"],
    "no hostile text runs": h["hits"] == [] and h["handlers"] == 0 and h["problems"] == [],
    "nor makes elements": h["scripts"] == 3 and h["foreign"] == 0,  # the page's script, and those of this test
    "but is shown as it is": h["shown"],
    "the page's policy knows its script": own_policy is not None and 'aria-pressed="true"' in dom,
    "and stops every other": "data-owned" not in dom,
}
for name, good in checks.items(): print("ok" if good else "FAILED", "-", name)
if not all(checks.values()): sys.exit("browser results: " + json.dumps([r, h])[:3000])
