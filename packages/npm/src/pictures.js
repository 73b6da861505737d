// Converts JavaScript's kinds of pictures to planes in the scorer's memory.
import { VmafError } from "./errors.js";

// WebCodecs formats with YUV planes: chroma format, bits, and whether U and V share a plane.
const FORMATS = {
  I420: ["420", 8], I422: ["422", 8], I444: ["444", 8],
  I420A: ["420", 8], I422A: ["422", 8], I444A: ["444", 8],
  I420P10: ["420", 10], I422P10: ["422", 10], I444P10: ["444", 10],
  I420P12: ["420", 12], I422P12: ["422", 12], I444P12: ["444", 12],
  I420AP10: ["420", 10], I422AP10: ["422", 10], I444AP10: ["444", 10],
  NV12: ["420", 8, true],
};

/** The chroma format and depth of a WebCodecs format; throws unless it is planar YUV. */
export function formatOf(name) {
  const known = FORMATS[name];
  if (!known)
    throw new VmafError(
      `frames of the format ${name ?? "unknown"} cannot be read exactly; only planes of YUV can (I420, I422, I444, NV12 and those of 10 and 12 bit)`,
      "ENOTSUP",
    );
  return { pixelFormat: known[0], bitDepth: known[1], isSemiPlanar: known[2] === true };
}

/** Widths and heights of the planes; chroma sizes are rounded down, as in libvmaf. */
export function planeSizes({ width, height, pixelFormat }) {
  if (pixelFormat === "400") return [[width, height]];
  const across = pixelFormat === "444" ? width : width >> 1;
  const down = pixelFormat === "420" ? height >> 1 : height;
  return [[width, height], [across, down], [across, down]];
}

function check(condition, sentence) {
  if (!condition) throw new VmafError(sentence);
}

/**
 * Planes as {data, stride, step}: typed arrays, samples from one row to the next, and from one sample to the next.
 * A picture is an array of planes without row padding, {planes, strides}, or one typed array with all planes.
 */
export function planesOf(picture, format) {
  const sizes = planeSizes(format);
  const Samples = format.bitDepth > 8 ? Uint16Array : Uint8Array;
  const whole = ArrayBuffer.isView(picture) ? picture : null;
  if (whole) {
    const total = sizes.reduce((sum, [w, h]) => sum + w * h, 0);
    check(whole instanceof Samples || whole instanceof Uint8ClampedArray,
      `samples of ${format.bitDepth} bit are expected in a ${Samples.name}`);
    check(whole.length >= total, `the picture has ${whole.length} samples; ${format.width}x${format.height} ${format.pixelFormat} needs ${total}`);
    let begin = 0;
    return sizes.map(([w, h]) => {
      const data = whole.subarray(begin, begin + w * h);
      begin += w * h;
      return { data, stride: w, step: 1 };
    });
  }
  const planes = Array.isArray(picture) ? picture : picture?.planes;
  check(Array.isArray(planes), "a picture is an array of planes, {planes, strides}, one typed array, or a VideoFrame");
  check(planes.length >= sizes.length || planes.length === 1, `the picture has ${planes.length} planes; ${format.pixelFormat} has ${sizes.length}`);
  return planes.slice(0, sizes.length).map((data, i) => {
    const [w, h] = sizes[i];
    const stride = picture.strides?.[i] ?? w;
    check(data instanceof Samples, `samples of ${format.bitDepth} bit are expected in a ${Samples.name}`);
    check(stride >= w && data.length >= (h ? (h - 1) * stride + w : 0),
      `plane ${i} has ${data.length} samples; ${w}x${h} with a stride of ${stride} needs ${h ? (h - 1) * stride + w : 0}`);
    return { data, stride, step: 1 };
  });
}

/** The visible planes of a VideoFrame. */
export async function planesOfFrame(frame, format) {
  const { pixelFormat, bitDepth, isSemiPlanar } = formatOf(frame.format);
  const { width, height } = frame.visibleRect;
  check(pixelFormat === format.pixelFormat && bitDepth === format.bitDepth && width === format.width && height === format.height,
    `the frame is ${width}x${height} ${pixelFormat} ${bitDepth} bit; the scorer was made for ${format.width}x${format.height} ${format.pixelFormat} ${format.bitDepth} bit`);
  const buffer = new ArrayBuffer(frame.allocationSize());
  const layout = await frame.copyTo(buffer);
  const Samples = bitDepth > 8 ? Uint16Array : Uint8Array;
  const plane = ({ offset, stride }, more = 0, step = 1) => ({
    data: new Samples(buffer, offset + more, (buffer.byteLength - offset - more) / Samples.BYTES_PER_ELEMENT | 0),
    stride: stride / Samples.BYTES_PER_ELEMENT,
    step,
  });
  if (isSemiPlanar) return [plane(layout[0]), plane(layout[1], 0, 2), plane(layout[1], 1, 2)];
  return layout.slice(0, 3).map((entry) => plane(entry));
}

/** Copies samples row by row. */
export function copyPlane({ data, stride, step }, target, targetStride, width, height) {
  for (let y = 0; y < height; y++) {
    const from = y * stride, to = y * targetStride;
    if (step === 1) target.set(data.subarray(from, from + width), to);
    else for (let x = 0; x < width; x++) target[to + x] = data[from + x * step];
  }
}
