// Device kernels of the fixed-point vif (vif.md 2), one launch per scale: local statistics, the per-pixel terms summed
// into four accumulators, and the next level of the pyramid, from one pass over the samples.
//
// A block covers a tile. First each thread filters one column of it (with the columns that the horizontal filter needs
// beyond) vertically and leaves five values per pixel in shared memory; then threads take segments of eight pixels,
// filter horizontally and add up the terms. All sums are integers: their order does not matter.
#pragma once

#include "device/kernel.hpp"
#include "metrics/vif/vif_args.hpp"
#include "metrics/vif/vif_eight_kernel.hpp"
#include "metrics/vif/vif_matrix_kernel.hpp"
#include "metrics/vif/vif_taps.hpp"

namespace vmaf {
namespace kernels {

// How the samples of a scale are held. kPairs: the sum of two products of samples fits 32 bits (up to 15 bits).
template <class SampleType, bool kPairsFit> struct VifSamples {
    using Sample = SampleType;
    static constexpr bool kBytes = sizeof(Sample) == 1, kPairs = kPairsFit;
    using Sum = Select<kBytes, u32, u64>; // of products over the vertical filter
    static VMAF_DEVICE_FN int mean_shift(int bits) { return kBytes ? 8 : kPairs ? bits : 16; }
    static VMAF_DEVICE_FN int product_shift(int bits) { return kBytes ? 0 : kPairs ? 2 * (bits - 8) : 16; }
};
using VifSamples8 = VifSamples<u8, true>;
using VifSamples9To15 = VifSamples<u16, true>;
using VifSamples16 = VifSamples<u16, false>;

template <int kCount> VMAF_DEVICE_FN void load_words(Shared<const u32> from, u32 (&v)[kCount]) {
    VMAF_UNROLL
    for (int i = 0; i < kCount; i += 4) {
        const Words4 four = fetched(reinterpret_cast<Shared<const Words4>>(from + i));
        v[i] = four.v[0];
        v[i + 1] = four.v[1];
        v[i + 2] = four.v[2];
        v[i + 3] = four.v[3];
    }
}

// Eight neighbouring values of (sum of tap * x + 32768) >> 16 for 32-bit x: sums stay below 2^48.
template <class C, int S, bool kFast> struct VifProductRow;
template <class C, int S> struct VifProductRow<C, S, false> {
    static constexpr int R = vif_radius(S), kWords = (8 + 2 * R + 3) & ~3;
    static VMAF_DEVICE_FN void run(Shared<const u32> from, u32 (&out)[8]) {
        u32 v[kWords];
        load_words(from, v);
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            u64 sum = 32768;
            VMAF_UNROLL
            for (int k = -R; k <= R; k++) sum += static_cast<u64>(vif_tap<S>(k < 0 ? -k : k)) * v[j + R + k];
            out[j] = static_cast<u32>(sum >> 16);
        }
    }
};
// In doubles every step is exact: words are denormal as they are (times 2^-1074), taps are times 2^1000, and starting
// at 2^52 (times 2^-74) leaves the integer in the low bits of the fraction.
template <class C, int S> struct VifProductRow<C, S, true> {
    static constexpr int R = vif_radius(S), kWords = (8 + 2 * R + 3) & ~3;
    static VMAF_DEVICE_FN void run(Shared<const u32> from, u32 (&out)[8]) {
        u32 v[kWords];
        load_words(from, v);
        using F = typename C::f64;
        F f[8 + 2 * R];
        VMAF_UNROLL
        for (int i = 0; i < 8 + 2 * R; i++) f[i] = C::from_words(0, v[i]);
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            F sum = C::f64_from(0x3e90000000008000ull); // 2^52 + 32768, times 2^-74
            VMAF_UNROLL
            for (int k = -R; k <= R; k++)
                sum = C::multiply_add(F(vif_tap<S>(k < 0 ? -k : k)) * C::f64_from(0x7e70000000000000ull), f[j + R + k],
                                      sum);
            out[j] = C::high_word(sum) << 16 | C::low_word(sum) >> 16;
        }
    }
};

