// Device kernels of SpEED, first part: from pictures to working planes and their covariances (speed.md 4 and 5). A
// frame has up to four planes of its own: block_y of a launch says which.
#pragma once

#include "device/kernel.hpp"
#include "metrics/common/mirrored.hpp"
#include "metrics/common/resized_sample.hpp"
#include "metrics/speed/speed_qr.hpp"

namespace vmaf {
namespace kernels {

constexpr int kSpeedSide = 5; // of a block, whose samples give the covariance matrix its order
static_assert(kSpeedSide * kSpeedSide == kSpeedSize, "one row and column per sample");
constexpr int kSpeedPairs = kSpeedSize * (kSpeedSize + 1) / 2;
constexpr int kSpeedPlanes = 4;
constexpr int kSpeedMaxTaps = 35;
constexpr int kSpeedMaxMeanTaps = 9;
constexpr int kSpeedDecimation = 16;

VMAF_DEVICE_FN int speed_reflect(int i, int n) { return mirrored<false, false>(i, n); }

// One array for each plane of each frame.
template <class T> struct SpeedArray {
    FrameArray<T> frames;
    u64 plane_stride;
    VMAF_DEVICE_FN Global<T> of(int frame, int plane) const {
        return frames.of(frame) + static_cast<u64>(static_cast<u32>(plane)) * plane_stride;
    }
};

struct SpeedDecimateArgs {
    FramePlanes samples[kSpeedPlanes];
    FramePlanes earlier[kSpeedPlanes]; // null: the plane itself; else the change since then
    SpeedArray<float> out;
    Global<const ResizeTaps> columns, rows; // where planes are scaled first
    int resize_taps;                        // per direction: 0 none, 1 nearest, 2 bilinear, 4 bicubic, 9 lanczos4
    int pitch;                              // samples
    int width, height;                      // of the plane, scaled
    int out_width, out_height;
    float scale; // of samples, to eight bits
    int tap_count;
    float taps[kSpeedMaxTaps];
};

// Of the anti-aliased plane only every 16th row and column is used: a thread makes one of these samples.
template <class C, class Sample, bool kScaled> struct SpeedDecimateKernel {
    using Args = SpeedDecimateArgs;
    static constexpr int kThreads = 64, kMinBlocks = 8;
    static constexpr int kTileWidth = kThreads, kTileHeight = 1; // samples of the working plane in a row
    struct SharedMemory {};

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int at = c.block_x * kThreads + c.thread;
        if (at >= a.out_width * a.out_height) return;
        const int x = at % a.out_width * kSpeedDecimation, y = at / a.out_width * kSpeedDecimation;
        const int radius = a.tap_count / 2;
        const Source source = {a, static_cast<Global<const Sample>>(a.samples[c.block_y].plane[c.frame]),
                               static_cast<Global<const Sample>>(a.earlier[c.block_y].plane[c.frame])};
        float sum = 0.0f;
        for (int i = 0; i < a.tap_count; i++) {
            const int column = speed_reflect(x - radius + i, a.width);
            float line = 0.0f;
            for (int k = 0; k < a.tap_count; k++) {
                const int row = speed_reflect(y - radius + k, a.height);
                line += a.taps[k] * (kScaled ? scaled(a, source, column, row) : source(column, row));
            }
            sum += a.taps[i] * line;
        }
        a.out.of(c.frame, c.block_y)[at] = sum;
    }

  private:
    struct Source {
        const Args &a;
        Global<const Sample> samples, earlier;
        VMAF_DEVICE_FN float operator()(int x, int y) const {
            const u64 at = static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(a.pitch) + static_cast<u32>(x);
            const int here = static_cast<int>(C::load(samples + at));
            if (!earlier) return static_cast<float>(here) * a.scale - 128.0f;
            return static_cast<float>(static_cast<int>(C::load(earlier + at)) - here) * a.scale;
        }
    };

