/** Samples in the low bits: Uint8Array for 8 bit, otherwise Uint16Array. */
export type Plane = Uint8Array | Uint16Array;

/** Planes without row padding, planes with strides (in samples), all planes in one array, or a WebCodecs frame. Luma alone is enough if no
 * feature reads chroma. */
export type Picture = Plane[] | { planes: Plane[]; strides?: number[] } | Plane | VideoFrame;

export interface ModelChoice {
  /** A model of the package, such as "vmaf_v0.6.1" or "vmaf_4k_v0.6.1". */
  version?: string;
  /** The content of a model file. */
  json?: string | object;
  /** The name of its scores (default: "vmaf" for a single model, else the version). */
  name?: string;
  /** EXTRACTOR.OPTION: value, as in `vmaf --model`. */
  options?: Record<string, string | number | boolean>;
  disableClip?: boolean;
  enableTransform?: boolean;
}

export interface FeatureChoice {
  name: string;
  options?: Record<string, string | number | boolean>;
}

export interface ScoreOptions {
  /** Default: "vmaf_v0.6.1"; null or []: none. */
  model?: string | ModelChoice | (string | ModelChoice)[] | null;
  /** Feature extractors in addition to those of the models: "psnr", "float_ssim", "cambi", ... */
  features?: (string | FeatureChoice)[];
  /** Local scores of cells (`Result.map`): true for the first model, or the name of a score. */
  map?: boolean | string;
  /** The side of a map's cells, a multiple of 16 (default: 64; 32 below 960 columns). */
  mapCell?: number;
  /** Score only frames whose number is a multiple of this. */
  subsample?: number;
  /** For metrics that depend on it (xpsnr); clips have their own. */
  frameRate?: number;
  /** false: use the module without SIMD128 even if the engine supports it. */
  simd?: boolean;
}

export interface PictureFormat {
  width: number;
  height: number;
  /** Default: "420". */
  pixelFormat?: "420" | "422" | "444" | "400";
  /** Default: 8; up to 16. */
  bitDepth?: number;
}

export interface Pooled {
  min: number;
  max: number;
  mean: number;
  harmonic_mean: number;
}

/** Where the score is lost: cells of all frames, row by row from the top. */
export interface CellMap {
  score: string;
  columns: number;
  rows: number;
  /** Cell edges in pixels, including the last one. */
  x: number[];
  y: number[];
  cells: Float32Array;
}

export class Result {
  readonly map: CellMap | null;
  /** Sentences about clips that are not in step or show different pictures. */
  readonly warnings: string[];
  readonly version: string;
  readonly frames: { frame: number; metrics: Record<string, number> }[];
  readonly pooled: Record<string, Pooled>;
  readonly aggregate: Record<string, number>;
  /** The document that `vmaf` writes. Digits 0: as libvmaf prints them; 17: all. */
  document(format?: "json" | "xml" | "csv" | "sub", digits?: 0 | 17): string;
  /** The p-th percentile, 0 to 100, of a metric over the frames. */
  percentile(metric: string, p: number): number;
}

/** A file with synchronous reads. */
export interface ClipFile {
  readonly name: string;
  readonly size: number;
  /** Fills `target` from an offset in the file; returns the number of bytes. */
  read(place: number, target: Uint8Array): number;
}

export class Scorer {
  static create(options: PictureFormat & ScoreOptions): Promise<Scorer>;
  /** Two clips: YUV4MPEG2, or raw if a format is given. Then call read() until it returns false. */
  static open(reference: ClipFile, distorted: ClipFile, options?: Partial<PictureFormat> & ScoreOptions): Promise<Scorer>;
  /** "simd128" or "scalar". */
  readonly instructionSet: string;
  /** Memory of the module, shared by all scorers of a thread; it never shrinks. */
  readonly memoryBytes: number;
  /** With VideoFrames: a promise to await before the next call. The caller closes the frames. */
  push(reference: VideoFrame, distorted: Picture): Promise<void>;
  push(reference: Picture, distorted: VideoFrame): Promise<void>;
  push(reference: Exclude<Picture, VideoFrame>, distorted: Exclude<Picture, VideoFrame>): void;
  read(): boolean;
  readonly pairsLeft: number;
  readonly frameRate: number;
  /** The scores; frees the scorer's memory. */
  finish(): Result;
  /** Frees the scorer's memory; safe to call twice. */
  free(): void;
}

/** A clip read frame by frame, to show its pictures or score them against other kinds of pictures. */
export class Clip {
  static open(file: ClipFile, options?: Partial<PictureFormat> & { simd?: boolean }): Promise<Clip>;
  readonly format: Required<PictureFormat>;
  /** 0 if unknown. */
  readonly frameRate: number;
  /** According to the file size. */
  readonly framesLeft: number;
  /** Skips frames; false at the end of the clip. */
  skip(frames?: number): boolean;
  /** The planes of the next frame, without row padding; null at the end of the clip. */
  read(): Plane[] | null;
  free(): void;
}

export class VmafError extends Error {
  /** "EINVAL", "ENOMEM", ... */
  readonly code: string;
}

export const DEFAULT_MODEL: string;
/** Whether this engine supports SIMD128. */
export function hasSimd(): boolean;
/** The chroma format and depth of a WebCodecs format; throws unless it is planar YUV. */
export function formatOf(format: string | null): { pixelFormat: "420" | "422" | "444"; bitDepth: number; isSemiPlanar: boolean };
/** Wraps a Blob for Scorer.open(); only in workers. */
export function blobFile(blob: Blob, name?: string): ClipFile;
/** Scorer and Clip with a module and models loaded by the caller. */
export function classesWith(parts: { module: WebAssembly.Module; models: Record<string, string> }): { Scorer: typeof Scorer; Clip: typeof Clip };
export function scorerWith(parts: { module: WebAssembly.Module; models: Record<string, string> }): typeof Scorer;

/** Node only: opens a file for Scorer.open() and Clip.open(). */
export function openFile(path: string | URL): ClipFile & { close(): void };
/** Node only: the versions of the package's models. */
export function models(): Promise<string[]>;
/** Node only. */
export function scoreFiles(
  reference: string | URL,
  distorted: string | URL,
  options?: Partial<PictureFormat> & ScoreOptions & { onProgress?: (progress: { done: number; total: number }) => void; signal?: AbortSignal },
): Promise<Result>;
