// Device kernel of the fixed-point adm (adm.md 3), one launch per scale: wavelet, decoupling, masking and pooling in
// one pass, nothing stored but band A, which the next scale reads.
//
// A group of lanes walks down a strip of band rows. A lane has one band column: it filters its two input columns
// vertically, gets their neighbours from the lanes beside it, and keeps what the 3x3 neighbourhood needs from the two
// rows before. The two outer lanes on each side only help.
#pragma once

#include "device/kernel.hpp"
#include "metrics/adm/adm_coefficient_kernel.hpp"
#include "metrics/adm/adm_rows_kernel.hpp"

namespace vmaf {
namespace kernels {

constexpr int kAdmSums = 9;                                                // den H V D, num H V D, aim H V D
VMAF_DEVICE_FN constexpr int adm_sums(int gains) { return 3 + 6 * gains; } // then num and aim under a second gain limit
constexpr int kAdmMaxRows = 16;                                            // band rows that a block may walk down

template <class Input, class Output> struct AdmArgs {
    Input in;
    ScratchPlanes<Output> band; // band A; not written at scale 3
    Global<u64> sums;           // of frame 0, this scale
    u64 sums_stride;
    Global<u32> low_parts;                 // [band row][block column][adm_sums()]
    Global<u32> counters;                  // one per strip; 0 before and after
    u64 low_parts_stride, counters_stride; // from frame to frame
    AdmSettings settings;
    int width, height; // of the input
    int band_width, band_height;
    int rows;    // band rows of a block
    int columns; // blocks in a row
    int bits;    // of the samples
};

// Where the terms of tiles go: nowhere (adm_tiles_kernel.hpp has the other form).
struct AdmNoTiles {
    static constexpr bool kWanted = false;
    // Rows of a strip that the frame counts: first_of(..) .. last_of(..) - 1.
    template <class Strip> static VMAF_DEVICE_FN int first_of(const Strip &strip, const AdmSettings &) {
        return strip.first;
    }
    template <class Strip> static VMAF_DEVICE_FN int last_of(const Strip &strip, int, const AdmSettings &) {
        return strip.last;
    }
    template <int kFirst, int kCount> VMAF_DEVICE_FN void take(u32 (&)[kCount], bool) {}
    template <int kFirst, int kCount, class C, class Strip, int kSums>
    VMAF_DEVICE_FN void end_row(C &, const Strip &, const AdmSettings &, int, bool, u64 (&)[kSums]) {}
    template <class C, class Strip, int kSums>
    VMAF_DEVICE_FN void end(C &, const Strip &, const AdmSettings &, u64 (&)[kSums]) {}
};

template <class C, int S, class Sample, bool kGeneral, int kGains = 1> struct AdmScale {
    using Input = Select<S == 0, PicturePlanes, ScratchPlanes<Sample>>;
    using Output = Select<S == 0, i16, int>;
    using Args = AdmArgs<Input, Output>;
    using Rows = AdmRows<C, S, Sample>;
    static constexpr int kScale = S;
    static constexpr int kThreads = 128, kMinBlocks = kGains == 1 ? 4 : 3, kGroups = kThreads / C::kGroup;
    static constexpr int kOwned = C::kGroup - 4; // band columns that a group scores
    static constexpr int kTileWidth = kOwned * kGroups, kTileHeight = 0;
    static constexpr int kPacked = Rows::kPacked, kSums = adm_sums(kGains), kParts = 2 * kGains;
    // Low parts of two sums share a word where they are short enough (general: never).
    static constexpr int kLowWords = kGeneral ? kSums : 2 + 3 * kGains;

    struct SharedMemory {
        u64 high[kGroups][kSums];
        u32 low[kAdmMaxRows][kGroups][kLowWords], row_sums[kAdmMaxRows][kSums];
        u32 last;
    };

    // Part of the work that a group has.
    struct Strip {
        int lane, group, x0, x;    // first band column of the group, band column of the lane
        int y0, first, last;       // first row of the block; rows with terms: first .. last - 1
        bool block_scored, scored; // the block reaches into the scored window, the group has terms
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        run(c, shared, a, AdmNoTiles());
    }
    template <class Tiles>
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a, Tiles tiles) {
        const AdmSettings &s = a.settings;
        Strip strip;
        strip.lane = c.thread % C::kGroup;
        strip.group = c.thread / C::kGroup;
        strip.x0 = (c.block_x * kGroups + strip.group) * kOwned;
        strip.x = strip.x0 - 2 + strip.lane;
        strip.y0 = c.block_y * a.rows;
        strip.first = strip.y0 > s.top ? strip.y0 : s.top;
        strip.last = strip.y0 + a.rows < s.bottom ? strip.y0 + a.rows : s.bottom;
        const bool rows = strip.first < strip.last;
        strip.block_scored = rows && c.block_x * kTileWidth < s.right && (c.block_x + 1) * kTileWidth > s.left;
        strip.scored = C::kBlockInStep ? strip.block_scored : rows && reaches_window(s, strip.x0);
        if (Tiles::kWanted) {
            strip.first = strip.y0;
            strip.last = min_of(strip.y0 + a.rows, a.band_height);
            strip.scored = C::kBlockInStep || strip.x0 < a.band_width;
        }
        u64 high[kSums];
        VMAF_UNROLL
        for (int i = 0; i < kSums; i++) high[i] = 0;
        if (C::kBlockInStep || strip.x0 < a.band_width) walk(c, shared, a, strip, high, tiles);
        tiles.end(c, strip, s, high);
        if (strip.block_scored) add_up<Tiles>(c, shared, a, strip, high); // same for the whole block
    }

