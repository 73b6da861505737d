// Style and script of the report's page.
#include "reporting/page.hpp"

namespace vmaf::tune {

std::string_view page_style() {
    return R"css(
:root { color-scheme: light dark; --back: #f4f6f9; --card: #ffffff; --ink: #1c2430; --faint: #667085; --line: #dde2ea; --accent: #0b66c3; --soft: #eaf2fb; }
@media (prefers-color-scheme: dark) { :root { --back: #0e1116; --card: #14181f; --ink: #e6eaf0; --faint: #9aa5b5; --line: #2a313c; --accent: #6cb2ff; --soft: #1b2532; } }
:root[data-theme=light] { color-scheme: light; --back: #f4f6f9; --card: #ffffff; --ink: #1c2430; --faint: #667085; --line: #dde2ea; --accent: #0b66c3; --soft: #eaf2fb; }
:root[data-theme=dark] { color-scheme: dark; --back: #0e1116; --card: #14181f; --ink: #e6eaf0; --faint: #9aa5b5; --line: #2a313c; --accent: #6cb2ff; --soft: #1b2532; }
:root[data-theme=light] svg.plot { --paper: #ffffff; --ink: #1c2430; --faint: #667085; --grid: #e4e8ee; --sn: #475467;
  --s0: #0b66c3; --s1: #c2410c; --s2: #0a7d5a; --s3: #9333a8; --s4: #946a00; --s5: #c0265f; --s6: #0e7490; --s7: #59544c; }
:root[data-theme=dark] svg.plot { --paper: #14181f; --ink: #e6eaf0; --faint: #9aa5b5; --grid: #2a313c; --sn: #b6c0cf;
  --s0: #6cb2ff; --s1: #ff9a62; --s2: #4fd1a5; --s3: #d59bea; --s4: #e5bd4f; --s5: #ff8fb4; --s6: #5fd0e6; --s7: #c9c2b6; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1rem; padding: .6rem 1.5rem;
  background: var(--card); border-bottom: 1px solid var(--line); }
h1 { font-size: 1.15rem; margin: 0; flex: 1 1 auto; }
h2 { font-size: 1.3rem; margin: 0 0 .8rem; }
h3 { font-size: 1rem; margin: 0 0 .4rem; }
nav { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
main { max-width: 1180px; margin: 0 auto; padding: 1.2rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.3rem; margin: 0 0 1.2rem; scroll-margin-top: 6rem; }
footer { color: var(--faint); text-align: center; padding: 0 1rem 2rem; font-size: .85rem; }
figure { margin: 0 0 1.6rem; } figure:last-child { margin-bottom: 0; }
svg.plot { width: 100%; height: auto; display: block; border-radius: 6px; }
figcaption { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline; color: var(--faint); font-size: .85rem; }
figcaption .readout { flex: 1; min-height: 1.4em; color: var(--ink); font-variant-numeric: tabular-nums; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 6px; padding: .1rem .6rem; cursor: pointer; }
button:hover { background: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.tools button { font-size: .82rem; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--card); padding: .4rem .8rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .7rem 1.4rem; margin: 0 0 1rem; }
.facts dt { color: var(--faint); font-size: .8rem; } .facts dd { margin: 0; overflow-wrap: anywhere; }
.notice { border-left: 4px solid #d98200; padding: .3rem .8rem; background: var(--soft); margin: .4rem 0; }
.hint { color: var(--faint); font-size: .88rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; min-width: 24rem; font-size: .88rem; }
caption { text-align: left; color: var(--faint); padding: 0 0 .4rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { position: sticky; top: 0; background: var(--card); }
th button { border: 0; padding: .1rem .2rem; font-weight: 600; white-space: nowrap; }
th button::after { content: " \2195"; color: var(--faint); opacity: .5; }
th[aria-sort=ascending] button::after { content: " \2191"; opacity: 1; color: var(--accent); }
th[aria-sort=descending] button::after { content: " \2193"; opacity: 1; color: var(--accent); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
#failed td:last-child { white-space: normal; }
tbody tr:hover { background: var(--soft); }
input[type=search] { font: inherit; padding: .15rem .5rem; border: 1px solid var(--line); border-radius: 6px; background: var(--back); color: inherit; }
.legend .key { cursor: pointer; } .legend .key[aria-pressed=false] { opacity: .4; }
details { border-top: 1px solid var(--line); padding: .6rem 0; } summary { cursor: pointer; font-weight: 600; padding: .2rem 0 .6rem; }
.worst { display: grid; gap: 1rem; } .thumb { margin: 0; } .thumb img { width: 100%; max-width: 960px; height: auto; display: block; border-radius: 6px; }
.panes { display: grid; grid-template-columns: repeat(3, 1fr); max-width: 960px; font-size: .8rem; color: var(--faint); text-align: center; }
svg .cross { stroke: var(--faint); stroke-width: 1; }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em; }
@media print { header { position: static; } nav, .tools, #theme, footer, .filter, label { display: none; } body { background: #fff; } section { break-inside: avoid; border: 0; padding: 0; } }
)css";
}

std::string_view page_script() {
    return R"js(
"use strict";
(() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const root = document.documentElement;
  const remembered = { get: k => { try { return localStorage.getItem(k); } catch { return null; } },
                       set: (k, v) => { try { localStorage.setItem(k, v); } catch {} } };

  // Theme: as the system says, light, dark.
  const themes = ["auto", "light", "dark"], themeButton = document.getElementById("theme");
  const setTheme = name => {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    themeButton.textContent = "Theme: " + name;
    remembered.set("vmaf-tune-theme", name);
  };
  const nextTheme = () => setTheme(themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % themes.length]);
  themeButton.addEventListener("click", nextTheme);
  if (themes.includes(remembered.get("vmaf-tune-theme"))) setTheme(remembered.get("vmaf-tune-theme"));

  // Tables: a click on a heading sorts, a second one turns the order round.
  const sortKey = cell => cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b, undefined, { numeric: true });
  for (const table of all("table.sortable")) {
    const heads = all("th", table), body = table.tBodies[0];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(h => h.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row, i) => [sortKey(row.cells[column]), i, row]);
      rows.sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])) || a[1] - b[1]);
      body.append(...rows.map(entry => entry[2]));
    }));
  }
  for (const input of all("input.filter")) {
    const rows = Array.from(document.getElementById(input.dataset.table).tBodies[0].rows), count = input.closest("p").querySelector(".count");
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = words.length ? shown + " of " + rows.length : "";
    });
  }

  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // As the tool writes CSV: texts that a spreadsheet would take for a formula get an apostrophe.
  const quoted = text => /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  const field = text => quoted(/^[=+\-@\t\r]/.test(text) ? "'" + text : text);
  for (const button of all("button.csv")) button.addEventListener("click", () => {
    const table = document.getElementById(button.dataset.table);
    const lines = Array.from(table.rows).map(row => Array.from(row.cells).map(c => c.dataset.v ?? field(c.textContent)).join(","));
    save(table.id + ".csv", "text/csv", lines.join("\n") + "\n");
  });

  for (const figure of all("figure[data-kind]")) {
    const svg = figure.querySelector("svg.plot"), readout = figure.querySelector(".readout"), csv = figure.querySelector(".data").textContent.trim();
    figure.querySelector(".save-csv").addEventListener("click", () => save(svg.id + ".csv", "text/csv", csv + "\n"));
    figure.querySelector(".save-svg").addEventListener("click", () => {
      const copy = svg.cloneNode(true), style = document.createElementNS(svg.namespaceURI, "style");
      style.textContent = document.getElementById("plot-style").textContent;
      copy.prepend(style);
      save(svg.id + ".svg", "image/svg+xml", new XMLSerializer().serializeToString(copy));
    });

    // A legend entry hides and shows its line.
    for (const key of all(".legend .key", svg)) {
      key.setAttribute("tabindex", "0");
      key.setAttribute("role", "button");
      key.setAttribute("aria-pressed", "true");
      const toggle = () => {
        const show = key.getAttribute("aria-pressed") === "false";
        key.setAttribute("aria-pressed", show ? "true" : "false");
        all('.line[data-line="' + key.dataset.line + '"]', svg).forEach(line => line.classList.toggle("off", !show));
      };
      key.addEventListener("click", toggle);
      key.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); } });
    }

    // Walk along: the nearest mark, or the frame under the pointer.
    svg.setAttribute("tabindex", "0");
    const marks = all(".lines .mark, .lines .bar", svg).map(mark => ({ box: () => mark.getBoundingClientRect(), text: mark.textContent, mark }));
    const frames = figure.dataset.kind === "frames" ? csv.split("\n").slice(1).map(line => line.split(",")) : null;
    const names = frames ? csv.split("\n", 1)[0].split(",") : null;
    let at = -1, cross = null;
    const showFrame = index => {
      at = Math.max(0, Math.min(frames.length - 1, index));
      const row = frames[at], low = Number(svg.dataset.low), high = Number(svg.dataset.high), left = Number(svg.dataset.left), right = Number(svg.dataset.right);
      const x = left + (right - left) * (at - low) / (high - low);
      if (!cross) { cross = document.createElementNS(svg.namespaceURI, "path"); cross.setAttribute("class", "cross"); svg.append(cross); }
      cross.setAttribute("d", "M" + x + " 14V332");
      readout.textContent = "frame " + row[0] + (row[1] ? " · " + Number(row[1]).toFixed(2) + " s" : "") +
        row.slice(2).map((v, i) => " · " + names[i + 2] + " " + Number(v).toFixed(3)).join("");
    };
    const showMark = index => { at = Math.max(0, Math.min(marks.length - 1, index)); readout.textContent = marks[at].text; };
    svg.addEventListener("pointermove", event => {
      const box = svg.getBoundingClientRect();
      if (frames) {
        const x = (event.clientX - box.left) * 860 / box.width, left = Number(svg.dataset.left), right = Number(svg.dataset.right);
        const low = Number(svg.dataset.low), high = Number(svg.dataset.high);
        if (x >= left && x <= right) showFrame(Math.round(low + (high - low) * (x - left) / (right - left)));
      } else if (marks.length) {
        let best = 0, least = Infinity;
        marks.forEach((m, i) => {
          const b = m.box(), d = Math.hypot(b.x + b.width / 2 - event.clientX, b.y + b.height / 2 - event.clientY);
          if (d < least) { least = d; best = i; }
        });
        if (least < 60) showMark(best);
      }
    });
    svg.addEventListener("keydown", event => {
      if (event.target !== svg) return;
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -25, PageDown: 25, Home: -1e9, End: 1e9 }[event.key];
      if (step === undefined || (!frames && !marks.length)) return;
      event.preventDefault();
      if (frames) showFrame(at + step); else showMark(at + step);
    });
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "t") nextTheme();
    if (event.key === "/") {
      const input = document.querySelector("input.filter");
      if (input) { event.preventDefault(); input.focus(); }
    }
  });
  addEventListener("beforeprint", () => all("details").forEach(d => { d.open = true; }));
})();
)js";
}

} // namespace vmaf::tune
