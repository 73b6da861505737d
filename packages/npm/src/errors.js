/** An error with a message for users; `code` is an errno name if it comes from the engine. */
export class VmafError extends Error {
  constructor(message, code = "EINVAL") {
    super(message);
    this.name = "VmafError";
    this.code = code;
  }
}
