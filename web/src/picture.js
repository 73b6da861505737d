// Converts YUV planes for display. Scoring never uses the result.

/** RGBA of planes without row padding; BT.709 from 720 lines up, else BT.601, limited range. Chroma is repeated. */
export function rgbaOf(planes, { width, height, pixelFormat, bitDepth }) {
  const out = new Uint8ClampedArray(width * height * 4), scale = 2 ** (bitDepth - 8);
  const [kr, kb] = height >= 720 ? [0.2126, 0.0722] : [0.299, 0.114], kg = 1 - kr - kb;
  const across = pixelFormat === "444" ? 0 : 1, down = pixelFormat === "420" ? 1 : 0;
  const stride = width >> across, last = [stride - 1, (height >> down) - 1];
  const [luma, cb, cr] = planes;
  for (let y = 0, to = 0; y < height; y++) {
    const row = Math.min(y >> down, last[1]) * stride;
    for (let x = 0; x < width; x++, to += 4) {
      const i = row + Math.min(x >> across, last[0]);
      const l = ((luma[y * width + x] / scale - 16) * 255) / 219;
      const u = cb ? ((cb[i] / scale - 128) * 255) / 224 : 0, v = cr ? ((cr[i] / scale - 128) * 255) / 224 : 0;
      out[to] = l + 2 * (1 - kr) * v;
      out[to + 1] = l - (2 * kb * (1 - kb) * u + 2 * kr * (1 - kr) * v) / kg;
      out[to + 2] = l + 2 * (1 - kb) * u;
      out[to + 3] = 255;
    }
  }
  return out;
}

/** A bitmap of a frame of either kind. */
export function bitmapOf(frame) {
  if (!frame.planes) return createImageBitmap(frame);
  const { width, height } = frame.format;
  return createImageBitmap(new ImageData(rgbaOf(frame.planes, frame.format), width, height));
}
