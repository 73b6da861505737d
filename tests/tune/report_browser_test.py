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

with tempfile.TemporaryDirectory(prefix="vmaf-tune-browser") as folder:
    report_data.write(folder + "/rows.jsonl", report_data.rows())
    report_data.write(folder + "/frames.jsonl", report_data.frames())
    page = folder + "/report.html"
    subprocess.check_call([tune, "report", folder + "/rows.jsonl", *report_data.others(folder), "--frames", folder + "/frames.jsonl", "-o", page, "-q"])
    text = open(page).read().replace("<head>", "<head>" + CATCH).replace("</body>", PROBE + "</body>")
    with open(page, "w") as file: file.write(text)
    run = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--user-data-dir=" + folder + "/profile", "--virtual-time-budget=5000",
                          "--dump-dom", "file://" + page], capture_output=True, text=True, timeout=180)
    found = re.search(r'<pre id="outcome">(.*?)</pre>', run.stdout, re.S)
    assert found, run.stderr[-2000:]
    r = json.loads(found.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))

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
}
for name, good in checks.items(): print("ok" if good else "FAILED", "-", name)
if not all(checks.values()): sys.exit("browser results: " + json.dumps(r)[:3000])