  private:
    static VMAF_DEVICE_FN bool reaches_window(const AdmSettings &s, int x0) {
        return x0 < s.right && x0 + kOwned > s.left;
    }

    template <bool kHigh>
    static VMAF_DEVICE_FN void filter_columns(const u32 *above, const u32 *below, int bits, int *out) {
        VMAF_UNROLL
        for (int k = 0; k < 2; k++)
            out[k] = Rows::kBytes ? filter_bytes<kHigh>(above[0], below[0], k != 0)
                                  : filter_samples<kHigh>(above, below, bits, k);
    }
    template <bool kHigh> static VMAF_DEVICE_FN int filter_bytes(u32 above, u32 below, bool second_column) {
        constexpr u32 first = (static_cast<u32>(adm_tap(kHigh, 0)) & 0xffff) | static_cast<u32>(adm_tap(kHigh, 1))
                                                                                   << 16;
        constexpr u32 second = (static_cast<u32>(adm_tap(kHigh, 2)) & 0xffff) | static_cast<u32>(adm_tap(kHigh, 3))
                                                                                    << 16;
        constexpr int start = kHigh ? 128 : 128 - 46342 * 128;
        const int sum = second_column
                            ? C::template dot2<true>(second, below, C::template dot2<true>(first, above, start))
                            : C::template dot2<false>(second, below, C::template dot2<false>(first, above, start));
        return sum >> 8;
    }
    template <bool kHigh>
    static VMAF_DEVICE_FN int filter_samples(const u32 *above, const u32 *below, int bits, int k) {
        constexpr int t0 = adm_tap(kHigh, 0), t1 = adm_tap(kHigh, 1), t2 = adm_tap(kHigh, 2), t3 = adm_tap(kHigh, 3);
        const int a0 = Rows::sample(above, 0, k), a1 = Rows::sample(above, 1, k);
        const int a2 = Rows::sample(below, 0, k), a3 = Rows::sample(below, 1, k);
        if (S >= 2)
            return static_cast<int>((static_cast<i64>(t0) * a0 + static_cast<i64>(t1) * a1 + static_cast<i64>(t2) * a2 +
                                     static_cast<i64>(t3) * a3 + 32768) >>
                                    16);
        // May pass 2^31 on the way at 16 bits; the result does not.
        const u32 sum = static_cast<u32>(t0) * static_cast<u32>(a0) + static_cast<u32>(t1) * static_cast<u32>(a1) +
                        static_cast<u32>(t2) * static_cast<u32>(a2) + static_cast<u32>(t3) * static_cast<u32>(a3);
        if (S == 1) return static_cast<int>(sum);
        return static_cast<int>(sum + ((kHigh ? 1u : 1u - 46342u) << (bits - 1))) >> bits;
    }
    template <bool kHigh> static VMAF_DEVICE_FN int filter_row(const int (&v)[4]) {
        constexpr int t0 = adm_tap(kHigh, 0), t1 = adm_tap(kHigh, 1), t2 = adm_tap(kHigh, 2), t3 = adm_tap(kHigh, 3);
        if (S == 0) return (t0 * v[0] + t1 * v[1] + t2 * v[2] + t3 * v[3] + 32768) >> 16;
        constexpr int shift = S == 2 ? 16 : 15;
        return static_cast<int>((static_cast<i64>(t0) * v[0] + static_cast<i64>(t1) * v[1] +
                                 static_cast<i64>(t2) * v[2] + static_cast<i64>(t3) * v[3] + (1ll << (shift - 1))) >>
                                shift);
    }

