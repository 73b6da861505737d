// Device kernels of float_ssim, float_ms_ssim and ssim (fidelity.md 6 to 8, 11.1). Terms of all positions are made in
// parallel, each as the definition says, and stored; their sums are then taken in raster order
// (metrics/common/ordered_sums_kernels.hpp), so that scores have the bits of the CPU's.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"
#include "device/wide_floats.hpp"
#include "metrics/ssim/ssim_formula.hpp"

namespace vmaf {
namespace kernels {

// What two images are read from: samples of pictures or planes made before.
template <class Sample> struct SsimImages {
    FramePlanes ref, dist;
    int width, height, pitch;
    float scale; // puts samples on the 8-bit scale
    VMAF_DEVICE_FN Global<const Sample> plane(int which, int frame) const {
        return static_cast<Global<const Sample>>((which ? dist : ref).plane[frame]);
    }
};

// Box means of both pictures (7.1). Power-of-two factors: integers. Others: every product is rounded, their sum is
// exact.
struct BoxMeanArgs {
    FramePlanes ref, dist;
    int width, height, pitch;
    int factor;
    float sample_scale, weight; // weight: of one sample
    FrameArray<float> out_ref, out_dist;
    int out_width, out_height, out_pitch;
};

template <class C, class Sample, bool kPowerOfTwo> struct BoxMeanKernel {
    using Args = BoxMeanArgs;
    using f64 = typename C::f64;
    static constexpr int kThreads = 128, kMinBlocks = 4, kTileWidth = 32, kTileHeight = 4;
    struct SharedMemory {
        u32 unused;
    };

    // Twice as many rows of blocks as one picture needs: the distorted picture lies below the reference.
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int blocks = (a.out_height + kTileHeight - 1) / kTileHeight;
        const bool dist = c.block_y >= blocks;
        const int x = c.block_x * kTileWidth + c.thread % kTileWidth;
        const int y = (c.block_y - (dist ? blocks : 0)) * kTileHeight + c.thread / kTileWidth;
        if (x >= a.out_width || y >= a.out_height) return;
        Global<const Sample> plane = static_cast<Global<const Sample>>((dist ? a.dist : a.ref).plane[c.frame]);
        const int before = a.factor / 2;
        u32 whole = 0;
        f64 sum(0);
        for (int v = 0; v < a.factor; v++) {
            Global<const Sample> row =
                plane + static_cast<u64>(mirrored_inside<true, true>(y * a.factor - before + v, a.height)) *
                            static_cast<u64>(a.pitch);
            for (int u = 0; u < a.factor; u++) {
                const u32 sample = C::load(row + mirrored_inside<true, true>(x * a.factor - before + u, a.width));
                if (kPowerOfTwo)
                    whole += sample;
                else
                    sum = sum + f64(static_cast<float>(sample) * a.sample_scale * a.weight);
            }
        }
        Global<float> out =
            (dist ? a.out_dist : a.out_ref).of(c.frame) + static_cast<u64>(y) * static_cast<u64>(a.out_pitch);
        out[x] = kPowerOfTwo ? static_cast<float>(whole) * (a.sample_scale * a.weight) : to_float(sum);
    }
};

// The low-pass and decimation by two between scales (8.2).
template <class Sample> struct DecimateArgs {
    SsimImages<Sample> in;
    FrameArray<float> out_ref, out_dist;
    int out_width, out_height, out_pitch;
};

template <class C, class Sample> struct DecimateKernel {
    using Args = DecimateArgs<Sample>;
    using f64 = typename C::f64;
    using Wide = WideFloats<C, false, C::kFastF64 && sizeof(Sample) <= 2>; // samples are not negative, planes may be
    static constexpr int kThreads = 256, kMinBlocks = 4, kTileWidth = 32, kTileHeight = 16;
    static constexpr int kReach = 4, kInWidth = 2 * kTileWidth + 2 * kReach - 1,
                         kInHeight = 2 * kTileHeight + 2 * kReach - 1;
    struct SharedMemory {
        float samples[kInHeight][kInWidth];
    };

    // The distorted picture lies below the reference, as in BoxMeanKernel.
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int blocks = (a.out_height + kTileHeight - 1) / kTileHeight;
        const bool dist = c.block_y >= blocks;
        const int x0 = c.block_x * kTileWidth, y0 = (c.block_y - (dist ? blocks : 0)) * kTileHeight;
        Global<const Sample> plane = a.in.plane(dist, c.frame);
        for (int i = c.thread; i < kInHeight * kInWidth; i += kThreads) {
            const int y = i / kInWidth, x = i % kInWidth;
            const int row = mirrored_inside<true, true>(2 * y0 - kReach + y, a.in.height),
                      column = mirrored_inside<true, true>(2 * x0 - kReach + x, a.in.width);
            const Sample sample =
                C::load(plane + static_cast<u64>(row) * static_cast<u64>(a.in.pitch) + static_cast<u64>(column));
            shared->samples[y][x] = static_cast<float>(sample) * a.in.scale;
        }
        c.barrier();
        const int x = c.thread % kTileWidth;
        for (int y = c.thread / kTileWidth; y < kTileHeight; y += kThreads / kTileWidth) {
            if (x0 + x >= a.out_width || y0 + y >= a.out_height) continue;
            f64 sum(0);
            VMAF_UNROLL
            for (int v = -kReach; v <= kReach; v++) {
                Shared<const float> row = &shared->samples[2 * y + kReach + v][2 * x + kReach];
                f64 along(0);
                VMAF_UNROLL
                for (int u = -kReach; u <= kReach; u++)
                    along = added(along, row[u], low_pass_tap(v < 0 ? -v : v, u < 0 ? -u : u));
                sum = v == -kReach ? along : sum + along;
            }
            (dist ? a.out_dist : a.out_ref)
                .of(c.frame)[static_cast<u64>(y0 + y) * static_cast<u64>(a.out_pitch) + static_cast<u64>(x0 + x)] =
                Wide::narrowed(sum);
        }
    }

