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
    using Lines = LineSums<C, 3 * kFloatAdmBands, 8>;
    static constexpr int kThreads = Lines::kThreads, kMinBlocks = 2, kTileWidth = 0, kTileHeight = Lines::kRows;
    using SharedMemory = typename Lines::SharedMemory;

    struct Fill {
        C &c;
        Shared<SharedMemory> shared;
        const Args &a;
        int y0;
        VMAF_DEVICE_FN void operator()(int x0) const {
            for (int i = c.thread; i < Lines::kRows * Lines::kColumns; i += kThreads) {
                const int row = i / Lines::kColumns, column = i % Lines::kColumns;
                const int y = a.top + y0 + row, x = a.left + x0 + column;
                if (y >= a.bottom || x >= a.right) continue;
                const float under_added = a.masking ? threshold(a.in.added.of(c.frame), x, y) : 0.0f;
                const float under_restored = a.masking ? threshold(a.in.restored.of(c.frame), x, y) : 0.0f;
                VMAF_UNROLL
                for (int b = 0; b < kFloatAdmBands; b++) {
                    shared->terms[b][row][column] = Formula::cube(at(a.in.reference.of(c.frame), b, x, y));
                    shared->terms[kFloatAdmBands + b][row][column] =
                        Formula::cube(excess(at(a.in.restored.of(c.frame), b, x, y), under_added));
                    shared->terms[2 * kFloatAdmBands + b][row][column] =
                        Formula::cube(excess(at(a.in.added.of(c.frame), b, x, y), under_restored));
                }
            }
        }

      private:
        VMAF_DEVICE_FN float at(Global<const float> magnitudes, int band, int x, int y) const {
            return C::load(magnitudes + static_cast<u64>(band) * a.in.plane +
                           static_cast<u64>(y) * static_cast<u64>(a.width) + static_cast<u64>(x));
        }
        VMAF_DEVICE_FN float excess(float magnitude, float limit) const {
            if (!a.masking) return magnitude;
            const float x = magnitude - limit;
            return x < 0.0f ? 0.0f : x;
        }
        // The bands' sums over the 3x3 neighbourhood, in raster order.
        VMAF_DEVICE_FN float threshold(Global<const float> mask, int x, int y) const {
            float sums[kFloatAdmBands];
            VMAF_UNROLL
            for (int b = 0; b < kFloatAdmBands; b++) {
                float sum = 0.0f;
                VMAF_UNROLL
                for (int i = 0; i < 9; i++) {
                    const float v =
                        at(mask, b, float_adm_fold(x + i % 3 - 1, a.width), float_adm_fold(y + i / 3 - 1, a.height));
                    sum = i == 0   ? Formula::neighbour(v)
                          : i == 4 ? Formula::with_centre(sum, v)
                                   : sum + Formula::neighbour(v);
                }
                sums[b] = sum;
            }
            return (sums[0] + sums[1]) + sums[2];
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int y0 = c.block_y * kTileHeight;
        Global<float> out[3 * kFloatAdmBands];
        VMAF_UNROLL
        for (int i = 0; i < 3 * kFloatAdmBands; i++) out[i] = a.lines[i].of(c.frame);
        Lines::run(c, shared, a.right - a.left, a.bottom - a.top, y0, Fill{c, shared, a, y0}, out);
    }
};

template <class C> using float_adm_wavelet_8 = FloatAdmWaveletKernel<C, u8>;
template <class C> using float_adm_wavelet_16 = FloatAdmWaveletKernel<C, u16>;
template <class C> using float_adm_wavelet_float = FloatAdmWaveletKernel<C, float>;
template <class C> using float_adm_sums = FloatAdmSumsKernel<C>;
template <class C> using float_adm_totals = LineTotalsKernel<C>;

} // namespace kernels
} // namespace vmaf