    // Vertical passes of one picture: low and high values of the input columns 2x - 1 .. 2x + 2.
    static VMAF_DEVICE_FN void vertical(C &c, const u32 *above, const u32 *below, int bits, bool details, int lane,
                                        int (&low)[4], int (&high)[4]) {
        const int before = (lane - 1) & (C::kGroup - 1), after = (lane + 1) & (C::kGroup - 1);
        filter_columns<false>(above, below, bits, low + 1);
        if (details)
            filter_columns<true>(above, below, bits, high + 1);
        else
            high[1] = high[2] = 0;
        if (S == 0) { // both fit 16 bits
            const u32 u =
                c.shuffle(C::permute_bytes(static_cast<u32>(low[2]), static_cast<u32>(high[2]), 0x5410), before);
            const u32 v =
                c.shuffle(C::permute_bytes(static_cast<u32>(low[1]), static_cast<u32>(high[1]), 0x5410), after);
            low[0] = static_cast<i16>(u);
            high[0] = static_cast<int>(u) >> 16;
            low[3] = static_cast<i16>(v);
            high[3] = static_cast<int>(v) >> 16;
            return;
        }
        low[0] = static_cast<int>(c.shuffle(static_cast<u32>(low[2]), before));
        low[3] = static_cast<int>(c.shuffle(static_cast<u32>(low[1]), after));
        if (details) {
            high[0] = static_cast<int>(c.shuffle(static_cast<u32>(high[2]), before));
            high[3] = static_cast<int>(c.shuffle(static_cast<u32>(high[1]), after));
        } else
            high[0] = high[3] = 0;
    }

    // What a row leaves for the rows after it; for each gain limit restored, then additive.
    struct Masks {
        u32 sums[kParts];          // of three columns' neighbour terms
        u32 surplus[kParts];       // of the centre
        u32 magnitudes[kParts][3]; // M of H, V, D
    };

