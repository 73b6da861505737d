"use strict";
(() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const root = document.documentElement;
  const SVG = "http://www.w3.org/2000/svg";
  const remembered = { get: k => { try { return localStorage.getItem(k); } catch { return null; } },
                       set: (k, v) => { try { localStorage.setItem(k, v); } catch {} } };
  // Builds elements only from names and text; data never becomes markup.
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes = {}, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // ---- Theme: system, light, dark.
  const themes = ["auto", "light", "dark"], themeButton = byId("theme");
  const setTheme = name => {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    themeButton.textContent = "Theme: " + name;
    remembered.set("vmaf-tune-theme", name);
  };
  const nextTheme = () => setTheme(themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % themes.length]);
  themeButton.addEventListener("click", nextTheme);
  if (themes.includes(remembered.get("vmaf-tune-theme"))) setTheme(remembered.get("vmaf-tune-theme"));

  // ---- Tables: clicking a heading sorts, clicking again reverses.
  const sortKey = cell => cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b, undefined, { numeric: true });
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table), body = table.tBodies[0];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(h => h.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row, i) => [sortKey(row.cells[column]), i, row]);
      rows.sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])) || a[1] - b[1]);
      body.append(...rows.map(entry => entry[2]));
    }));
  }
  const matches = (text, wish) => wish.toLowerCase().split(/\s+/).filter(Boolean).every(word => text.toLowerCase().includes(word));
  for (const input of all("input.filter")) {
    const rows = Array.from(byId(input.dataset.table).tBodies[0].rows), count = input.closest("p").querySelector(".count");
    input.addEventListener("input", () => {
      let shown = 0;
      for (const row of rows) {
        row.hidden = !matches(row.textContent, input.value);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = input.value.trim() ? shown + " of " + rows.length : "";
    });
  }

  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // CSV as the tool writes it: text that a spreadsheet would take for a formula gets an apostrophe.
  const quoted = text => /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  const field = text => quoted(/^[=+\-@\t\r]/.test(text) ? "'" + text : text);
  for (const button of all("button.csv")) button.addEventListener("click", () => {
    const table = byId(button.dataset.table);
    const lines = Array.from(table.rows).map(row => Array.from(row.cells).map(c => c.dataset.v ?? field(c.textContent)).join(","));
    save(table.id + ".csv", "text/csv", lines.join("\n") + "\n");
  });

  // ---- Charts, drawn for the available width.
  const linearTicks = (low, high, about) => {
    const rough = (high - low) / Math.max(1, about), power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) || rough;
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
  };
  const logTicks = (low, high, about) => {
    for (const digits of [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
      const ticks = [];
      for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
        for (const d of digits) if (d * 10 ** p >= low * 0.999 && d * 10 ** p <= high * 1.001) ticks.push(d * 10 ** p);
      if (ticks.length <= about + 1 && ticks.length > 1) return ticks;
    }
    return linearTicks(low, high, about);
  };
  const short = value => Math.abs(value) >= 10000 ? (value / 1000).toLocaleString("en", { maximumFractionDigits: 1 }) + "k" : String(Number(value.toPrecision(6)));
  const colour = line => line.colour < 0 ? "sn" : "s" + line.colour % 8;
  const MARKS = [(x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`, (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    (x, y, r) => `M${x} ${y - 1.2 * r}L${x + 1.15 * r} ${y + r}H${x - 1.15 * r}z`, (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z`,
    (x, y, r) => `M${x} ${y + 1.2 * r}L${x + 1.15 * r} ${y - r}H${x - 1.15 * r}z`];
  const markPath = (line, x, y, r = 4) => MARKS[Math.max(0, line.colour) % MARKS.length](x, y, r);

  const extent = (plot, lines, axis) => {
    let low = Infinity, high = -Infinity;
    for (const line of lines) for (const p of line.points) if (Number.isFinite(p[axis])) { low = Math.min(low, p[axis]); high = Math.max(high, p[axis]); }
    if (axis === 1) for (const rule of plot.across || []) if (rule[0] > low - (high - low) * .6 && rule[0] < high + (high - low) * .6) { low = Math.min(low, rule[0]); high = Math.max(high, rule[0]); }
    if (!(low <= high)) return [0, 1];
    if (low === high) return plot.log && axis === 0 ? [low / 1.5, high * 1.5] : [low - 1, high + 1];
    const log = plot.log && axis === 0, pad = plot.tight && axis === 0 ? 0 : log ? Math.log(high / low) * .04 : (high - low) * .05;
    if (log) return [low / Math.exp(pad), high * Math.exp(pad)];
    const from = plot.lines.some(l => l.style === "bars") && axis === 1 ? 0 : low - pad;
    return [from, axis === 1 && low >= 0 && high <= 100 && high > 99 ? Math.min(100.5, high + pad) : high + pad];
  };

  // Draws `plot` into `place`; `off` names hidden lines. Calls `point` with the element under the pointer or keyboard focus.
  const drawPlot = (place, plot, off = new Set(), point = () => {}) => {
    const width = Math.max(280, Math.round(place.clientWidth || 860)), narrow = width < 560, height = narrow ? 300 : Math.min(420, Math.round(width * .44));
    const box = { left: 52, right: width - 14, top: 14, bottom: height - 44 };
    const shown = plot.lines.filter(line => !off.has(line.name));
    const [x0, x1] = extent(plot, shown.length ? shown : plot.lines, 0), [y0, y1] = extent(plot, shown.length ? shown : plot.lines, 1);
    const X = v => box.left + (box.right - box.left) * (plot.log ? Math.log(v / x0) / Math.log(x1 / x0) : (v - x0) / (x1 - x0));
    const Y = v => box.bottom - (box.bottom - box.top) * (v - y0) / (y1 - y0);
    const svg = draw("svg", { class: "plot colours", id: plot.id, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": plot.title, tabindex: 0 });
    svg.append(draw("title", {}, plot.title), draw("rect", { class: "paper", width, height }));
    const grid = draw("g", { class: "grid" });
    const xs = plot.log ? logTicks(x0, x1, narrow ? 4 : 9) : linearTicks(x0, x1, narrow ? 4 : 8).filter(t => t >= x0 && t <= x1);
    for (const t of xs) grid.append(draw("path", { d: `M${X(t).toFixed(1)} ${box.top}V${box.bottom}` }), draw("text", { x: X(t).toFixed(1), y: box.bottom + 16, "text-anchor": "middle" }, short(t)));
    for (const t of linearTicks(y0, y1, narrow ? 5 : 7).filter(t => t >= y0 && t <= y1))
      grid.append(draw("path", { d: `M${box.left} ${Y(t).toFixed(1)}H${box.right}` }), draw("text", { x: box.left - 7, y: Y(t) + 4, "text-anchor": "end" }, short(t)));
    grid.append(draw("text", { class: "name", x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle" }, narrow ? plot.x.replace(", logarithmic", "") : plot.x),
      draw("text", { class: "name", transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, plot.y));
    svg.append(grid);
    const lines = draw("g", { class: "lines" }), spots = [];
    for (const line of shown) {
      const group = draw("g", { class: "line " + colour(line), "data-line": line.name });
      const points = line.points.filter(p => Number.isFinite(p[0]) && Number.isFinite(p[1]));
      if (line.style === "bars") {
        const step = points.length > 1 ? Math.abs(X(points[1][0]) - X(points[0][0])) : 20;
        for (const p of points) group.append(draw("rect", { class: "bar", x: X(p[0]) - step * .45, width: step * .9, y: Y(p[1]), height: Math.max(0, box.bottom - Y(p[1])) }));
      } else if (line.style !== "marks") {
        let d = "";
        if (points.length > 4 * (box.right - box.left)) { // more points than pixels: draws each column's minimum and maximum
          let column = null, low = 0, high = 0;
          const flush = () => { if (column !== null) d += `${d ? "L" : "M"}${column} ${Y(low).toFixed(1)}L${column} ${Y(high).toFixed(1)}`; };
          for (const p of points) {
            const at = Math.round(X(p[0]));
            if (at !== column) { flush(); column = at; low = high = p[1]; } else { low = Math.min(low, p[1]); high = Math.max(high, p[1]); }
          }
          flush();
        } else d = points.map((p, i) => (i ? "L" : "M") + X(p[0]).toFixed(1) + " " + Y(p[1]).toFixed(1)).join("");
        group.append(draw("path", { class: "stroke" + (line.style === "dashed" ? " dashed" : ""), d }));
      }
      if (line.marks && line.style !== "bars") points.forEach((p, i) => {
        group.append(draw("path", { class: "mark", d: markPath(line, +X(p[0]).toFixed(1), +Y(p[1]).toFixed(1)) }));
        if (plot.numbered) group.append(draw("text", { class: "number", x: X(p[0]) + 7, y: Y(p[1]) - 6 }, i + 1));
      });
      for (const p of points) if (p[2] || plot.frames) spots.push({ x: X(p[0]), y: Y(p[1]), value: p, line });
      lines.append(group);
    }
    svg.append(lines);
    const rules = draw("g", { class: "rules" });
    for (const [at, label] of plot.down || []) if (at >= x0 && at <= x1) { const rule = draw("path", { d: `M${X(at)} ${box.top}V${box.bottom}` }); rule.append(draw("title", {}, label)); rules.append(rule); }
    let last = -100;
    for (const [at, label] of (plot.across || []).filter(r => r[0] >= y0 && r[0] <= y1).sort((a, b) => b[0] - a[0])) {
      rules.append(draw("path", { class: "across", d: `M${box.left} ${Y(at)}H${box.right}` }));
      if (Y(at) - last > 14) { rules.append(draw("text", { class: "halo", x: box.right - 4, y: Y(at) - 4, "text-anchor": "end" }, label)); last = Y(at); }
    }
    svg.append(rules);
    // Pointer and keyboard navigation.
    const cross = draw("path", { class: "cross", d: "" }), dots = draw("g");
    svg.append(cross, dots);
    let at = -1;
    const ordered = plot.frames ? [] : spots;
    const showSpot = i => {
      at = Math.max(0, Math.min(ordered.length - 1, i));
      const s = ordered[at];
      dots.replaceChildren(draw("circle", { class: "dot " + colour(s.line), cx: s.x, cy: s.y, r: 6 }));
      point(s.value[2]);
    };
    const showFrame = i => {
      at = Math.max(0, Math.min(plot.frames - 1, i));
      cross.setAttribute("d", `M${X(at)} ${box.top}V${box.bottom}`);
      dots.replaceChildren(...shown.filter(l => l.style !== "marks" && Number.isFinite((l.points[at] || [])[1])).map(l => draw("circle", { class: "dot " + colour(l), cx: X(at), cy: Y(l.points[at][1]), r: 4 })));
      point(plot.describe(at, shown));
    };
    svg.addEventListener("pointermove", event => {
      const frame = svg.getBoundingClientRect(), px = (event.clientX - frame.left) * width / frame.width, py = (event.clientY - frame.top) * height / frame.height;
      if (plot.frames) { if (px >= box.left && px <= box.right) showFrame(Math.round(x0 + (x1 - x0) * (px - box.left) / (box.right - box.left))); return; }
      let best = -1, least = 60;
      ordered.forEach((s, i) => { const d = Math.hypot(s.x - px, s.y - py); if (d < least) { least = d; best = i; } });
      if (best >= 0) showSpot(best);
    });
    svg.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -25, PageDown: 25, Home: -1e9, End: 1e9 }[event.key];
      if (step === undefined || (!plot.frames && !ordered.length)) return;
      event.preventDefault();
      event.stopPropagation();
      if (plot.frames) showFrame(at + step); else showSpot(at + step);
    });
    place.replaceChildren(svg);
    return svg;
  };

  // A figure with legend, readout and exports. `choose` returns the plot to show.
  const charts = [];
  const chartFigure = (figure, choose) => {
    const place = make("div", { class: "place" }), legend = make("ul", { class: "legend colours" }), readout = figure.querySelector(".readout");
    figure.querySelector(".drawing").append(legend, place);
    const off = new Set();
    let plot = null, drawnWidth = 0;
    const render = () => {
      drawnWidth = place.clientWidth;
      drawPlot(place, plot, off, text => { readout.textContent = text || ""; });
    };
    const update = () => {
      plot = choose();
      figure.hidden = !plot;
      if (!plot) return;
      const heading = figure.querySelector("h3");
      if (heading) heading.textContent = plot.heading;
      figure.querySelector(".caption").textContent = plot.caption || "";
      readout.textContent = "";
      legend.replaceChildren(...plot.lines.filter(line => line.name).map(line => {
        const sample = draw("svg", { viewBox: "0 0 22 12", class: colour(line), "aria-hidden": "true" });
        sample.style.color = `var(--${colour(line)})`;
        if (line.style !== "marks" && line.style !== "bars") sample.append(draw("path", { d: "M1 6H21", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": line.style === "dashed" ? "5 3" : "none" }));
        if (line.marks || line.style === "bars") sample.append(draw("path", { d: markPath(line, 11, 6, 3.6), fill: "currentColor" }));
        const button = make("button", { type: "button", class: "key", "aria-pressed": off.has(line.name) ? "false" : "true" }, sample, line.name);
        button.addEventListener("click", () => {
          if (off.has(line.name)) off.delete(line.name); else off.add(line.name);
          button.setAttribute("aria-pressed", off.has(line.name) ? "false" : "true");
          render();
        });
        return make("li", {}, button);
      }));
      legend.hidden = legend.children.length < 2;
      render();
    };
    figure.querySelector(".save-svg").addEventListener("click", () => {
      const copy = place.querySelector("svg").cloneNode(true), style = draw("style", {}, byId("plot-style").textContent);
      copy.setAttribute("xmlns", SVG);
      copy.prepend(style);
      save(plot.id + ".svg", "image/svg+xml", new XMLSerializer().serializeToString(copy));
    });
    figure.querySelector(".save-csv").addEventListener("click", () => save(plot.id + ".csv", "text/csv", plot.csv()));
    charts.push({ figure, update, resized: () => { if (plot && !figure.hidden && place.clientWidth && place.clientWidth !== drawnWidth) render(); } });
    update();
    return update;
  };
  const prepared = plot => plot && { ...plot, csv: () => plot.table };
  for (const figure of all("figure[data-plot]")) chartFigure(figure, () => prepared(data.plots[Number(figure.dataset.plot)]));

  // ---- One source and one metric at a time.
  const chosen = { source: 0, metric: 0, kind: "rate-quality" };
  const find = (kind, source, metric) => data.plots.find(p => p.kind === kind && p.source === source && p.metric === metric);
  const sourceSelect = byId("choose-source"), metricSelect = byId("choose-metric"), tabs = all("#choose-kind button");
  const followers = [];
  const choose = change => {
    Object.assign(chosen, change);
    if (sourceSelect) sourceSelect.value = chosen.source;
    if (metricSelect) metricSelect.value = chosen.metric;
    tabs.forEach(t => { t.setAttribute("aria-selected", t.dataset.kind === chosen.kind ? "true" : "false"); t.tabIndex = t.dataset.kind === chosen.kind ? 0 : -1; });
    followers.forEach(update => update());
  };
  const curves = byId("fig-curves");
  if (curves) {
    followers.push(chartFigure(curves, () => prepared(find(chosen.kind, chosen.source, chosen.metric) || find("rate-quality", chosen.source, chosen.metric))));
    sourceSelect.addEventListener("change", () => choose({ source: Number(sourceSelect.value) }));
    metricSelect.addEventListener("change", () => choose({ metric: Number(metricSelect.value) }));
    tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => choose({ kind: tab.dataset.kind }));
      tab.addEventListener("keydown", event => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = tabs[(i + step + tabs.length) % tabs.length];
        choose({ kind: next.dataset.kind });
        next.focus();
      });
    });
    const bySource = all("[data-source-part]");
    followers.push(() => bySource.forEach(part => { part.open = Number(part.dataset.sourcePart) === chosen.source; }));
    followers.push(() => all("[data-metric-part]").forEach(part => { part.hidden = Number(part.dataset.metricPart) !== chosen.metric; }));
    followers.at(-1)();
  }
  const stepSource = step => { if (curves && data.sources.length > 1) choose({ source: (chosen.source + step + data.sources.length) % data.sources.length }); };

  // ---- The index of sources: small multiples with a common scale.
  const multiples = byId("multiples");
  if (multiples) {
    const cards = [];
    const drawSmall = (place, plot, range) => {
      const W = 180, H = 74, [x0, x1, y0, y1] = range;
      const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, class: "colours", preserveAspectRatio: "none", "aria-hidden": "true" });
      const X = v => 2 + (W - 4) * Math.log(v / x0) / Math.log(x1 / x0), Y = v => H - 3 - (H - 6) * (v - y0) / (y1 - y0);
      for (const [at] of plot.across || []) if (at >= y0 && at <= y1) svg.append(draw("path", { d: `M0 ${Y(at)}H${W}`, stroke: "var(--faint)", "stroke-dasharray": "3 3", "vector-effect": "non-scaling-stroke", opacity: .7 }));
      for (const line of plot.lines) if (line.style === "line") {
        const path = draw("path", { d: line.points.map((p, i) => (i ? "L" : "M") + X(p[0]).toFixed(1) + " " + Y(p[1]).toFixed(1)).join(""), fill: "none", "stroke-width": 1.8, "vector-effect": "non-scaling-stroke" });
        path.style.stroke = `var(--${colour(line)})`;
        svg.append(path);
      }
      place.replaceChildren(svg);
    };
    const update = () => {
      const plots = data.sources.map((_, i) => find("rate-quality", i, chosen.metric));
      let range = [Infinity, -Infinity, Infinity, -Infinity];
      for (const plot of plots) if (plot) for (const line of plot.lines) if (line.style === "line") for (const p of line.points)
        range = [Math.min(range[0], p[0]), Math.max(range[1], p[0]), Math.min(range[2], p[1]), Math.max(range[3], p[1])];
      if (range[0] === range[1]) range[1] *= 2;
      if (range[2] === range[3]) range[3] += 1;
      cards.forEach((card, i) => {
        card.setAttribute("aria-pressed", i === chosen.source ? "true" : "false");
        card.hidden = !matches(data.sources[i] + " " + card.textContent, byId("find-source").value) ;
        if (plots[i]) drawSmall(card.querySelector("i"), plots[i], range); else card.querySelector("i").replaceChildren();
        const said = (data.winners[chosen.metric] || [])[i];
        card.querySelector("span").textContent = said || "";
      });
    };
    data.sources.forEach((name, i) => {
      const card = make("button", { type: "button", class: "multiple", title: name }, make("b", {}, data.names[i]), make("i"), make("span"));
      card.addEventListener("click", () => { choose({ source: i }); byId("rate-quality").scrollIntoView(); });
      cards.push(card);
      multiples.append(card);
    });
    byId("find-source").addEventListener("input", update);
    followers.push(update);
    update();
  }

  // ---- Frames of several encodes overlaid.
  const overlay = byId("fig-overlay");
  if (overlay) {
    const boxes = all("#encodes input"), metric = byId("frame-metric");
    const picked = () => boxes.filter(b => b.checked).map(b => Number(b.value));
    const plot = () => {
      const numbers = picked(), name = metric.value;
      if (!numbers.length) return { id: "frames", heading: "No encode is chosen", title: "no encode is chosen", x: "frame", y: name, lines: [], csv: () => "" };
      const encodes = numbers.map(n => data.frames[n]), length = Math.max(...encodes.map(e => (e.series[name] || []).length));
      const lines = encodes.map((e, i) => ({ name: e.label, style: "line", marks: false, colour: i, points: Array.from({ length }, (_, k) => [k, (e.series[name] || [])[k] ?? NaN]) }));
      const across = [], sorted = (encodes[0].series[name] || []).filter(v => v !== null && Number.isFinite(v)).sort((a, b) => a - b);
      if (encodes.length === 1 && sorted.length) for (const percent of [50, 5, 1]) across.push([sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))], percent + " % below"]);
      for (const t of data.targets) if (encodes.length > 1 && name === encodes[0].metric) across.push([t, "target " + t]);
      const seconds = k => encodes[0].fps > 0 ? " · " + (k / encodes[0].fps).toFixed(2) + " s" : "";
      return { id: "frames-overlay", heading: encodes.length === 1 ? "Frame by frame: " + encodes[0].label : "Frame by frame: " + encodes.length + " encodes", title: name + " of every frame", x: "frame", y: name === "vmaf" ? "VMAF" : name,
        lines, across, down: encodes[0].shots || [], frames: length, tight: true,
        caption: encodes.length === 1 ? "Lines across: scores below which 50, 5 and 1 % of the frames lie." : "",
        describe: (k, shown) => "frame " + k + seconds(k) + shown.map(l => (shown.length > 1 ? " · " + l.name + " " : " · " + name + " ") + (Number.isFinite(l.points[k][1]) ? l.points[k][1].toFixed(2) : "–")).join(""),
        csv: () => "frame," + encodes.map(e => field(e.label)).join(",") + "\n" + Array.from({ length }, (_, k) => k + "," + encodes.map(e => (e.series[name] || [])[k] ?? "").join(",")).join("\n") + "\n" };
    };
    const update = chartFigure(overlay, plot);
    const histograms = all("figure[data-encode]");
    const both = () => { update(); const first = picked()[0]; histograms.forEach(h => { h.hidden = Number(h.dataset.encode) !== first; }); charts.forEach(c => c.resized()); };
    boxes.forEach(b => b.addEventListener("change", both));
    metric.addEventListener("change", both);
    byId("find-encode")?.addEventListener("input", event => boxes.forEach(b => { b.closest("label").hidden = !matches(b.closest("label").textContent, event.target.value); }));
    both();
  }

  // ---- Worst frames: reference and encode under a slider, their difference, and an enlarged view.
  const large = byId("large"), heat = heatMaps(data, { all, make, byId });
  const comparison = (picture, alt) => {
    const box = make("div", { class: "compare", tabindex: 0, role: "slider", "aria-label": alt + ": reference left, encode right of the slider", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 50 });
    box.style.setProperty("--ratio", picture.width + " / " + picture.height);
    box.style.setProperty("--shape", picture.width / picture.height);
    for (const name of ["encode", "reference", "difference"]) {
      const pane = make("div", { class: "pane " + name });
      pane.style.backgroundImage = `url(${picture.image})`;
      box.append(pane);
    }
    box.append(make("div", { class: "handle" }), make("span", { class: "tag a" }, "reference"), make("span", { class: "tag b" }, "encode"));
    const move = percent => {
      const at = Math.max(0, Math.min(100, percent));
      box.style.setProperty("--at", at + "%");
      box.setAttribute("aria-valuenow", Math.round(at));
    };
    let down = false, moved = 0;
    const follow = event => { const r = box.getBoundingClientRect(); move((event.clientX - r.left) / r.width * 100); };
    box.addEventListener("pointerdown", event => { down = true; moved = 0; try { box.setPointerCapture(event.pointerId); } catch {} }); // the pointer may have gone
    box.addEventListener("pointermove", event => { if (down || event.pointerType === "mouse") { moved += Math.abs(event.movementX || 1); follow(event); } });
    box.addEventListener("pointerup", () => { down = false; });
    box.addEventListener("keydown", event => {
      const step = { ArrowLeft: -5, ArrowRight: 5, Home: -100, End: 100 }[event.key];
      if (step !== undefined) { event.preventDefault(); move(Number(box.getAttribute("aria-valuenow")) + step); }
      if (event.key === "d") box.dispatchEvent(new Event("difference"));
      if (event.key === "m") box.dispatchEvent(new Event("heat"));
    });
    const toggle = () => box.classList.toggle("is-difference"), hasHeat = heat.has(picture.encode, picture.frame);
    const toggleHeat = () => {
      if (hasHeat && !box.querySelector(".heat")) box.querySelector(".handle").before(heat.layer(picture.encode, picture.frame));
      return hasHeat && box.classList.toggle("is-heat");
    };
    return { box, toggle, toggleHeat, hasHeat, wasDragged: () => moved > 8 };
  };
  const openers = new Map();
  for (const figure of all("figure[data-picture]")) {
    const picture = data.pictures[Number(figure.dataset.picture)], alt = figure.dataset.alt;
    const { box, toggle, toggleHeat, wasDragged } = comparison(picture, alt);
    figure.prepend(box);
    const button = figure.querySelector(".difference-button");
    const both = () => button.setAttribute("aria-pressed", toggle() ? "true" : "false");
    button.addEventListener("click", both);
    box.addEventListener("difference", both);
    const heatButton = figure.querySelector(".heat-button");
    const switchHeat = () => heatButton?.setAttribute("aria-pressed", toggleHeat() ? "true" : "false");
    heatButton?.addEventListener("click", switchHeat);
    box.addEventListener("heat", switchHeat);
    const enlarge = ({ withHeat = box.classList.contains("is-heat") } = {}) => {
      const big = comparison(picture, alt), readout = make("p", { class: "hint readout" }, alt + " ");
      if (box.classList.contains("is-difference")) big.toggle();
      const difference = make("button", { type: "button", class: "difference-button", "aria-pressed": box.classList.contains("is-difference") ? "true" : "false" }, "Difference ×4");
      const other = () => difference.setAttribute("aria-pressed", big.toggle() ? "true" : "false");
      difference.addEventListener("click", other);
      big.box.addEventListener("difference", other);
      large.querySelector(".place").replaceChildren(big.box, readout, difference);
      if (big.hasHeat) {
        const button = make("button", { type: "button", class: "heat-button", "aria-pressed": "false" }, "Heat map");
        const switchBig = () => button.setAttribute("aria-pressed", big.toggleHeat() ? "true" : "false");
        button.addEventListener("click", switchBig);
        big.box.addEventListener("heat", switchBig);
        big.box.addEventListener("pointermove", event => { if (big.box.classList.contains("is-heat")) readout.textContent = alt + " · " + heat.tell(picture.encode, picture.frame, big.box, event); });
        difference.after(" ", button);
        if (withHeat) switchBig();
      }
      large.showModal();
      big.box.focus();
    };
    box.addEventListener("click", () => { if (!wasDragged() || box.classList.contains("is-difference")) enlarge(); });
    box.addEventListener("keydown", event => { if (event.key === "Enter") { event.preventDefault(); enlarge(); } });
    figure.querySelector(".enlarge-button").addEventListener("click", () => enlarge());
    openers.set(picture.encode + " " + picture.frame, () => enlarge({ withHeat: true }));
  }
  heat.strips((encode, frame) => {
    const open = openers.get(encode + " " + frame);
    if (open) { open(); return; }
    const shown = heat.has(encode, frame) ? frame : heat.nearest(encode, frame), canvas = heat.layer(encode, shown, true), { width, height } = heat.size(encode);
    const text = "Frame " + shown + " of " + data.frames[encode].label + ": the map alone; pictures are of the worst frames", readout = make("p", { class: "hint readout" }, text);
    const box = make("div", { class: "compare is-heat", tabindex: 0 }, canvas);
    box.style.setProperty("--ratio", width + " / " + height);
    box.style.setProperty("--shape", width / height);
    box.addEventListener("pointermove", event => { readout.textContent = text + " · " + heat.tell(encode, shown, box, event); });
    large.querySelector(".place").replaceChildren(box, readout);
    large.showModal();
  });
  large.addEventListener("click", event => { if (event.target === large) large.close(); });

  // ---- Keys, sizes, print.
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (event.key === "t") nextTheme();
    if (event.key === "[") stepSource(-1);
    if (event.key === "]") stepSource(1);
    if (event.key === "/") {
      const input = document.querySelector("input.filter");
      if (input) { event.preventDefault(); input.focus(); }
    }
  });
  let waiting = 0;
  const resized = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(() => charts.forEach(chart => chart.resized())); };
  addEventListener("resize", resized);
  all("details").forEach(d => d.addEventListener("toggle", resized));
  addEventListener("beforeprint", () => all("details").forEach(d => { d.open = true; }));
  root.dataset.ready = "yes";
})();