  private:
    static VMAF_DEVICE_FN f64 added(f64 sum, float sample, float tap) {
        return tap < 0.0f ? sum - Wide::widened(sample * -tap) : sum + Wide::widened(sample * tap);
    }
};

// The terms of all positions where the window fits, in raster order. `luminance` and `ssim` may be null.
template <class Sample> struct SsimTermsArgs {
    SsimImages<Sample> in;
    FrameArray<u64> contrast, luminance, ssim; // bits of f64
    FrameArray<float> structure;
};

template <class C, class Sample> struct SsimTermsKernel {
    using Args = SsimTermsArgs<Sample>;
    using f64 = typename C::f64;
    using Wide = WideFloats<C, (sizeof(Sample) > 2)>; // planes made by the low-pass may be negative
    static constexpr int kThreads = 256, kMinBlocks = 2, kTileWidth = 32;
    static constexpr int kTileHeight = C::kSharedBytes >= 48 * 1024 ? 32 : 16;
    static constexpr int kBorder = kSsimTapCount - 1, kIn = kTileWidth + kBorder, kRows = kTileHeight + kBorder,
                         kChannels = 5;
    static constexpr int kBand = kTileHeight * kTileWidth / kThreads; // rows of a thread
    struct SharedMemory {
        float a[kRows][kIn], b[kRows][kIn];
        float windowed[kChannels][kRows][kTileWidth];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        load(c, shared, a, x0, y0);
        c.barrier();
        along(c, shared);
        c.barrier();
        const int x = c.thread % kTileWidth, first = c.thread / kTileWidth * kBand;
        float means[kChannels][kBand];
        VMAF_UNROLL
        for (int n = 0; n < kChannels; n++) down(shared, n, x, first, means[n]);
        const int columns = a.in.width - kBorder, rows = a.in.height - kBorder;
        const bool with_luminance = a.luminance.first != nullptr;
        VMAF_UNROLL
        for (int i = 0; i < kBand; i++) {
            const int y = y0 + first + i;
            if (x0 + x >= columns || y >= rows) continue;
            const u64 at = static_cast<u64>(y) * static_cast<u64>(columns) + static_cast<u64>(x0 + x);
            const SsimPosition<C> terms(means[0][i], means[1][i], means[2][i], means[3][i], means[4][i],
                                        with_luminance);
            a.contrast.of(c.frame)[at] = C::bits(terms.contrast);
            a.structure.of(c.frame)[at] = terms.structure;
            if (!with_luminance) continue;
            a.luminance.of(c.frame)[at] = C::bits(terms.luminance);
            if (a.ssim.first != nullptr) a.ssim.of(c.frame)[at] = C::bits(terms.ssim());
        }
    }

  private:
    static VMAF_DEVICE_FN void load(C &c, Shared<SharedMemory> shared, const Args &a, int x0, int y0) {
        Global<const Sample> ref = a.in.plane(0, c.frame), dist = a.in.plane(1, c.frame);
        for (int i = c.thread; i < kRows * kIn; i += kThreads) {
            const int y = i / kIn, x = i % kIn;
            const int row = y0 + y < a.in.height ? y0 + y : a.in.height - 1,
                      column = x0 + x < a.in.width ? x0 + x : a.in.width - 1;
            const u64 at = static_cast<u64>(row) * static_cast<u64>(a.in.pitch) + static_cast<u64>(column);
            shared->a[y][x] = static_cast<float>(C::load(ref + at)) * a.in.scale;
            shared->b[y][x] = static_cast<float>(C::load(dist + at)) * a.in.scale;
        }
    }

    // 6.2: products rounded to f32, added in f64 in ascending order.
    static VMAF_DEVICE_FN void along(C &c, Shared<SharedMemory> shared) {
        for (int i = c.thread; i < kRows * kTileWidth; i += kThreads) {
            const int y = i / kTileWidth, x = i % kTileWidth;
            f64 sum[kChannels] = {f64(0), f64(0), f64(0), f64(0), f64(0)};
            VMAF_UNROLL
            for (int k = 0; k < kSsimTapCount; k++) {
                const float p = shared->a[y][x + k], q = shared->b[y][x + k], tap = ssim_tap(k);
                const float products[kChannels] = {p * tap, q * tap, p * p * tap, q * q * tap, p * q * tap};
                VMAF_UNROLL
                for (int n = 0; n < kChannels; n++) {
                    const f64 product = Wide::widened(products[n]);
                    sum[n] = k == 0 ? product : sum[n] + product;
                }
            }
            VMAF_UNROLL
            for (int n = 0; n < kChannels; n++) shared->windowed[n][y][x] = Wide::narrowed(sum[n]);
        }
    }

    static VMAF_DEVICE_FN void down(Shared<SharedMemory> shared, int channel, int x, int first, float *means) {
        float v[kBand + kBorder];
        VMAF_UNROLL
        for (int i = 0; i < kBand + kBorder; i++) v[i] = shared->windowed[channel][first + i][x];
        VMAF_UNROLL
        for (int i = 0; i < kBand; i++) {
            f64 sum = Wide::widened(v[i] * ssim_tap(0));
            VMAF_UNROLL
            for (int k = 1; k < kSsimTapCount; k++) sum = sum + Wide::widened(v[i + k] * ssim_tap(k));
            means[i] = Wide::narrowed(sum);
        }
    }
};