    template <class Tiles>
    static VMAF_DEVICE_FN void walk(C &c, Shared<SharedMemory> shared, const Args &a, const Strip &strip,
                                    u64 (&high)[kSums], Tiles tiles) {
        const AdmSettings &s = a.settings;
        const int lane = strip.lane, y0 = strip.y0, band_end = min_of(y0 + a.rows, a.band_height);
        // Rows of band A: y0 .. a_end - 1. Rows with details: first - 1 .. last.
        const int a_end = S == 3 ? y0 : band_end;
        int i = strip.scored ? (S == 3 ? strip.first - 1 : min_of(strip.first - 1, y0)) : y0;
        const int end = strip.scored ? max_of(strip.last + 1, a_end) : a_end;
        if (i >= end) return;
        Global<const Sample> ref = static_cast<Global<const Sample>>(a.in.ref_of(c.frame));
        Global<const Sample> dist = static_cast<Global<const Sample>>(a.in.dist_of(c.frame));
        Global<Output> band_ref = a.band.ref + static_cast<u64>(c.frame) * a.band.frame_stride;
        Global<Output> band_dist = a.band.dist + static_cast<u64>(c.frame) * a.band.frame_stride;
        const bool owned = lane >= 2 && lane < C::kGroup - 2 && strip.x < a.band_width;
        const bool inside = owned && strip.x >= s.left && strip.x < s.right;

        // The lane's input columns, folded as section 1 says; both lie in the same pair.
        const int c0 = strip.x < 0 ? 0 : fold_column(2 * strip.x, a.width), c1 = fold_column(2 * strip.x + 1, a.width);
        const u32 column = static_cast<u32>(c0) & ~1u;
        const u32 selector = Rows::selector(static_cast<u32>(c0) & 1, static_cast<u32>(c1) & 1);
        const int left_lane = strip.x == 0 ? lane + 1 : (lane - 1) & (C::kGroup - 1);
        const int right_lane = strip.x == a.band_width - 1 ? lane : (lane + 1) & (C::kGroup - 1);

        int row = fold_row(i, a.band_height);
        u32 above[2][kPacked], below[2][kPacked]; // input rows 2 row - 1, 2 row; 2 row + 1, 2 row + 2
        Rows loaded;
        loaded.load(a, ref, dist, column, 2 * row - 1);
        loaded.pack(selector, above);
        loaded.load(a, ref, dist, column, 2 * row + 1);
        loaded.pack(selector, below);
        Masks before = {{0}, {0}, {{0, 0, 0}}};
        u32 two_before[kParts] = {0};
        for (; i < end; i++) {
            const int next_row = fold_row(i + 1, a.band_height);
            const bool more = i + 1 < end;
            if (more) loaded.load(a, ref, dist, column, 2 * next_row + 1);
            const bool details = strip.scored && i >= strip.first - 1 && i <= strip.last;
            int low[2][4], hi[2][4];
            VMAF_UNROLL
            for (int k = 0; k < 2; k++) vertical(c, above[k], below[k], a.bits, details, lane, low[k], hi[k]);
            if (S < 3 && i >= y0 && i < a_end) {
                const int band0 = filter_row<false>(low[0]), band1 = filter_row<false>(low[1]);
                if (owned) {
                    const u32 at = static_cast<u32>(i) * static_cast<u32>(a.band.pitch) + static_cast<u32>(strip.x);
                    band_ref[at] = static_cast<Output>(band0);
                    band_dist[at] = static_cast<Output>(band1);
                }
            }
            if (details)
                score_row(c, shared, s, strip, i, owned, inside, left_lane, right_lane, low, hi, before, two_before,
                          high, tiles);
            if (more) {
                if (next_row == row + 1) {
                    VMAF_UNROLL
                    for (int k = 0; k < 2; k++) {
                        VMAF_UNROLL
                        for (int n = 0; n < kPacked; n++) above[k][n] = below[k][n];
                    }
                    loaded.pack(selector, below);
                } else { // at the picture's upper and lower edge
                    loaded.pack(selector, below);
                    loaded.load(a, ref, dist, column, 2 * next_row - 1);
                    loaded.pack(selector, above);
                }
                row = next_row;
            }
        }
    }

