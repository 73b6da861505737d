// Device kernels of float_adm (adm.md 4): the wavelet with what the details split into, then sums of cubes along the
// lines of the scored window, in the order of the definition.
#pragma once

#include "device/kernel.hpp"
#include "metrics/adm/float_adm_formula.hpp"
#include "metrics/common/line_sums_kernel.hpp"
#include "metrics/common/mirrored.hpp"

namespace vmaf {
namespace kernels {

constexpr int kFloatAdmBands = 3;

// Section 1: mirror without the edge sample at the near end, with it at the far end.
VMAF_DEVICE_FN int float_adm_fold(int p, int n) { return mirrored_inside<false, true>(p, n); }

// Weighted magnitudes of a scale's coefficients, one plane for each band: of the reference, of its restored part, and
// of what was added.
struct FloatAdmMagnitudes {
    FrameArray<float> reference, restored, added;
    u64 plane; // from band to band
};

template <class Sample> struct FloatAdmWaveletArgs {
    FramePlanes ref, dist;
    int in_width, in_height, in_pitch;
    float scale, offset;                       // make samples floats around 0
    int width, height;                         // of the bands
    FrameArray<float> approx_ref, approx_dist; // for the next scale, `width` samples a row; null: not wanted
    FloatAdmMagnitudes out;                    // reference.first null: not wanted
    float factor[kFloatAdmBands];
    u64 gain_limit; // bits of f64
};

template <class C, class Sample> struct FloatAdmWaveletKernel {
    using Args = FloatAdmWaveletArgs<Sample>;
    using f64 = typename C::f64;
    using Formula = FloatAdm<C>;
    static constexpr int kThreads = 128, kMinBlocks = 4, kTileWidth = 32, kTileHeight = 4;
    struct SharedMemory {
        u32 unused;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int x = c.block_x * kTileWidth + c.thread % kTileWidth,
                  y = c.block_y * kTileHeight + c.thread / kTileWidth;
        if (x >= a.width || y >= a.height) return;
        const u64 at = static_cast<u64>(y) * static_cast<u64>(a.width) + static_cast<u64>(x);
        float o[kFloatAdmBands], t[kFloatAdmBands];
        const float approx_ref = bands(a, a.ref.plane[c.frame], x, y, o),
                    approx_dist = bands(a, a.dist.plane[c.frame], x, y, t);
        if (a.approx_ref.first != nullptr) {
            a.approx_ref.of(c.frame)[at] = approx_ref;
            a.approx_dist.of(c.frame)[at] = approx_dist;
        }
        if (a.out.reference.first == nullptr) return;
        const bool aligned = Formula::same_angle(o[0], o[1], t[0], t[1]);
        const f64 gain_limit = C::f64_from(a.gain_limit);
        VMAF_UNROLL
        for (int b = 0; b < kFloatAdmBands; b++) {
            const float restored = Formula::restored(o[b], t[b], aligned, gain_limit), added = t[b] - restored;
            const u64 place = static_cast<u64>(b) * a.out.plane + at;
            a.out.reference.of(c.frame)[place] = size(a.factor[b] * o[b]);
            a.out.restored.of(c.frame)[place] = size(a.factor[b] * restored);
            a.out.added.of(c.frame)[place] = size(a.factor[b] * added);
        }
    }

  private:
    static VMAF_DEVICE_FN float size(float v) { return v < 0.0f ? -v : v; }

    // The details H, V, D; returns band A.
    static VMAF_DEVICE_FN float bands(const Args &a, Global<const void> plane, int x, int y, float *details) {
        Global<const Sample> samples = static_cast<Global<const Sample>>(plane);
        Global<const Sample> rows[4];
        VMAF_UNROLL
        for (int k = 0; k < 4; k++)
            rows[k] =
                samples + static_cast<u64>(float_adm_fold(2 * y - 1 + k, a.in_height)) * static_cast<u64>(a.in_pitch);
        float low[4], high[4]; // after the vertical pass
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) {
            const int column = float_adm_fold(2 * x - 1 + i, a.in_width);
            float v[4];
            VMAF_UNROLL
            for (int k = 0; k < 4; k++) v[k] = static_cast<float>(C::load(rows[k] + column)) * a.scale + a.offset;
            low[i] = Formula::low(v[0], v[1], v[2], v[3]);
            high[i] = Formula::high(v[0], v[1], v[2], v[3]);
        }
        details[0] = Formula::low(high[0], high[1], high[2], high[3]);
        details[1] = Formula::high(low[0], low[1], low[2], low[3]);
        details[2] = Formula::high(high[0], high[1], high[2], high[3]);
        return Formula::low(low[0], low[1], low[2], low[3]);
    }
};

// Sums along the lines of the window: den, num, aim of the three bands.
struct FloatAdmSumsArgs {
    FloatAdmMagnitudes in;
    int width, height;            // of the bands
    int left, right, top, bottom; // the window
    int masking;                  // 0: thresholds are 0
    FrameArray<float> lines[3 * kFloatAdmBands];
};

template <class C> struct FloatAdmSumsKernel {
    using Args = FloatAdmSumsArgs;
    using Formula = FloatAdm<C>;
    using Lines = LineSums<C, 3 * kFloatAdmBands, 4>;
    static constexpr int kThreads = Lines::kThreads, kMinBlocks = 3, kTileWidth = 0, kTileHeight = Lines::kRows;
    static constexpr int kColumns = Lines::kColumns, kStrip = Lines::kRows * kColumns / kThreads; // rows of a thread
    static constexpr int kAroundRows = Lines::kRows + 2, kAroundColumns = kColumns + 2;
    static_assert(kThreads % kColumns == 0 && kStrip * kThreads == Lines::kRows * kColumns, "a strip for each thread");
    struct SharedMemory {
        typename Lines::SharedMemory lines;
        float around[kFloatAdmBands][kAroundRows][kAroundColumns]; // what positions add to the thresholds around them
    };

    struct Fill {
        C &c;
        Shared<SharedMemory> shared;
        const Args &a;
        int y0;
        VMAF_DEVICE_FN void operator()(int x0) const {
            const int column = c.thread % kColumns, first = c.thread / kColumns * kStrip;
            const int x = a.left + x0 + column, y = a.top + y0 + first; // of the strip's first position
            const int rows = x >= a.right ? 0 : a.bottom - y < kStrip ? a.bottom - y : kStrip;
            VMAF_UNROLL
            for (int i = 0; i < kStrip; i++) {
                if (i >= rows) continue;
                VMAF_UNROLL
                for (int b = 0; b < kFloatAdmBands; b++)
                    shared->lines.terms[b][first + i][column] =
                        Formula::cube(at(a.in.reference.of(c.frame), b, x, y + i));
            }
            excesses(a.in.restored.of(c.frame), a.in.added.of(c.frame), kFloatAdmBands, x0, rows);
            c.barrier();
            excesses(a.in.added.of(c.frame), a.in.restored.of(c.frame), 2 * kFloatAdmBands, x0, rows);
        }

      private:
        VMAF_DEVICE_FN float at(Global<const float> magnitudes, int band, int x, int y) const {
            return C::load(magnitudes + (static_cast<u32>(band) * static_cast<u32>(a.in.plane) +
                                         static_cast<u32>(y) * static_cast<u32>(a.width) + static_cast<u32>(x)));
        }
        // The terms of `magnitudes` above the thresholds of `mask`, into the sums from `sum` on.
        VMAF_DEVICE_FN void excesses(Global<const float> magnitudes, Global<const float> mask, int sum, int x0,
                                     int rows) const {
            const int column = c.thread % kColumns, first = c.thread / kColumns * kStrip;
            const int x = a.left + x0 + column, y = a.top + y0 + first;
            float limits[kStrip];
            VMAF_UNROLL
            for (int i = 0; i < kStrip; i++) limits[i] = 0.0f;
            if (a.masking) {
                fill_around(mask, x0);
                c.barrier();
                if (rows > 0) thresholds(mask, x, y, rows, column, first, limits);
            }
            VMAF_UNROLL
            for (int i = 0; i < kStrip; i++) {
                if (i >= rows) continue;
                VMAF_UNROLL
                for (int b = 0; b < kFloatAdmBands; b++)
                    shared->lines.terms[sum + b][first + i][column] =
                        Formula::cube(excess(at(magnitudes, b, x, y + i), limits[i]));
            }
        }
        VMAF_DEVICE_FN float excess(float magnitude, float limit) const {
            if (!a.masking) return magnitude;
            const float x = magnitude - limit;
            return x < 0.0f ? 0.0f : x;
        }
        VMAF_DEVICE_FN void fill_around(Global<const float> mask, int x0) const {
            for (int i = c.thread; i < kAroundRows * kAroundColumns; i += kThreads) {
                const int row = i / kAroundColumns, column = i % kAroundColumns;
                const int x = float_adm_fold(a.left + x0 + column - 1, a.width),
                          y = float_adm_fold(a.top + y0 + row - 1, a.height);
                VMAF_UNROLL
                for (int b = 0; b < kFloatAdmBands; b++)
                    shared->around[b][row][column] = Formula::neighbour(at(mask, b, x, y));
            }
        }
        // The bands' sums over the 3x3 neighbourhoods of a strip, each in raster order.
        VMAF_DEVICE_FN void thresholds(Global<const float> mask, int x, int y, int rows, int column, int first,
                                       float (&out)[kStrip]) const {
            VMAF_UNROLL
            for (int b = 0; b < kFloatAdmBands; b++) {
                float v[kStrip + 2][3];
                VMAF_UNROLL
                for (int i = 0; i < kStrip + 2; i++) VMAF_UNROLL
                for (int k = 0; k < 3; k++) v[i][k] = shared->around[b][first + i][column + k];
                VMAF_UNROLL
                for (int i = 0; i < kStrip; i++) {
                    if (i >= rows) continue;
                    float sum = ((v[i][0] + v[i][1]) + v[i][2]) + v[i + 1][0];
                    sum = Formula::with_centre(sum, at(mask, b, x, y + i)) + v[i + 1][2];
                    sum = ((sum + v[i + 2][0]) + v[i + 2][1]) + v[i + 2][2];
                    out[i] = b == 0 ? sum : out[i] + sum;
                }
            }
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int y0 = c.block_y * kTileHeight;
        Global<float> out[3 * kFloatAdmBands];
        VMAF_UNROLL
        for (int i = 0; i < 3 * kFloatAdmBands; i++) out[i] = a.lines[i].of(c.frame);
        Lines::run(c, &shared->lines, a.right - a.left, a.bottom - a.top, y0, Fill{c, shared, a, y0}, out);
    }
};

// The terms of all coefficients, for tiles.
struct FloatAdmTermsArgs {
    FloatAdmSumsArgs all; // the window is the whole scale
    FrameArray<float> terms;
    u64 plane; // from sum to sum
};

template <class C> struct FloatAdmTermsKernel {
    using Args = FloatAdmTermsArgs;
    using Sums = FloatAdmSumsKernel<C>;
    using SharedMemory = typename Sums::SharedMemory;
    static constexpr int kThreads = Sums::kThreads, kMinBlocks = Sums::kMinBlocks;
    static constexpr int kTileWidth = Sums::kColumns, kTileHeight = Sums::kTileHeight;

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args) {
        const FloatAdmSumsArgs &a = args.all;
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        const typename Sums::Fill fill{c, shared, a, y0};
        fill(x0);
        c.barrier();
        for (int i = c.thread; i < kTileHeight * kTileWidth; i += kThreads) {
            const int row = i / kTileWidth, column = i % kTileWidth;
            if (x0 + column >= a.width || y0 + row >= a.height) continue;
            Global<float> out = args.terms.of(c.frame) + static_cast<u64>(y0 + row) * static_cast<u64>(a.width) +
                                static_cast<u64>(x0 + column);
            VMAF_UNROLL
            for (int n = 0; n < 3 * kFloatAdmBands; n++)
                out[static_cast<u64>(n) * args.plane] = shared->lines.terms[n][row][column];
        }
    }
};

template <class C> using float_adm_wavelet_8 = FloatAdmWaveletKernel<C, u8>;
template <class C> using float_adm_wavelet_16 = FloatAdmWaveletKernel<C, u16>;
template <class C> using float_adm_wavelet_float = FloatAdmWaveletKernel<C, float>;
template <class C> using float_adm_sums = FloatAdmSumsKernel<C>;
template <class C> using float_adm_terms = FloatAdmTermsKernel<C>;
template <class C> using float_adm_totals = LineTotalsKernel<C>;

} // namespace kernels
} // namespace vmaf