    static VMAF_DEVICE_FN float scaled(const Args &a, const Source &source, int x, int y) {
        if (a.resize_taps == 0) return source(x, y); // the size stays
        return resized_sample<C>(a.columns + x, a.rows + y, a.resize_taps, source);
    }
};

template <class C> using speed_decimate_8 = SpeedDecimateKernel<C, u8, false>;
template <class C> using speed_decimate_16 = SpeedDecimateKernel<C, u16, false>;
template <class C> using speed_decimate_scaled_8 = SpeedDecimateKernel<C, u8, true>;
template <class C> using speed_decimate_scaled_16 = SpeedDecimateKernel<C, u16, true>;

struct SpeedLocalMeanArgs {
    SpeedArray<const float> in;
    SpeedArray<float> out;
    int width, height;
    int tap_count;
    float taps[kSpeedMaxMeanTaps];
};

// The working plane: samples less their local mean.
template <class C> struct speed_local_mean {
    using Args = SpeedLocalMeanArgs;
    static constexpr int kThreads = 64, kMinBlocks = 8;
    static constexpr int kTileWidth = kThreads, kTileHeight = 1;
    struct SharedMemory {};

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int at = c.block_x * kThreads + c.thread;
        if (at >= a.width * a.height) return;
        const int x = at % a.width, y = at / a.width, radius = a.tap_count / 2;
        Global<const float> in = a.in.of(c.frame, c.block_y);
        float mean = 0.0f;
        for (int i = 0; i < a.tap_count; i++) {
            Global<const float> column = in + speed_reflect(x - radius + i, a.width);
            float line = 0.0f;
            for (int k = 0; k < a.tap_count; k++)
                line += a.taps[k] * C::load(column + speed_reflect(y - radius + k, a.height) * a.width);
            mean += a.taps[i] * line;
        }
        a.out.of(c.frame, c.block_y)[at] = C::load(in + at) - mean;
    }
};

struct SpeedCovarianceArgs {
    SpeedArray<const float> z;
    SpeedArray<float> covariance; // kSpeedSize x kSpeedSize
    int pitch;                    // samples
    int width, height;            // of the window
};

// Every sum is one chain in raster order: a thread has one pair of shifts. Pieces of the five rows under a window row
// go through shared memory.
template <class C> struct speed_covariance {
    using Args = SpeedCovarianceArgs;
    using F = typename C::f64;
    static constexpr int kThreads = 128, kMinBlocks = 4;
    static constexpr int kTileWidth = kThreads, kTileHeight = 1; // pairs
    static constexpr int kPiece = 64;                            // columns
    static constexpr int kStride = kPiece + kSpeedSide; // rows of a block begin in banks that follow each other
    struct SharedMemory {
        F wide[2][kSpeedSide * kStride];
        float narrow[2][kSpeedSide * kStride];
        float means[kSpeedSize];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        Global<const float> z = a.z.of(c.frame, c.block_y);
        const int pieces = (a.width + kPiece - 1) / kPiece, steps = pieces * a.height;

        float sum = 0.0f;
        const int shift = c.thread < kSpeedSize ? c.thread / kSpeedSide * kStride + c.thread % kSpeedSide : 0;
        for (int step = 0; step < steps; step++) {
            Shared<float> piece = s->narrow[step & 1];
            const int columns = fill(c, a, z, step, pieces, piece);
            c.barrier();
            if (c.thread < kSpeedSize)
                for (int x = 0; x < columns; x++) sum += piece[shift + x];
        }
        const int area = a.width * a.height;
        if (c.thread < kSpeedSize) s->means[c.thread] = C::divide(sum, static_cast<float>(area));
        c.barrier();

        // The pair (e, f), f <= e, that comes at place `pair` row by row.
        const int pair = c.block_x * kThreads + c.thread;
        int e = 0, f = pair < kSpeedPairs ? pair : 0;
        while (f > e) f -= ++e;
        const F mean_e(s->means[e]), mean_f(s->means[f]);
        const int shift_e = e / kSpeedSide * kStride + e % kSpeedSide;
        const int shift_f = f / kSpeedSide * kStride + f % kSpeedSide;
        F products(0.0f);
        for (int step = 0; step < steps; step++) {
            Shared<F> piece = s->wide[step & 1];
            const int columns = fill(c, a, z, step, pieces, piece);
            c.barrier();
            for (int x = 0; x < columns; x++)
                products = products + (fetched(piece + shift_e + x) - mean_e) * (fetched(piece + shift_f + x) - mean_f);
        }
        if (pair >= kSpeedPairs) return;
        const float k = to_float(C::divide(products, F(area)));
        Global<float> out = a.covariance.of(c.frame, c.block_y);
        out[e * kSpeedSize + f] = k;
        out[f * kSpeedSize + e] = k;
    }

  private:
    // Brings what windows need of the next columns; how many these are.
    template <class T>
    static VMAF_DEVICE_FN int fill(C &c, const Args &a, Global<const float> z, int step, int pieces, Shared<T> piece) {
        const int y = step / pieces, x = step % pieces * kPiece;
        const int columns = a.width - x < kPiece ? a.width - x : kPiece;
        Global<const float> from = z + y * a.pitch + x;
        for (int i = c.thread; i < kSpeedSide * kStride; i += kThreads) {
            const int row = i / kStride, column = i % kStride;
            if (column < columns + kSpeedSide - 1) put(piece + i, T(C::load(from + row * a.pitch + column)));
        }
        return columns;
    }
};

} // namespace kernels
} // namespace vmaf