    static VMAF_DEVICE_FN void add_denominators(const int (&o)[3], const AdmSettings &s, u64 (&high)[kSums],
                                                u32 (&low)[3]) {
        VMAF_UNROLL
        for (int b = 0; b < 3; b++) adm_reference_cube<S>(o[b], s, high[b], low[b]);
    }
    // Of the row before, whose neighbourhood is now complete.
    static VMAF_DEVICE_FN void add_numerators(const u32 (&two_before)[kParts], const Masks &before, const Masks &now,
                                              const AdmSettings &s, u64 (&high)[kSums], u32 (&low)[6 * kGains]) {
        u32 thresholds[kParts];
        VMAF_UNROLL
        for (int k = 0; k < kParts; k++)
            thresholds[k] = two_before[k] + before.sums[k] + now.sums[k] + before.surplus[k];
        VMAF_UNROLL
        for (int k = 0; k < kParts; k += 2) {
            const u32 by_restored = thresholds[k], by_additive = thresholds[k + 1];
            const u32(&restored)[3] = before.magnitudes[k], (&additive)[3] = before.magnitudes[k + 1];
            const int at = 3 * k;
            adm_cube<S, false, kGeneral>(adm_excess<S, false>(restored[0], by_additive), s, high[3 + at], low[at]);
            adm_cube<S, false, kGeneral>(adm_excess<S, false>(restored[1], by_additive), s, high[4 + at], low[at + 1]);
            adm_cube<S, true, kGeneral>(adm_excess<S, true>(restored[2], by_additive), s, high[5 + at], low[at + 2]);
            const u32 x = adm_excess<S, false>(additive[0], by_restored);
            const u32 y = adm_excess<S, false>(additive[1], by_restored);
            const u32 z = adm_excess<S, true>(additive[2], by_restored);
            if (x | y | z) { // seldom
                adm_cube<S, false, kGeneral>(x, s, high[6 + at], low[at + 3]);
                adm_cube<S, false, kGeneral>(y, s, high[7 + at], low[at + 4]);
                adm_cube<S, true, kGeneral>(z, s, high[8 + at], low[at + 5]);
            }
        }
    }

    // Details of band row i: its denominator, and the numerators of row i - 1, whose neighbourhood is now complete.
    template <class Tiles>
    static VMAF_DEVICE_FN void score_row(C &c, Shared<SharedMemory> shared, const AdmSettings &s, const Strip &strip,
                                         int i, bool owned, bool inside, int left_lane, int right_lane,
                                         const int (&low)[2][4], const int (&hi)[2][4], Masks &before,
                                         u32 (&two_before)[kParts], u64 (&high)[kSums], Tiles tiles) {
        const int o[3] = {filter_row<false>(hi[0]), filter_row<true>(low[0]), filter_row<true>(hi[0])};
        const int t[3] = {filter_row<false>(hi[1]), filter_row<true>(low[1]), filter_row<true>(hi[1])};
        const bool enhance = adm_angle<C, S>(o[0], o[1], t[0], t[1]);
        int neighbour[kParts] = {0}, surplus[kParts] = {0};
        Masks now;
        VMAF_UNROLL
        for (int b = 0; b < 3; b++) {
            int r[kGains];
            adm_restored<C, S, kGeneral>(o[b], t[b], enhance, s, r);
            VMAF_UNROLL
            for (int k = 0; k < kParts; k++) {
                const int part = k & 1 ? t[b] - r[k / 2] : r[k / 2];
                now.magnitudes[k][b] = b < 2 ? adm_mask<S, false, kGeneral>(part, s, neighbour[k], surplus[k])
                                             : adm_mask<S, true, kGeneral>(part, s, neighbour[k], surplus[k]);
            }
        }
        if (i >= strip.first && i < strip.last) {
            u32 l[3] = {0, 0, 0};
            if (Tiles::kWanted) {
                if (owned) add_denominators(o, s, high, l);
                tiles.template take<0>(l, inside && i >= s.top && i < s.bottom);
            } else if (inside)
                add_denominators(o, s, high, l);
            store_low_den(c, shared->low[i - strip.y0][strip.group], s, strip.lane, l);
            if (Tiles::kWanted && i + 1 < strip.last) tiles.template end_row<0, 3>(c, strip, s, i, inside, high);
        }
        VMAF_UNROLL
        for (int k = 0; k < kParts; k++) {
            const u32 v = static_cast<u32>(neighbour[k]);
            now.sums[k] = v + c.shuffle(v, left_lane) + c.shuffle(v, right_lane);
            now.surplus[k] = static_cast<u32>(surplus[k]);
        }
        if (i > strip.first) {
            u32 l[6 * kGains] = {0};
            if (Tiles::kWanted) {
                if (owned) add_numerators(two_before, before, now, s, high, l);
                tiles.template take<3>(l, inside && i - 1 >= s.top && i - 1 < s.bottom);
            } else if (inside)
                add_numerators(two_before, before, now, s, high, l);
            store_low_num(c, shared->low[i - 1 - strip.y0][strip.group], strip.lane, l);
            if (Tiles::kWanted && i < strip.last) tiles.template end_row<3, 6>(c, strip, s, i - 1, inside, high);
        }
        VMAF_UNROLL
        for (int k = 0; k < kParts; k++) two_before[k] = before.sums[k];
        before = now;
    }