// `ssim`: the weighted similarity at every position, in raster order.
struct SsimMomentArgs {
    FramePlanes ref, dist;
    int width, height, pitch;
    u64 k1, k2; // bits of f64: the constants without weights
    FrameArray<u64> terms;
};

template <class C, class Sample> struct SsimMomentKernel {
    using Args = SsimMomentArgs;
    using f64 = typename C::f64;
    using Sum = Select<sizeof(Sample) == 1, u32, u64>; // 8 bits: 65536 * 255^2 fits 32
    static constexpr int kThreads = 128, kMinBlocks = 4, kTileWidth = 32, kTileHeight = 16, kChannels = 5;
    static constexpr int kIn = kTileWidth + 2 * kMomentReach;
    struct SharedMemory {
        Sum down[kChannels][kTileHeight][kIn];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        Global<const Sample> ref = static_cast<Global<const Sample>>(a.ref.plane[c.frame]);
        Global<const Sample> dist = static_cast<Global<const Sample>>(a.dist.plane[c.frame]);
        for (int i = c.thread; i < kTileHeight * kIn; i += kThreads) {
            const int y = i / kIn, x = i % kIn, column = x0 + x - kMomentReach;
            Sum sum[kChannels] = {0, 0, 0, 0, 0};
            if (column >= 0 && column < a.width) {
                VMAF_UNROLL
                for (int k = -kMomentReach; k <= kMomentReach; k++) {
                    const int row = y0 + y + k;
                    if (row < 0 || row >= a.height) continue;
                    const u64 at = static_cast<u64>(row) * static_cast<u64>(a.pitch) + static_cast<u64>(column);
                    const Sum r = C::load(ref + at), d = C::load(dist + at), tap = moment_tap(k);
                    sum[0] += tap * r;
                    sum[1] += tap * d;
                    sum[2] += tap * (r * r);
                    sum[3] += tap * (r * d);
                    sum[4] += tap * (d * d);
                }
            }
            VMAF_UNROLL
            for (int n = 0; n < kChannels; n++) shared->down[n][y][x] = sum[n];
        }
        c.barrier();
        for (int i = c.thread; i < kTileHeight * kTileWidth; i += kThreads) {
            const int y = i / kTileWidth, x = i % kTileWidth;
            if (x0 + x >= a.width || y0 + y >= a.height) continue;
            Sum sum[kChannels] = {0, 0, 0, 0, 0};
            VMAF_UNROLL
            for (int n = 0; n < kChannels; n++) VMAF_UNROLL
            for (int k = -kMomentReach; k <= kMomentReach; k++)
                sum[n] += static_cast<Sum>(moment_tap(k)) * shared->down[n][y][x + kMomentReach + k];
            const u32 weight = moment_taps_inside(x0 + x, a.width) * moment_taps_inside(y0 + y, a.height);
            const f64 term = moment_similarity<C>(f64(sum[0]), f64(sum[1]), f64(sum[2]), f64(sum[3]), f64(sum[4]),
                                                  f64(weight), C::f64_from(a.k1), C::f64_from(a.k2));
            a.terms.of(c.frame)[static_cast<u64>(y0 + y) * static_cast<u64>(a.width) + static_cast<u64>(x0 + x)] =
                C::bits(term);
        }
    }
};

template <class C> using ssim_box_8 = BoxMeanKernel<C, u8, true>;
template <class C> using ssim_box_16 = BoxMeanKernel<C, u16, true>;
template <class C> using ssim_any_box_8 = BoxMeanKernel<C, u8, false>;
template <class C> using ssim_any_box_16 = BoxMeanKernel<C, u16, false>;
template <class C> using ssim_decimate_8 = DecimateKernel<C, u8>;
template <class C> using ssim_decimate_16 = DecimateKernel<C, u16>;
template <class C> using ssim_decimate_float = DecimateKernel<C, float>;
template <class C> using ssim_terms_8 = SsimTermsKernel<C, u8>;
template <class C> using ssim_terms_16 = SsimTermsKernel<C, u16>;
template <class C> using ssim_terms_float = SsimTermsKernel<C, float>;
template <class C> using ssim_moments_8 = SsimMomentKernel<C, u8>;
template <class C> using ssim_moments_16 = SsimMomentKernel<C, u16>;

} // namespace kernels
} // namespace vmaf