template <class C, int S, class Samples, class Input, int kLimits = 1> struct VifScale {
    using Args = VifArgs<Input, kLimits>;
    using Sample = typename Samples::Sample;
    static constexpr int R = vif_radius(S);
    // Large tiles read fewer rows and columns twice.
    static constexpr bool kLarge = S < 2 && C::kSharedBytes >= 84 * 1024;
    static constexpr int kThreads = kLarge ? 256 : 128, kMinBlocks = kLarge ? 2 : 4;
    static constexpr int kTileWidth = kThreads - 16, kTileHeight = kLarge ? 16 : 8;
    static constexpr int kColumns = kTileWidth + 2 * R, kSegments = kTileWidth / 8;
    // Four words more than a multiple of 32: eight lanes on eight rows read 16 bytes each without bank conflicts.
    static constexpr int kPitch = kThreads + 4;
    static constexpr int kNext = S < 3 ? S + 1 : 3, kNextRadius = vif_radius(kNext);

    struct SharedMemory {
        alignas(16) u32 means[kTileHeight][kPitch];       // of ref, and of dist in the upper half
        alignas(16) u32 products[3][kTileHeight][kPitch]; // ref * ref, dist * dist, ref * dist
        alignas(16) u32 next[kTileHeight / 2][kPitch];    // next level after its vertical pass, packed like the means
        alignas(16) u16 log_table[kVifLogTableSize];
        u64 group_sums[vif_sums(kLimits) * kThreads / C::kGroup];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        for (int i = c.thread; i < kVifLogTableSize / 8; i += kThreads)
            put(reinterpret_cast<Shared<Words4>>(shared->log_table) + i,
                fetched(reinterpret_cast<Global<const Words4>>(a.log_table) + i));
        if (c.thread < kColumns) vertical(c, shared, a, x0, y0);
        c.barrier();
        VifTerms<kLimits> terms = {{0}, 0, 0, 0};
        statistics(c, shared, a, x0, y0, terms);
        if (S < 3) next_level(c, shared, a, x0, y0);
        vif_add_up<kThreads>(c, shared->group_sums, a.sums + static_cast<u64>(c.frame) * a.sums_stride, terms);
    }

    // Of eight neighbouring pixels.
    static VMAF_DEVICE_FN void variances(Shared<SharedMemory> shared, int row, int column, VifVariances (&v)[8]) {
        u32 mean_ref[8], mean_dist[8], xx[8], yy[8], xy[8];
        mean_row(&shared->means[row][column], mean_ref, mean_dist);
        VifProductRow<C, S, C::kFastF64>::run(&shared->products[0][row][column], xx);
        VifProductRow<C, S, C::kFastF64>::run(&shared->products[1][row][column], yy);
        VifProductRow<C, S, C::kFastF64>::run(&shared->products[2][row][column], xy);
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) v[j] = vif_variances(mean_ref[j], mean_dist[j], xx[j], yy[j], xy[j]);
    }
    static VMAF_DEVICE_FN u32 valid_pixels(int x, int width) { return x + 8 <= width ? 255u : (1u << (width - x)) - 1; }

    // Horizontal pass of the next level (2.5): a thread makes four samples.
    static VMAF_DEVICE_FN void next_level(C &c, Shared<SharedMemory> shared, const Args &a, int x0, int y0) {
        constexpr int kOffset = R - kNextRadius, kSkip = kOffset & 3;
        constexpr int kWords = (kSkip + 6 + 2 * kNextRadius + 1 + 3) & ~3;
        for (int item = c.thread; item < kTileHeight / 2 * kSegments; item += kThreads) {
            const int row = item % (kTileHeight / 2), column = item / (kTileHeight / 2) * 8;
            const int x = (x0 + column) / 2, y = y0 / 2 + row;
            if (y >= a.height / 2 || x >= a.width / 2) continue;
            u32 v[kWords], u[kWords];
            load_words(&shared->next[row][column + kOffset - kSkip], v);
            VMAF_UNROLL
            for (int i = 0; i < kWords; i++) {
                u[i] = v[i] >> 16;
                v[i] &= 0xffff;
            }
            u32 r[4], d[4];
            VMAF_UNROLL
            for (int j = 0; j < 4; j++) {
                const u32 pair = filtered_pair<kNext>(v, u, kSkip + 2 * j + kNextRadius, 32768, 16);
                r[j] = pair & 0xffff;
                d[j] = pair >> 16;
            }
            // The pitch is a multiple of four: the padding may be written.
            const u64 at = static_cast<u64>(c.frame) * a.next.frame_stride + static_cast<u64>(y) * a.next.pitch + x;
            put(reinterpret_cast<Global<Words2>>(a.next.ref + at), Words2{{r[0] | r[1] << 16, r[2] | r[3] << 16}});
            put(reinterpret_cast<Global<Words2>>(a.next.dist + at), Words2{{d[0] | d[1] << 16, d[2] | d[3] << 16}});
        }
    }

    static VMAF_DEVICE_FN void vertical(C &c, Shared<SharedMemory> shared, const Args &a, int x0, int y0) {
        constexpr int kRows = kTileHeight + 2 * R;
        using Sum = typename Samples::Sum;
        const int mean_shift = Samples::mean_shift(a.bits), product_shift = Samples::product_shift(a.bits);
        const u32 mean_round = 1u << (mean_shift - 1), product_round = (1u << product_shift) >> 1;
        const u32 x = static_cast<u32>(vif_reflect(x0 - R + c.thread, a.width));
        Global<const Sample> ref = static_cast<Global<const Sample>>(a.in.ref_of(c.frame));
        Global<const Sample> dist = static_cast<Global<const Sample>>(a.in.dist_of(c.frame));
        u32 r[kRows], d[kRows], product[3][kRows];
        VMAF_UNROLL
        for (int i = 0; i < kRows; i++) {
            const u32 at = static_cast<u32>(vif_reflect(y0 - R + i, a.height)) * static_cast<u32>(a.in.pitch) + x;
            r[i] = C::load(ref + at);
            d[i] = C::load(dist + at);
            product[0][i] = r[i] * r[i];
            product[1][i] = d[i] * d[i];
            product[2][i] = r[i] * d[i];
            if (i < 2 * R) continue;
            const int y = i - 2 * R, centre = i - R;
            shared->means[y][c.thread] = filtered_pair<S>(r, d, centre, mean_round, mean_shift);
            VMAF_UNROLL
            for (int n = 0; n < 3; n++) {
                Sum sum = static_cast<Sum>(vif_tap<S>(0)) * product[n][centre] + product_round;
                VMAF_UNROLL
                for (int k = 1; k <= R; k++) {
                    const u32 before = product[n][centre - k], after = product[n][centre + k];
                    if (Samples::kPairs)
                        sum += static_cast<Sum>(vif_tap<S>(k)) * (before + after);
                    else {
                        sum += static_cast<Sum>(vif_tap<S>(k)) * before;
                        sum += static_cast<Sum>(vif_tap<S>(k)) * after;
                    }
                }
                shared->products[n][y][c.thread] = static_cast<u32>(sum >> product_shift);
            }
            if (S < 3 && !(y & 1))
                shared->next[y / 2][c.thread] = filtered_pair<kNext>(r, d, centre, mean_round, mean_shift);
        }
    }

  private:
    template <int F, int kRows>
    static VMAF_DEVICE_FN u32 filtered_pair(const u32 (&r)[kRows], const u32 (&d)[kRows], int centre, u32 round,
                                            int shift) {
        u32 s = vif_tap<F>(0) * r[centre] + round, t = vif_tap<F>(0) * d[centre] + round;
        VMAF_UNROLL
        for (int k = 1; k <= vif_radius(F); k++) {
            s += vif_tap<F>(k) * (r[centre - k] + r[centre + k]);
            t += vif_tap<F>(k) * (d[centre - k] + d[centre + k]);
        }
        return s >> shift | (t >> shift) << 16;
    }

    static VMAF_DEVICE_FN void statistics(C &c, Shared<SharedMemory> shared, const Args &a, int x0, int y0,
                                          VifTerms<kLimits> &terms) {
        for (int item = c.thread; item < kTileHeight * kSegments; item += kThreads) {
            const int row = item % kTileHeight, column = item / kTileHeight * 8, x = x0 + column;
            if (y0 + row >= a.height || x >= a.width) continue;
            VifVariances v[8];
            variances(shared, row, column, v);
            VifEight<C, kLimits, C::kFastF64>::run(v, valid_pixels(x, a.width), shared->log_table, a.limits, terms);
        }
    }

    static VMAF_DEVICE_FN void mean_row(Shared<const u32> from, u32 (&ref)[8], u32 (&dist)[8]) {
        constexpr int kWords = (8 + 2 * R + 3) & ~3;
        u32 v[kWords], u[kWords];
        load_words(from, v);
        VMAF_UNROLL
        for (int i = 0; i < kWords; i++) {
            u[i] = v[i] >> 16;
            v[i] &= 0xffff;
        }
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            ref[j] = vif_tap<S>(0) * v[j + R];
            dist[j] = vif_tap<S>(0) * u[j + R];
            VMAF_UNROLL
            for (int k = 1; k <= R; k++) {
                ref[j] += vif_tap<S>(k) * (v[j + R - k] + v[j + R + k]);
                dist[j] += vif_tap<S>(k) * (u[j + R - k] + u[j + R + k]);
            }
        }
    }
};