    // Sums over the group of the low parts of a row.
    static VMAF_DEVICE_FN void store_low_den(C &c, Shared<u32> to, const AdmSettings &s, int lane, const u32 (&l)[3]) {
        if (kGeneral) {
            for (int n = 0; n < 3; n++) {
                const u32 sum = c.group_sum(l[n]);
                if (lane == 0) to[n] = sum;
            }
            return;
        }
        u32 hv = 0, d = 0;
        if (s.den_row_shift) {
            hv = c.group_sum(l[0] | l[1] << 16);
            d = c.group_sum(l[2]);
        }
        if (lane == 0) {
            to[0] = hv;
            to[1] = d;
        }
    }
    static VMAF_DEVICE_FN void store_low_num(C &c, Shared<u32> to, int lane, const u32 (&l)[6 * kGains]) {
        if (kGeneral) {
            for (int n = 0; n < 6 * kGains; n++) {
                const u32 sum = c.group_sum(l[n]);
                if (lane == 0) to[(3 + n) % kLowWords] = sum;
            }
            return;
        }
        u32 pairs[3 * kGains];
        VMAF_UNROLL
        for (int n = 0; n < 3 * kGains; n++) pairs[n] = c.group_sum(l[2 * n] | l[2 * n + 1] << 16);
        if (lane == 0) {
            VMAF_UNROLL
            for (int n = 0; n < 3 * kGains; n++) to[(2 + n) % kLowWords] = pairs[n];
        }
    }
    static VMAF_DEVICE_FN u32 stored_low(Shared<const u32> from, int n) {
        if (kGeneral) return from[n];
        const int word = n < 3 ? n >> 1 : (n + 1) >> 1, shift = n < 3 ? (n & 1) * 16 : ((n + 1) & 1) * 16;
        return from[word] >> shift & 0xffff;
    }

