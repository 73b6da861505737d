// Whether a file ends where its container says. Demuxers read a cut file up to its end, without a word.

const read = async (file, from, length) => new DataView(await file.slice(from, from + length).arrayBuffer());

const EBML = 0x1a45dfa3, SEGMENT = 0x18538067;
const BOXES = new Set(["ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "sidx", "uuid"]);
const HEADER_BYTES = 16;

/** An EBML number of 1 to 8 bytes at a place of the view: [value, bytes]; Infinity: unknown, as in live streams. */
function ebmlSize(view, at) {
  const bytes = Math.clz32(view.getUint8(at)) - 23;
  if (bytes > 8) return [Infinity, 1];
  let value = view.getUint8(at) & (0xff >> bytes), isUnknown = value === 0xff >> bytes;
  for (let i = 1; i < bytes; i++) {
    const byte = view.getUint8(at + i);
    isUnknown &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return [isUnknown ? Infinity : value, bytes];
}

async function endOfMatroska(file) {
  const header = await read(file, 0, HEADER_BYTES);
  const [size, bytes] = ebmlSize(header, 4), segment = 4 + bytes + size;
  const view = await read(file, segment, HEADER_BYTES);
  if (view.byteLength < HEADER_BYTES || view.getUint32(0) !== SEGMENT) return 0;
  const [length, more] = ebmlSize(view, 4);
  return Number.isFinite(length) ? segment + 4 + more + length : 0;
}

async function endOfBoxes(file) {
  let end = 0;
  while (end < file.size) {
    const view = await read(file, end, HEADER_BYTES);
    if (view.byteLength < 8) return file.size; // a few stray bytes
    const isLarge = view.getUint32(0) === 1, size = isLarge && view.byteLength === HEADER_BYTES ? Number(view.getBigUint64(8)) : view.getUint32(0);
    if (size === 0) return file.size; // to the end, whatever that is
    if (size < (isLarge ? HEADER_BYTES : 8)) return end; // no box
    end += size;
  }
  return end;
}

/** The number of bytes that are missing at the end of an MP4, MOV, WebM or Matroska file; 0 if none are, or if it cannot be told. */
export async function missingBytes(file) {
  const begin = await read(file, 0, HEADER_BYTES);
  if (begin.byteLength < HEADER_BYTES) return 0;
  const type = String.fromCharCode(...new Uint8Array(begin.buffer, 4, 4));
  const end = begin.getUint32(0) === EBML ? await endOfMatroska(file) : BOXES.has(type) ? await endOfBoxes(file) : 0;
  return Math.max(0, end - file.size);
}