template <class C, int kLimits>
using VifByteScale0 =
    Select<C::kByteMatrix, VifMatrixScale0<C, kLimits>, VifScale<C, 0, VifSamples8, PicturePlanes, kLimits>>;
template <class C> using vif_scale0_8 = VifByteScale0<C, 1>;
template <class C> using vif_scale0_15 = VifScale<C, 0, VifSamples9To15, PicturePlanes>;
template <class C> using vif_scale0_16 = VifScale<C, 0, VifSamples16, PicturePlanes>;
template <class C> using vif_scale1 = VifScale<C, 1, VifSamples16, ScratchPlanes<u16>>;
template <class C> using vif_scale2 = VifScale<C, 2, VifSamples16, ScratchPlanes<u16>>;
template <class C> using vif_scale3 = VifScale<C, 3, VifSamples16, ScratchPlanes<u16>>;
// Under two limits.
template <class C> using vif_pair_scale0_8 = VifByteScale0<C, 2>;
template <class C> using vif_pair_scale0_15 = VifScale<C, 0, VifSamples9To15, PicturePlanes, 2>;
template <class C> using vif_pair_scale0_16 = VifScale<C, 0, VifSamples16, PicturePlanes, 2>;
template <class C> using vif_pair_scale1 = VifScale<C, 1, VifSamples16, ScratchPlanes<u16>, 2>;
template <class C> using vif_pair_scale2 = VifScale<C, 2, VifSamples16, ScratchPlanes<u16>, 2>;
template <class C> using vif_pair_scale3 = VifScale<C, 3, VifSamples16, ScratchPlanes<u16>, 2>;

} // namespace kernels
} // namespace vmaf