    // Adds the block's sums to the frame's. High parts are just added; low parts must be rounded row by row, so the
    // last block of a strip does that when all have stored theirs.
    template <class Tiles>
    static VMAF_DEVICE_FN void add_up(C &c, Shared<SharedMemory> shared, const Args &a, const Strip &strip,
                                      const u64 (&high)[kSums]) {
        const AdmSettings &s = a.settings;
        if (strip.scored) {
            VMAF_UNROLL
            for (int k = 0; k < kSums; k++) { // in three parts that cannot overflow
                const u64 sum = static_cast<u64>(c.group_sum(static_cast<u32>(high[k]) & 0x3ffffff)) +
                                (static_cast<u64>(c.group_sum(static_cast<u32>(high[k] >> 26) & 0x3ffffff)) << 26) +
                                (static_cast<u64>(c.group_sum(static_cast<u32>(high[k] >> 52))) << 52);
                if (strip.lane == 0) shared->high[strip.group][k] = sum;
            }
        }
        c.barrier();
        Global<u64> sums = a.sums + static_cast<u64>(c.frame) * a.sums_stride;
        if (c.thread < kSums) {
            u64 sum = 0;
            for (int n = 0; n < kGroups; n++)
                if (reaches_window(s, (c.block_x * kGroups + n) * kOwned)) sum += shared->high[n][c.thread];
            if (sum) c.atomic_add(sums + c.thread, sum);
        }
        const int rows = Tiles::last_of(strip, a.rows, s) - Tiles::first_of(strip, s);
        const int first_block = s.left / kTileWidth, blocks = (s.right - 1) / kTileWidth - first_block + 1;
        Global<u32> parts = a.low_parts + static_cast<u64>(c.frame) * a.low_parts_stride;
        for (int item = c.thread; item < rows * kSums; item += kThreads) {
            const int y = item / kSums, k = item % kSums;
            u32 sum = 0;
            for (int n = 0; n < kGroups; n++)
                if (reaches_window(s, (c.block_x * kGroups + n) * kOwned))
                    sum += stored_low(shared->low[Tiles::first_of(strip, s) - strip.y0 + y][n], k);
            if (blocks == 1)
                shared->row_sums[y][k] = sum;
            else
                C::store_fresh(
                    parts + (static_cast<u64>(Tiles::first_of(strip, s) + y) * a.columns + c.block_x) * kSums + k, sum);
        }
        if (blocks > 1) {
            c.fence();
            c.barrier();
            if (c.thread == 0) {
                Global<u32> counter = a.counters + static_cast<u64>(c.frame) * a.counters_stride + c.block_y;
                shared->last = c.atomic_increment(counter) == static_cast<u32>(blocks) - 1;
                if (shared->last) *counter = 0;
            }
            c.barrier();
            if (!shared->last) return;
            c.fence();
            for (int item = c.thread; item < rows * kSums; item += kThreads) {
                const int y = item / kSums, k = item % kSums;
                u32 sum = 0;
                for (int n = 0; n < blocks; n++)
                    sum += C::load_fresh(
                        parts +
                        (static_cast<u64>(Tiles::first_of(strip, s) + y) * a.columns + first_block + n) * kSums + k);
                shared->row_sums[y][k] = sum;
            }
        }
        c.barrier();
        if (c.thread < kSums) {
            const int shift = c.thread < 3 ? s.den_row_shift : s.num_row_shift;
            const u32 round = (1u << shift) >> 1;
            u64 sum = 0;
            for (int y = 0; y < rows; y++) sum += (shared->row_sums[y][c.thread] + round) >> shift;
            if (sum) c.atomic_add(sums + c.thread, sum);
        }
    }

    static VMAF_DEVICE_FN int min_of(int a, int b) { return a < b ? a : b; }
    static VMAF_DEVICE_FN int max_of(int a, int b) { return a > b ? a : b; }
    // Neighbours beyond the band (section 1, 3x3 neighbourhood).
    static VMAF_DEVICE_FN int fold_row(int y, int n) { return y < 0 ? 1 : y >= n ? n - 1 : y; }
    // Input columns; what lies beyond the fold belongs to lanes whose result is not used.
    static VMAF_DEVICE_FN int fold_column(int p, int n) {
        p = p < 0 ? -p : p;
        p = p >= n ? 2 * n - 1 - p : p;
        return p < 0 ? 0 : p;
    }
};

template <class C> using adm_scale0_8 = AdmScale<C, 0, u8, false>;
template <class C> using adm_scale0_16 = AdmScale<C, 0, u16, false>;
template <class C> using adm_scale1 = AdmScale<C, 1, i16, false>;
template <class C> using adm_scale2 = AdmScale<C, 2, int, false>;
template <class C> using adm_scale3 = AdmScale<C, 3, int, false>;
// Under two gain limits.
template <class C> using adm_pair_scale0_8 = AdmScale<C, 0, u8, false, 2>;
template <class C> using adm_pair_scale0_16 = AdmScale<C, 0, u16, false, 2>;
template <class C> using adm_pair_scale1 = AdmScale<C, 1, i16, false, 2>;
template <class C> using adm_pair_scale2 = AdmScale<C, 2, int, false, 2>;
template <class C> using adm_pair_scale3 = AdmScale<C, 3, int, false, 2>;
template <class C> using adm_general_scale0_8 = AdmScale<C, 0, u8, true>;
template <class C> using adm_general_scale0_16 = AdmScale<C, 0, u16, true>;
template <class C> using adm_general_scale1 = AdmScale<C, 1, i16, true>;
template <class C> using adm_general_scale2 = AdmScale<C, 2, int, true>;
template <class C> using adm_general_scale3 = AdmScale<C, 3, int, true>;

} // namespace kernels
} // namespace vmaf
