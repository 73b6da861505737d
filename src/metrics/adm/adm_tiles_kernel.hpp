// The device kernel of adm with tiles (maps.md 3): the frame's usual sums, and the exact sum of all coefficients' terms
// per tile, including those outside the scored window.
#pragma once

#include "metrics/adm/adm_kernels.hpp"
#include "metrics/common/tile_map_kernel.hpp"

namespace vmaf {
namespace kernels {

template <class Input, class Output> struct AdmTilesArgs {
    AdmArgs<Input, Output> scale;
    TileMap tiles;
    Global<u64> words; // of frame 0: `high` and `low` (maps.md 3) of each sum of this scale in the first tile
    u64 words_stride;  // between frames
    int tile_words;    // between tiles
};

// A lane adds up all its terms, high parts where frames have theirs and low parts here, as long as rows belong to the
// same tiles and all or none count for the frame. The sums of a block's last rows are joined by the whole block;
// earlier ones, which are rare unless tiles are small, by the group.
template <class Scale, class C> struct AdmTiles {
    static constexpr bool kWanted = true;
    static constexpr int kUnit = 8 >> Scale::kScale; // edges of tiles are multiples, except the picture's end
    TileMap tiles;
    Global<u64> words; // of this frame
    int tile_words, band_width;
    Shared<u64> totals, of_frame; // [sum][thread]: for tiles; what earlier rows have for the frame
    u32 *lows;                    // of the lane; below 2^v each, for at most 16 rows

    template <class Strip> static VMAF_DEVICE_FN int first_of(const Strip &strip, const AdmSettings &s) {
        return strip.y0 > s.top ? strip.y0 : s.top;
    }
    template <class Strip> static VMAF_DEVICE_FN int last_of(const Strip &strip, int rows, const AdmSettings &s) {
        return strip.y0 + rows < s.bottom ? strip.y0 + rows : s.bottom;
    }

    // The low parts of a row from sum kFirst on; leaves those that count for the frame.
    template <int kFirst, int kCount> VMAF_DEVICE_FN void take(u32 (&row)[kCount], bool counts) {
        VMAF_UNROLL
        for (int n = 0; n < kCount; n++) {
            lows[kFirst + n] += row[n];
            row[n] = counts ? row[n] : 0;
        }
    }

    // All terms of `row`, which is not the block's last, are in for the sums from kFirst on.
    template <int kFirst, int kCount, class Context, class Strip, int kSums>
    VMAF_DEVICE_FN void end_row(Context &c, const Strip &strip, const AdmSettings &s, int row, bool inside,
                                u64 (&high)[kSums]) {
        const bool ends_tiles = (row + 1) % kUnit == 0 && tiles.rows[row + 1] != tiles.rows[row];
        if (!ends_tiles && row + 1 != s.top && row + 1 != s.bottom) return;
        const bool counts = inside && row >= s.top && row < s.bottom;
        VMAF_UNROLL
        for (int k = kFirst; k < kFirst + kCount; k++) {
            totals[k * Scale::kThreads + c.thread] = total_of(k, high[k], s);
            if (counts) of_frame[k * Scale::kThreads + c.thread] += high[k];
            high[k] = 0;
            lows[k] = 0;
        }
        // Tiles with the group's columns; the block's if all groups stay in step.
        const int from = C::kBlockInStep ? c.block_x * Scale::kTileWidth : strip.x0;
        const int end = from + (C::kBlockInStep ? Scale::kTileWidth : Scale::kOwned);
        const int last_tile = tiles.columns[(end < band_width ? end : band_width) - 1];
        const int own_tile = is_owned(strip) ? tiles.columns[strip.x] : -1;
        for (int tile = tiles.columns[from]; tile <= last_tile; tile++)
            for (int k = kFirst; k < kFirst + kCount; k++) {
                const u64 mine = tile == own_tile ? totals[k * Scale::kThreads + c.thread] : 0;
                const WideSum sum = group_sum(c, mine);
                if (strip.lane == 0) put(c, place(tile, row) + 2 * k, sum);
            }
    }

    // The block's last rows; leaves in `high` what counts for the frame.
    template <class Context, class Strip, int kSums>
    VMAF_DEVICE_FN void end(Context &c, const Strip &strip, const AdmSettings &s, u64 (&high)[kSums]) {
        const int row = strip.last - 1, begin = c.block_x * Scale::kTileWidth;
        const bool counts = is_owned(strip) && strip.x >= s.left && strip.x < s.right && row >= s.top && row < s.bottom;
        VMAF_UNROLL
        for (int k = 0; k < kAdmSums; k++) {
            totals[k * Scale::kThreads + c.thread] = total_of(k, high[k], s);
            high[k] = of_frame[k * Scale::kThreads + c.thread] + (counts ? high[k] : 0);
        }
        c.barrier();
        const int end = begin + Scale::kTileWidth < band_width ? begin + Scale::kTileWidth : band_width;
        const int first_tile = tiles.columns[begin], count = tiles.columns[end - 1] - first_tile + 1;
        for (int item = c.thread; item < count * kAdmSums; item += Scale::kThreads) {
            const int tile = first_tile + item / kAdmSums, k = item % kAdmSums;
            const int from = tiles.starts[tile] > begin ? tiles.starts[tile] - begin : 0;
            const int to = (tiles.starts[tile + 1] < end ? tiles.starts[tile + 1] : end) - begin;
            put(c, place(tile, row) + 2 * k, columns_sum(totals + k * Scale::kThreads, from, to));
        }
    }

  private:
    struct WideSum {
        i64 high;
        u64 low;
    };

    template <class Strip> VMAF_DEVICE_FN bool is_owned(const Strip &strip) const {
        return strip.lane >= 2 && strip.lane < C::kGroup - 2 && strip.x < band_width;
    }
    VMAF_DEVICE_FN u64 total_of(int k, u64 high, const AdmSettings &s) const {
        return (high << (k < 3 ? s.den_row_shift : s.num_row_shift)) + lows[k];
    }
    VMAF_DEVICE_FN Global<u64> place(int tile, int row) const {
        return words + static_cast<u64>(tiles.rows[row] * tiles.across + tile) * static_cast<u64>(tile_words);
    }
    static VMAF_DEVICE_FN void put(C &c, Global<u64> to, const WideSum &sum) {
        if (sum.high) c.atomic_add(to, static_cast<u64>(sum.high));
        if (sum.low) c.atomic_add(to + 1, sum.low);
    }
    static VMAF_DEVICE_FN WideSum group_sum(C &c, u64 mine) { // of signed words
        const u32 low = static_cast<u32>(mine);
        const int high = static_cast<int>(mine >> 32);
        const u64 low_sum = c.group_sum(low & 0xffff) + (static_cast<u64>(c.group_sum(low >> 16)) << 16);
        // Sums of the upper halves wrap to the right value.
        const int upper = static_cast<int>(c.group_sum(static_cast<u32>(high >> 16)));
        return {static_cast<i64>(upper) * 65536 + c.group_sum(static_cast<u32>(high) & 0xffff), low_sum};
    }
    // Of the block's columns from .. to - 1.
    static VMAF_DEVICE_FN WideSum columns_sum(Shared<const u64> of_threads, int from, int to) {
        WideSum sum = {0, 0};
        int lane = from % Scale::kOwned, at = from / Scale::kOwned * C::kGroup + 2 + lane;
        for (int column = from; column < to; column++) {
            const i64 v = static_cast<i64>(of_threads[at]);
            sum.high += v >> 32;
            sum.low += static_cast<u32>(v);
            at++;
            if (++lane < Scale::kOwned) continue;
            lane = 0;
            at += 4;
        }
        return sum;
    }
};

template <class C, int S, class Sample, bool kGeneral> struct AdmTilesScale {
    using Scale = AdmScale<C, S, Sample, kGeneral>;
    using Args = AdmTilesArgs<typename Scale::Input, typename Scale::Output>;
    static constexpr int kThreads = Scale::kThreads, kMinBlocks = Scale::kMinBlocks;
    static constexpr int kTileWidth = Scale::kTileWidth, kTileHeight = 0;
    struct SharedMemory {
        typename Scale::SharedMemory scale;
        u64 totals[kAdmSums * kThreads], of_frame[kAdmSums * kThreads];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args) {
        u32 lows[kAdmSums];
        VMAF_UNROLL
        for (int k = 0; k < kAdmSums; k++) {
            lows[k] = 0;
            shared->of_frame[k * kThreads + c.thread] = 0;
        }
        AdmTiles<Scale, C> tiles;
        tiles.tiles = args.tiles;
        tiles.words = args.words + static_cast<u64>(c.frame) * args.words_stride;
        tiles.tile_words = args.tile_words;
        tiles.band_width = args.scale.band_width;
        tiles.totals = shared->totals;
        tiles.of_frame = shared->of_frame;
        tiles.lows = lows;
        Scale::run(c, &shared->scale, args.scale, tiles);
    }
};

template <class C> using adm_tiles_scale0_8 = AdmTilesScale<C, 0, u8, false>;
template <class C> using adm_tiles_scale0_16 = AdmTilesScale<C, 0, u16, false>;
template <class C> using adm_tiles_scale1 = AdmTilesScale<C, 1, i16, false>;
template <class C> using adm_tiles_scale2 = AdmTilesScale<C, 2, int, false>;
template <class C> using adm_tiles_scale3 = AdmTilesScale<C, 3, int, false>;
template <class C> using adm_tiles_general_scale0_8 = AdmTilesScale<C, 0, u8, true>;
template <class C> using adm_tiles_general_scale0_16 = AdmTilesScale<C, 0, u16, true>;
template <class C> using adm_tiles_general_scale1 = AdmTilesScale<C, 1, i16, true>;
template <class C> using adm_tiles_general_scale2 = AdmTilesScale<C, 2, int, true>;
template <class C> using adm_tiles_general_scale3 = AdmTilesScale<C, 3, int, true>;

} // namespace kernels
} // namespace vmaf
