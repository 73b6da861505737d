/** What went wrong in a sentence; `code` is an errno name where the engine refused something. */
export class VmafError extends Error {
  constructor(message, code = "EINVAL") {
    super(message);
    this.name = "VmafError";
    this.code = code;
  }
}
