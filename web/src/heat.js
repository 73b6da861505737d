// Heat maps: which cells of a frame lose the score. Uses the colours of `vmaf --map`: their lightness grows evenly, so the map does not
// rely on hues.
const STOPS = [[0, 0, 4], [31, 12, 72], [85, 15, 109], [136, 34, 106], [186, 54, 85], [227, 89, 51], [249, 140, 10], [249, 201, 50], [252, 255, 164]];

const badness = (score) => Math.max(0, Math.min(1, (100 - score) / 100));

function colour(score, alpha) {
  const at = badness(score) * (STOPS.length - 1), stop = Math.min(Math.floor(at), STOPS.length - 2), part = at - stop;
  return `rgba(${STOPS[stop].map((c, k) => Math.round(c + part * (STOPS[stop + 1][k] - c))).join(",")},${alpha})`;
}

const cellsOf = ({ cells, columns, rows }, index) => cells.subarray(index * columns * rows, (index + 1) * columns * rows);

/** Draws the map of a frame over a canvas of the picture's size. */
export function paint(canvas, map, index, strength) {
  const to = canvas.getContext("2d");
  to.clearRect(0, 0, canvas.width, canvas.height);
  cellsOf(map, index).forEach((score, i) => {
    if (Number.isNaN(score)) return;
    const column = i % map.columns, row = Math.floor(i / map.columns);
    to.fillStyle = colour(score, strength * Math.sqrt(badness(score)));
    to.fillRect(map.x[column], map.y[row], map.x[column + 1] - map.x[column], map.y[row + 1] - map.y[row]);
  });
}

/** The map's score at a point of a frame. */
export function scoreAt(map, index, x, y) {
  const find = (edges, at) => { let i = 0; while (i < edges.length - 2 && edges[i + 1] <= at) i++; return i; };
  return cellsOf(map, index)[find(map.y, y) * map.columns + find(map.x, x)];
}

/** The worst cell over time; `choose` receives a frame number. */
export function strip(map, width, choose, point) {
  const count = map.cells.length / (map.columns * map.rows);
  const worst = Array.from({ length: count }, (_, i) => cellsOf(map, i).reduce((a, b) => (b < a ? b : a), Infinity));
  const canvas = Object.assign(document.createElement("canvas"), { width, height: 28, className: "strip", tabIndex: 0 });
  for (const [name, value] of Object.entries({ role: "slider", "aria-label": "worst cell of every frame", "aria-valuemin": 0, "aria-valuemax": count - 1, "aria-valuenow": 0 }))
    canvas.setAttribute(name, value);
  const to = canvas.getContext("2d");
  for (let x = 0; x < width; x++) {
    const from = Math.floor((x * count) / width), end = Math.max(from + 1, Math.floor(((x + 1) * count) / width));
    to.fillStyle = colour(Math.min(...worst.slice(from, end)), 1);
    to.fillRect(x, 0, 1, canvas.height);
  }
  let at = 0;
  const move = (index) => {
    at = Math.max(0, Math.min(count - 1, index));
    canvas.setAttribute("aria-valuenow", at);
    point(`Frame ${at}: worst cell ${worst[at].toFixed(1)}`);
  };
  const pointed = ({ clientX }) => { const r = canvas.getBoundingClientRect(); return Math.floor(((clientX - r.left) / r.width) * count); };
  canvas.addEventListener("pointermove", (event) => move(pointed(event)));
  canvas.addEventListener("click", (event) => { move(pointed(event)); choose(at); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) move(at + step);
    else if (event.key === "Enter") choose(at);
    else return;
    event.preventDefault();
  });
  return canvas;
}

/** The colours of 100 to 0, for a canvas. */
export function legend(canvas) {
  const to = canvas.getContext("2d");
  for (let x = 0; x < canvas.width; x++) {
    to.fillStyle = colour(100 - (100 * x) / (canvas.width - 1), 1);
    to.fillRect(x, 0, 1, canvas.height);
  }
}
