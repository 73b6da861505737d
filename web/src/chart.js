// The curve of a score over the frames. A click, or Enter after the arrow keys, selects a frame.
const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 220, LEFT = 40, BOTTOM = 24, TOP = 8;

function add(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// Long films have more frames than a call takes arguments.
export const smallest = (values) => values.reduce((a, b) => Math.min(a, b));
const largest = (values) => values.reduce((a, b) => Math.max(a, b));

/** `choose` receives a frame to show, `point` the frame under the pointer. */
export function chart(values, label, width, choose, point) {
  const low = Math.floor(smallest(values) / 5) * 5, high = Math.max(low + 5, Math.ceil(largest(values) / 5) * 5);
  const x = (i) => LEFT + ((width - LEFT - 8) * i) / Math.max(1, values.length - 1);
  const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - value)) / (high - low);
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${HEIGHT}`, role: "slider", tabindex: "0",
    "aria-label": `${label} per frame`, "aria-valuemin": "0", "aria-valuemax": String(values.length - 1) })) svg.setAttribute(key, value);
  for (const value of [low, (low + high) / 2, high]) {
    add(svg, "line", { class: "grid", x1: LEFT, x2: width, y1: y(value), y2: y(value) });
    add(svg, "text", { x: 0, y: y(value) + (value === high ? 10 : 0) }, String(value));
  }
  for (const i of [0, values.length - 1]) add(svg, "text", { x: x(i), y: HEIGHT - 4, "text-anchor": i ? "end" : "start" }, String(i));
  add(svg, "polyline", { class: "curve", points: values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ") });
  const mark = add(svg, "line", { class: "mark", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  let at = 0;
  const move = (i) => {
    at = Math.max(0, Math.min(values.length - 1, i));
    for (const key of ["x1", "x2"]) mark.setAttribute(key, x(at));
    mark.setAttribute("visibility", "visible");
    svg.setAttribute("aria-valuenow", String(at));
    svg.setAttribute("aria-valuetext", `frame ${at}: ${values[at].toFixed(2)}`);
  };
  move(0);
  const under = ({ clientX }) => {
    const { left, width: shown } = svg.getBoundingClientRect();
    return Math.round((((clientX - left) / shown) * width - LEFT) / (width - LEFT - 8) * (values.length - 1));
  };
  svg.addEventListener("pointermove", (event) => {
    move(under(event));
    point(at);
  });
  svg.addEventListener("click", (event) => {
    move(under(event));
    choose(at);
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) {
      move(at + step);
      point(at);
    }
    else if (event.key === "Enter") choose(at);
    else return;
    event.preventDefault();
  });
  return svg;
}
