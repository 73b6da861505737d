// One WebAssembly module and its memory. The module imports little: a clock, a log, and open files.
import { VmafError } from "./errors.js";

const ENOSYS = 52; // Emscripten's number
const EBADF = 8;
const ERRNO_NAMES = { 2: "EACCES", 6: "EAGAIN", 28: "EINVAL", 29: "EIO", 44: "ENOENT", 48: "ENOMEM", 52: "ENOSYS", 138: "ENOTSUP" };

// (module (func (drop (v128.const i64x2 0 0)))), without names
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 23, 1, 21, 0, 253, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26, 11,
]);

/** Whether this engine supports SIMD128. */
export function hasSimd() {
  return WebAssembly.validate(SIMD_PROBE);
}

export class Instance {
  #files = new Map();
  #nextFile = 1;
  #logged = [];
  #decoder = new TextDecoder();
  #encoder = new TextEncoder();

  /** @param {WebAssembly.Module} module */
  static async create(module) {
    const instance = new Instance();
    const { exports } = await WebAssembly.instantiate(module, instance.#imports(module));
    instance.exports = exports;
    exports._initialize();
    return instance;
  }

  get bytes() { // created anew, since growing memory replaces its buffer
    return new Uint8Array(this.exports.memory.buffer);
  }

  /** A file: `size`, and a synchronous `read(place, target)` that fills a Uint8Array and returns the number of bytes. */
  open(file) {
    this.#files.set(this.#nextFile, file);
    return this.#nextFile++;
  }

  close(number) {
    this.#files.delete(number);
  }

  /** The zero-terminated string at an address. */
  text(address) {
    const bytes = this.bytes;
    return this.#decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
  }

  /** Calls a function of the module, passing strings in its memory; throws VmafError if it returns a negative number. */
  call(name, ...values) {
    const texts = [];
    try {
      const numbers = values.map((value) => {
        if (typeof value !== "string") return Number(value);
        texts.push(this.#placed(value));
        return texts.at(-1);
      });
      const status = this.exports[name](...numbers);
      if (status < 0) throw this.error(status);
      return status;
    } finally {
      for (const address of texts) this.exports.module_free(address);
    }
  }

  /** Runs `body` with the address of a string in the module's memory. */
  withText(text, body) {
    const address = this.#placed(text);
    try {
      return body(address);
    } finally {
      this.exports.module_free(address);
    }
  }

  #placed(text) {
    const encoded = this.#encoder.encode(text);
    const address = this.exports.module_allocate(encoded.length + 1);
    if (!address) throw new VmafError("not enough memory", "ENOMEM");
    this.bytes.set(encoded, address);
    this.bytes[address + encoded.length] = 0;
    return address;
  }

  error(status = -28) {
    const message = this.text(this.exports.module_error()).replace(/; for raw video give --width.*/s, "; raw clips need a size, chroma format and depth");
    return new VmafError(message, ERRNO_NAMES[-status] ?? `errno ${-status}`);
  }

  #log(bytes) {
    this.#logged.push(...bytes);
    for (let end = this.#logged.indexOf(10); end >= 0; end = this.#logged.indexOf(10))
      console.warn(this.#decoder.decode(new Uint8Array(this.#logged.splice(0, end + 1))).trimEnd());
  }

  #imports(module) {
    const view = () => new DataView(this.exports.memory.buffer);
    const known = {
      clock_time_get: (clock, precision, address) => {
        view().setBigUint64(address, BigInt(Math.round(Date.now() * 1e6)), true);
        return 0;
      },
      fd_write: (descriptor, parts, count, written) => {
        let total = 0;
        for (let i = 0; i < count; i++) {
          const address = view().getUint32(parts + 8 * i, true);
          const size = view().getUint32(parts + 8 * i + 4, true);
          this.#log(this.bytes.subarray(address, address + size));
          total += size;
        }
        view().setUint32(written, total, true);
        return 0;
      },
      environ_sizes_get: (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      proc_exit: (status) => {
        throw new VmafError(`the module ended with status ${status}`, "EFAULT");
      },
      emscripten_notify_memory_growth: () => {},
      file_size: (file) => this.#files.get(file)?.size ?? -1,
      file_read: (file, place, address, size) => {
        try {
          return this.#files.get(file).read(place, this.bytes.subarray(address, address + size));
        } catch {
          return -1;
        }
      },
    };
    const imports = {};
    for (const { module: group, name } of WebAssembly.Module.imports(module)) {
      imports[group] ??= {};
      // The other imports are file system calls, which this host does not have.
      imports[group][name] = known[name] ?? (name.startsWith("__syscall_") ? () => -ENOSYS : () => EBADF);
    }
    return imports;
  }
}
