"use strict";
// Heat maps: which cells of a frame lose the score. Uses the colours of `vmaf --map`: their lightness grows evenly, so the map does not
// rely on hues.
const heatMaps = (data, { all, make, byId }) => {
  const STOPS = [[0, 0, 4], [31, 12, 72], [85, 15, 109], [136, 34, 106], [186, 54, 85], [227, 89, 51], [249, 140, 10], [249, 201, 50], [252, 255, 164]];
  const NONE = 255, heats = new Map(data.frames.flatMap((encode, i) => encode.heat ? [[i, encode.heat]] : []));
  const redraw = new Set();
  let strength = 0.8;
  const badness = score => Math.max(0, Math.min(1, (100 - score) / 100));
  const colour = (score, alpha) => {
    const at = badness(score) * (STOPS.length - 1), stop = Math.min(Math.floor(at), STOPS.length - 2), part = at - stop;
    return `rgba(${STOPS[stop].map((c, k) => Math.round(c + part * (STOPS[stop + 1][k] - c))).join(",")},${alpha})`;
  };
  const grid = (heat, frame) => {
    const text = heat.grids[frame];
    return text === undefined ? null : Uint8Array.from(atob(text), c => c.charCodeAt(0));
  };
  const nearest = (heat, frame) => Object.keys(heat.grids).map(Number).reduce((a, b) => Math.abs(b - frame) < Math.abs(a - frame) ? b : a);
  const place = (heat, cell) => {
    const columns = heat.x.length - 1, c = cell % columns, r = Math.floor(cell / columns);
    return { x: heat.x[c], y: heat.y[r], width: heat.x[c + 1] - heat.x[c], height: heat.y[r + 1] - heat.y[r] };
  };
  const cellAt = (heat, x, y) => {
    const find = (edges, at) => { let i = 0; while (i < edges.length - 2 && edges[i + 1] <= at) i++; return i; };
    return find(heat.y, y) * (heat.x.length - 1) + find(heat.x, x);
  };

  // A frame's map as a picture; `solid`: without a picture underneath.
  const layer = (encode, frame, solid = false) => {
    const heat = heats.get(encode), cells = grid(heat, frame), width = heat.x.at(-1), height = heat.y.at(-1);
    const scale = Math.min(1, 640 / width), canvas = make("canvas", { class: "heat", width: Math.round(width * scale), height: Math.round(height * scale), "aria-hidden": "true" });
    const paint = () => {
      const to = canvas.getContext("2d");
      to.clearRect(0, 0, canvas.width, canvas.height);
      cells.forEach((value, i) => {
        if (value === NONE) return;
        const p = place(heat, i), left = Math.round(p.x * scale), top = Math.round(p.y * scale);
        to.fillStyle = colour(value / 2, solid ? 1 : strength * Math.sqrt(badness(value / 2)));
        to.fillRect(left, top, Math.round((p.x + p.width) * scale) - left, Math.round((p.y + p.height) * scale) - top);
      });
    };
    paint();
    redraw.add(paint);
    return canvas;
  };
  // Describes the cell under the pointer.
  const tell = (encode, frame, box, event) => {
    const heat = heats.get(encode), cells = grid(heat, frame), r = box.getBoundingClientRect();
    const cell = cellAt(heat, (event.clientX - r.left) / r.width * heat.x.at(-1), (event.clientY - r.top) / r.height * heat.y.at(-1)), p = place(heat, cell);
    return `${p.width}×${p.height} at ${p.x},${p.y}: ` + (cells[cell] === NONE ? "no score" : heat.score + " " + (cells[cell] / 2).toFixed(1));
  };

  // Legend and strength, shared by all maps of the page.
  const controls = byId("heat-controls");
  if (controls && heats.size) {
    const bar = make("canvas", { width: 256, height: 12, "aria-hidden": "true" }), to = bar.getContext("2d");
    for (let i = 0; i < 256; i++) { to.fillStyle = colour(100 - i / 2.55, 1); to.fillRect(i, 0, 1, 12); }
    const numbers = make("span", { class: "numbers" }, ...[100, 80, 60, 40, 20, 0].map(n => make("span", {}, String(n))));
    const slider = make("input", { type: "range", min: 0, max: 100, value: strength * 100, id: "heat-strength" });
    slider.addEventListener("input", () => { strength = slider.value / 100; redraw.forEach(paint => paint()); });
    controls.append(make("div", { class: "heat-legend", role: "img", "aria-label": "local score of a cell, from 100 (dark) to 0 (bright)" }, make("span", {}, "local " + [...heats.values()][0].score + " of a cell"), bar, numbers),
      make("label", {}, "Strength of heat maps ", slider));
  }

  // The worst cell over time. `open` receives the selected frame.
  const strip = (figure, open) => {
    const encode = Number(figure.dataset.strip), heat = heats.get(encode), fps = data.frames[encode].fps, count = heat.worst.length;
    const canvas = make("canvas", { class: "strip", height: 34, tabindex: 0, role: "slider", "aria-label": "worst cell of every frame; Enter opens a frame", "aria-valuemin": 0, "aria-valuemax": count - 1, "aria-valuenow": 0 });
    const readout = figure.querySelector(".readout");
    let at = 0;
    const paint = () => {
      const width = canvas.width = Math.max(200, Math.round(figure.clientWidth || 600)), to = canvas.getContext("2d");
      for (let x = 0; x < width; x++) { // a column shows the worst of its frames
        const from = Math.floor(x * count / width), end = Math.max(from + 1, Math.floor((x + 1) * count / width)), part = heat.worst.slice(from, end).filter(v => v !== null);
        if (!part.length) continue;
        to.fillStyle = colour(Math.min(...part), 1);
        to.fillRect(x, 0, 1, canvas.height);
      }
    };
    const show = frame => {
      at = Math.max(0, Math.min(count - 1, frame));
      const p = heat.worst_cell[at] >= 0 ? place(heat, heat.worst_cell[at]) : null;
      readout.textContent = `frame ${at}` + (fps > 0 ? ` · ${(at / fps).toFixed(2)} s` : "") + (p ? ` · worst cell ${heat.worst[at].toFixed(1)}, ${p.width}×${p.height} at ${p.x},${p.y}` : " · no cells");
      canvas.setAttribute("aria-valuenow", at);
      canvas.setAttribute("aria-valuetext", readout.textContent);
    };
    const pointed = event => { const r = canvas.getBoundingClientRect(); return Math.floor((event.clientX - r.left) / r.width * count); };
    canvas.addEventListener("pointermove", event => show(pointed(event)));
    canvas.addEventListener("click", event => { show(pointed(event)); open(encode, at); });
    canvas.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -25, PageDown: 25, Home: -1e9, End: 1e9 }[event.key];
      if (step !== undefined) { event.preventDefault(); event.stopPropagation(); show(at + step); }
      if (event.key === "Enter") { event.preventDefault(); open(encode, at); }
    });
    figure.prepend(canvas);
    paint();
    addEventListener("resize", () => requestAnimationFrame(paint));
  };
  return { has: (encode, frame) => heats.has(encode) && heats.get(encode).grids[frame] !== undefined, layer, tell, nearest: (encode, frame) => nearest(heats.get(encode), frame),
    size: encode => { const heat = heats.get(encode); return { width: heat.x.at(-1), height: heat.y.at(-1) }; }, strips: open => all("figure[data-strip]").forEach(figure => strip(figure, open)) };
};
