// Two frames of a pair under a slider, with the encode's map on top.
import { legend, paint, scoreAt } from "./heat.js";

const $ = (id) => document.getElementById(id);
let shown = null; // the displayed pair: {name, values, index, ask}

function slide() {
  $("frame-distorted").style.clipPath = `inset(0 0 0 ${$("slider").value}%)`;
  $("divider").style.left = `${($("slider").value / 100) * $("frame-reference").offsetWidth}px`;
}

function heat() {
  const { map, index } = shown, isOn = Boolean(map) && $("heat").getAttribute("aria-pressed") === "true";
  $("heat-controls").hidden = !map;
  $("frame-heat").hidden = !isOn;
  if (isOn) paint($("frame-heat"), map, index, $("strength").value / 100);
}

function zoom() {
  const times = Number($("zoom").value);
  $("frames").classList.toggle("zoomed", times > 0);
  for (const id of ["frame-reference", "frame-distorted", "frame-heat"])
    $(id).style.width = times ? `${($(id).width * times) / devicePixelRatio}px` : "";
  slide();
}

function go(step) {
  const index = shown.index + step;
  if (index >= 0 && index < shown.values.length) shown.ask(index);
}

/** Shows images of both clips; `ask` requests another frame by number. */
export function view({ name, values, map, ask }, index, images) {
  shown = { name, values, map, ask, index };
  $("viewer-title").textContent = `${name}, frame ${index}: ${values[index].toFixed(2)}`;
  ["frame-reference", "frame-distorted"].forEach((id, i) => {
    const canvas = $(id);
    [canvas.width, canvas.height] = [images[i].width, images[i].height];
    canvas.getContext("2d").drawImage(images[i], 0, 0);
    images[i].close();
  });
  [$("frame-heat").width, $("frame-heat").height] = [$("frame-reference").width, $("frame-reference").height];
  $("cell").textContent = "";
  heat();
  $("before").disabled = index === 0;
  $("after").disabled = index === values.length - 1;
  if (!$("viewer").open) $("viewer").showModal();
  zoom();
}

$("slider").addEventListener("input", slide);
$("before").addEventListener("click", () => go(-1));
$("after").addEventListener("click", () => go(1));
$("zoom").addEventListener("change", zoom);
$("strength").addEventListener("input", heat);
$("heat").addEventListener("click", () => {
  $("heat").setAttribute("aria-pressed", $("heat").getAttribute("aria-pressed") === "true" ? "false" : "true");
  heat();
});
$("viewer").addEventListener("keydown", ({ key }) => key === "m" && shown.map && $("heat").click());
$("frames").addEventListener("pointermove", ({ clientX, clientY }) => {
  if (!shown.map || $("frame-heat").hidden) return;
  const { left, top, width, height } = $("frame-heat").getBoundingClientRect();
  const score = scoreAt(shown.map, shown.index, ((clientX - left) / width) * $("frame-heat").width, ((clientY - top) / height) * $("frame-heat").height);
  $("cell").textContent = Number.isNaN(score) ? "" : `cell: ${score.toFixed(1)}`;
});
legend($("legend"));
addEventListener("resize", () => shown && slide());

// Drags the divider with the pressed pointer.
$("frames").addEventListener("pointerdown", (event) => $("frames").setPointerCapture(event.pointerId));
for (const kind of ["pointerdown", "pointermove"])
  $("frames").addEventListener(kind, ({ buttons, clientX }) => {
    if (!buttons) return;
    const { left, width } = $("frame-reference").getBoundingClientRect();
    $("slider").value = Math.round((100 * (clientX - left)) / width);
    slide();
  });
