import { VmafError } from "./errors.js";
import { planeSizes } from "./pictures.js";

/** Creates the Clip class with the module of `platform`. */
export function clipClass(platform) {
  return class Clip {
    #instance;
    #handle = 0;
    #file = 0;

    /** Opens a YUV4MPEG2 clip, or a raw one if its format is given, like Scorer.open(). */
    static async open(file, { width, height, pixelFormat = "420", bitDepth = 8, simd } = {}) {
      const clip = new this(), instance = await platform.instance(simd);
      clip.#instance = instance;
      clip.#file = instance.open(file);
      try {
        instance.withText(file.name, (name) => {
          clip.#handle = instance.exports.clip_open(clip.#file, name, Number(pixelFormat), width === undefined ? 0 : bitDepth, width ?? 0, height ?? 0);
        });
        if (!clip.#handle) throw instance.error();
        const { exports } = instance, handle = clip.#handle;
        clip.format = { width: exports.clip_width(handle), height: exports.clip_height(handle),
          pixelFormat: String(exports.clip_pixel_format(handle)), bitDepth: exports.clip_bits(handle) };
        clip.frameRate = exports.clip_frame_rate(handle);
        return clip;
      } catch (error) {
        clip.free();
        throw error;
      }
    }

    get #alive() {
      if (!this.#handle) throw new VmafError("the clip was freed");
      return this.#handle;
    }

    get framesLeft() {
      return this.#instance.exports.clip_frames_left(this.#alive);
    }

    /** Skips frames; false at the end of the clip. */
    skip(frames = 1) {
      for (let i = 0; i < frames; i++) if (this.#instance.call("clip_skip", this.#alive) !== 1) return false;
      return true;
    }

    /** The planes of the next frame, without row padding; null at the end of the clip. */
    read() {
      const handle = this.#alive, { exports } = this.#instance;
      if (this.#instance.call("clip_read", handle) !== 1) return null;
      const Samples = this.format.bitDepth > 8 ? Uint16Array : Uint8Array;
      return planeSizes(this.format).map(([width, height], i) => {
        const address = exports.clip_plane(handle, i), stride = exports.clip_stride(handle, i) / Samples.BYTES_PER_ELEMENT;
        const from = new Samples(exports.memory.buffer, address, stride * height), out = new Samples(width * height);
        for (let y = 0; y < height; y++) out.set(from.subarray(y * stride, y * stride + width), y * width);
        return out;
      });
    }

    /** Frees the clip's memory; safe to call twice. */
    free() {
      if (this.#handle) this.#instance.exports.clip_delete(this.#handle);
      if (this.#file) this.#instance.close(this.#file);
      this.#handle = this.#file = 0;
    }
    [Symbol.dispose ?? Symbol.for("dispose")]() {
      this.free();
    }
  };
}
