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

// Four neighbours of a row as floats; the first is at a multiple of four.
template <class C, class Sample> struct SampleQuad;
template <class C> struct SampleQuad<C, u8> {
    static VMAF_DEVICE_FN void load(Global<const u8> at, float (&out)[4]) {
        const u32 word = C::load(reinterpret_cast<Global<const u32>>(at));
        VMAF_UNROLL
        for (int k = 0; k < 4; k++) out[k] = static_cast<float>(word >> (8 * k) & 255);
    }
};
template <class C> struct SampleQuad<C, u16> {
    static VMAF_DEVICE_FN void load(Global<const u16> at, float (&out)[4]) {
        const Words2 words = C::load(reinterpret_cast<Global<const Words2>>(at));
        VMAF_UNROLL
        for (int k = 0; k < 4; k++) out[k] = static_cast<float>(words.v[k / 2] >> (16 * (k % 2)) & 65535);
    }
};
template <class C> struct SampleQuad<C, float> {
    static VMAF_DEVICE_FN void load(Global<const float> at, float (&out)[4]) {
        const Words4 words = C::load(reinterpret_cast<Global<const Words4>>(at));
        VMAF_UNROLL
        for (int k = 0; k < 4; k++) out[k] = C::float_from(words.v[k]);
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
    static constexpr int kReach = 4, kInQuads = (2 * kTileWidth + 2 * kReach - 1 + 3) / 4,
                         kInHeight = 2 * kTileHeight + 2 * kReach - 1;
    struct SharedMemory {
        Words4 samples[kInHeight][kInQuads];
    };

    // The distorted picture lies below the reference, as in BoxMeanKernel. A thread makes two neighbours.
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int blocks = (a.out_height + kTileHeight - 1) / kTileHeight;
        const bool dist = c.block_y >= blocks;
        const int x0 = c.block_x * kTileWidth, y0 = (c.block_y - (dist ? blocks : 0)) * kTileHeight;
        load(c, shared, a, dist, 2 * x0 - kReach, 2 * y0 - kReach);
        c.barrier();
        constexpr int kPairs = kTileWidth / 2;
        static_assert(kPairs * kTileHeight == kThreads, "a pair for each thread");
        const int pair = c.thread % kPairs, y = c.thread / kPairs;
        f64 sums[2] = {f64(0), f64(0)};
        VMAF_UNROLL
        for (int v = -kReach; v <= kReach; v++) {
            float row[12]; // from 4 samples left of the first position on
            VMAF_UNROLL
            for (int i = 0; i < 3; i++) {
                const Words4 words = fetched(&shared->samples[2 * y + kReach + v][pair + i]);
                VMAF_UNROLL
                for (int k = 0; k < 4; k++) row[4 * i + k] = C::float_from(words.v[k]);
            }
            VMAF_UNROLL
            for (int i = 0; i < 2; i++) {
                f64 along(0);
                VMAF_UNROLL
                for (int u = -kReach; u <= kReach; u++)
                    along = added(along, row[2 * i + kReach + u], low_pass_tap(v < 0 ? -v : v, u < 0 ? -u : u));
                sums[i] = v == -kReach ? along : sums[i] + along;
            }
        }
        Global<float> out =
            (dist ? a.out_dist : a.out_ref).of(c.frame) + static_cast<u64>(y0 + y) * static_cast<u64>(a.out_pitch);
        VMAF_UNROLL
        for (int i = 0; i < 2; i++)
            if (x0 + 2 * pair + i < a.out_width && y0 + y < a.out_height)
                out[x0 + 2 * pair + i] = Wide::narrowed(sums[i]);
    }

  private:
    // The tile whose first sample is (x0, y0), which may be outside; x0 is a multiple of four.
    static VMAF_DEVICE_FN void load(C &c, Shared<SharedMemory> shared, const Args &a, bool dist, int x0, int y0) {
        Global<const Sample> plane = a.in.plane(dist, c.frame);
        for (int i = c.thread; i < kInHeight * kInQuads; i += kThreads) {
            const int y = i / kInQuads, quad = i % kInQuads, x = x0 + 4 * quad;
            Global<const Sample> row = plane + static_cast<u64>(mirrored_inside<true, true>(y0 + y, a.in.height)) *
                                                   static_cast<u64>(a.in.pitch);
            float v[4];
            if (x >= 0 && x + 3 < a.in.width) {
                SampleQuad<C, Sample>::load(row + x, v);
            } else {
                VMAF_UNROLL
                for (int k = 0; k < 4; k++)
                    v[k] = static_cast<float>(C::load(row + mirrored_inside<true, true>(x + k, a.in.width)));
            }
            Words4 words;
            VMAF_UNROLL
            for (int k = 0; k < 4; k++) words.v[k] = C::bits(v[k] * a.in.scale);
            put(&shared->samples[y][quad], words);
        }
    }
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

// Threads filter four neighbours along the rows, then kBand of a column.
template <class C, class Sample> struct SsimTermsKernel {
    using Args = SsimTermsArgs<Sample>;
    using f64 = typename C::f64;
    using Wide = WideFloats<C, (sizeof(Sample) > 2)>; // planes made by the low-pass may be negative
    static constexpr int kThreads = 256, kMinBlocks = C::kSharedBytes >= 96 * 1024 ? 3 : 2, kTileWidth = 32;
    static constexpr int kTileHeight = C::kSharedBytes >= 96 * 1024 ? 48 : C::kSharedBytes >= 48 * 1024 ? 32 : 16;
    static constexpr int kBorder = kSsimTapCount - 1, kRows = kTileHeight + kBorder, kChannels = 5;
    static constexpr int kQuads = kTileWidth / 4, kInQuads = (kTileWidth + kBorder + 3) / 4;
    static constexpr int kBand = kTileHeight * kTileWidth / kThreads; // rows of a thread
    struct SharedMemory {
        Words4 in[2][kRows][kInQuads];
        Words4 windowed[kChannels][kRows][kQuads];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        load(c, shared, a, x0, y0);
        c.barrier();
        for (int i = c.thread; i < kRows * kQuads; i += kThreads) along(shared, i / kQuads, i % kQuads);
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
    // What lies beyond the pictures reaches no position that counts: anything that may be read.
    static VMAF_DEVICE_FN void load(C &c, Shared<SharedMemory> shared, const Args &a, int x0, int y0) {
        Global<const Sample> ref = a.in.plane(0, c.frame), dist = a.in.plane(1, c.frame);
        for (int i = c.thread; i < kRows * kInQuads; i += kThreads) {
            const int y = i / kInQuads, quad = i % kInQuads;
            const int row = y0 + y < a.in.height ? y0 + y : a.in.height - 1,
                      column = x0 + 4 * quad < a.in.width ? x0 + 4 * quad : 0;
            const u64 at = static_cast<u64>(row) * static_cast<u64>(a.in.pitch) + static_cast<u64>(column);
            put_samples(&shared->in[0][y][quad], ref + at, a.in.scale);
            put_samples(&shared->in[1][y][quad], dist + at, a.in.scale);
        }
    }
    static VMAF_DEVICE_FN void put_samples(Shared<Words4> to, Global<const Sample> from, float scale) {
        float v[4];
        SampleQuad<C, Sample>::load(from, v);
        Words4 words;
        VMAF_UNROLL
        for (int k = 0; k < 4; k++) words.v[k] = C::bits(v[k] * scale);
        put(to, words);
    }

    // 6.2: products rounded to f32, added in f64 in ascending order.
    static VMAF_DEVICE_FN void along(Shared<SharedMemory> shared, int y, int quad) {
        constexpr int kRead = (4 + kBorder + 3) / 4 * 4;
        float p[kRead], q[kRead];
        VMAF_UNROLL
        for (int i = 0; i < kRead / 4; i++) {
            const Words4 one = fetched(&shared->in[0][y][quad + i]), two = fetched(&shared->in[1][y][quad + i]);
            VMAF_UNROLL
            for (int k = 0; k < 4; k++) {
                p[4 * i + k] = C::float_from(one.v[k]);
                q[4 * i + k] = C::float_from(two.v[k]);
            }
        }
        VMAF_UNROLL
        for (int n = 0; n < kChannels; n++) {
            f64 sums[4] = {f64(0), f64(0), f64(0), f64(0)};
            VMAF_UNROLL
            for (int j = 0; j < 4 + kBorder; j++) {
                const float v = n == 0   ? p[j]
                                : n == 1 ? q[j]
                                : n == 2 ? p[j] * p[j]
                                : n == 3 ? q[j] * q[j]
                                         : p[j] * q[j];
                VMAF_UNROLL
                for (int i = 0; i < 4; i++) {
                    if (j < i || j > i + kBorder) continue;
                    const f64 product = Wide::widened(v * ssim_tap(j - i));
                    sums[i] = j == i ? product : sums[i] + product;
                }
            }
            Words4 words;
            VMAF_UNROLL
            for (int i = 0; i < 4; i++) words.v[i] = C::bits(Wide::narrowed(sums[i]));
            put(&shared->windowed[n][y][quad], words);
        }
    }

    static VMAF_DEVICE_FN void down(Shared<SharedMemory> shared, int channel, int x, int first, float *means) {
        f64 sums[kBand];
        VMAF_UNROLL
        for (int i = 0; i < kBand; i++) sums[i] = f64(0);
        VMAF_UNROLL
        for (int j = 0; j < kBand + kBorder; j++) {
            const float v = C::float_from(shared->windowed[channel][first + j][x / 4].v[x % 4]);
            VMAF_UNROLL
            for (int i = 0; i < kBand; i++) {
                if (j < i || j > i + kBorder) continue;
                const f64 product = Wide::widened(v * ssim_tap(j - i));
                sums[i] = j == i ? product : sums[i] + product;
            }
        }
        VMAF_UNROLL
        for (int i = 0; i < kBand; i++) means[i] = Wide::narrowed(sums[i]);
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
