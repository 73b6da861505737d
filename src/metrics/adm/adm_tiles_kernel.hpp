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

// A lane's sums for its current tile: over the rows of a block they stay below 2^63.
struct AdmTileTerms {
    i64 sums[kAdmSums];
    i64 denominators[2][3]; // of the previous row, which ends with this one, and of this row
};

template <class Scale> struct AdmTiles {
    static constexpr bool kWanted = true;
    TileMap tiles;
    Global<u64> words; // of this frame
    int tile_words, band_width;
    AdmTileTerms *terms;

    template <class Strip> static VMAF_DEVICE_FN int first_of(const Strip &strip, const AdmSettings &s) {
        return strip.y0 > s.top ? strip.y0 : s.top;
    }
    template <class Strip> static VMAF_DEVICE_FN int last_of(const Strip &strip, int rows, const AdmSettings &s) {
        return strip.y0 + rows < s.bottom ? strip.y0 + rows : s.bottom;
    }

    // Terms are multiples of 2^shift plus a remainder.
    VMAF_DEVICE_FN void take_denominators(const u64 (&high)[kAdmSums], const u32 (&low)[3], int shift) {
        VMAF_UNROLL
        for (int b = 0; b < 3; b++) {
            terms->denominators[0][b] = terms->denominators[1][b];
            terms->denominators[1][b] = static_cast<i64>((high[b] << shift) + low[b]);
        }
    }
    VMAF_DEVICE_FN void take_numerators(const u64 (&high)[kAdmSums], const u32 (&low)[6], int shift) {
        VMAF_UNROLL
        for (int n = 0; n < 6; n++) terms->sums[3 + n] += static_cast<i64>((high[3 + n] << shift) + low[n]);
    }
    // All terms of `row` are in. `last`: last of the block.
    template <class C, class Strip> VMAF_DEVICE_FN void end_row(C &c, const Strip &strip, int row, bool last) {
        VMAF_UNROLL
        for (int b = 0; b < 3; b++) terms->sums[b] += last ? terms->denominators[1][b] : terms->denominators[0][b];
        if (!last && tiles.rows[row + 1] == tiles.rows[row]) return;
        // Tiles with the group's columns; the block's if all groups stay in step.
        const int from = C::kBlockInStep ? c.block_x * Scale::kTileWidth : strip.x0;
        const int end = from + (C::kBlockInStep ? Scale::kTileWidth : Scale::kOwned);
        const int last_tile = tiles.columns[(end < band_width ? end : band_width) - 1];
        const bool owned = strip.lane >= 2 && strip.lane < C::kGroup - 2 && strip.x < band_width;
        const int own_tile = owned ? tiles.columns[strip.x] : -1;
        for (int tile = tiles.columns[from]; tile <= last_tile; tile++) {
            Global<u64> to = words + static_cast<u64>(tiles.rows[row] * tiles.across + tile) * tile_words;
            VMAF_UNROLL
            for (int k = 0; k < kAdmSums; k++) add(c, to + 2 * k, strip.lane, tile == own_tile ? terms->sums[k] : 0);
        }
        VMAF_UNROLL
        for (int k = 0; k < kAdmSums; k++) terms->sums[k] = 0;
    }

  private:
    // Adds the group's sum to the two words of `to`.
    template <class C> static VMAF_DEVICE_FN void add(C &c, Global<u64> to, int lane, i64 mine) {
        const u32 low = static_cast<u32>(mine);
        const int high = static_cast<int>(mine >> 32);
        const u64 low_sum = c.group_sum(low & 0xffff) + (static_cast<u64>(c.group_sum(low >> 16)) << 16);
        // For signed words: sums of the upper halves wrap to the right value.
        const int upper = static_cast<int>(c.group_sum(static_cast<u32>(high >> 16)));
        const i64 high_sum = static_cast<i64>(upper) * 65536 + c.group_sum(static_cast<u32>(high) & 0xffff);
        if (lane != 0) return;
        if (high_sum) c.atomic_add(to, static_cast<u64>(high_sum));
        if (low_sum) c.atomic_add(to + 1, low_sum);
    }
};

template <class C, int S, class Sample, bool kGeneral> struct AdmTilesScale {
    using Scale = AdmScale<C, S, Sample, kGeneral>;
    using Args = AdmTilesArgs<typename Scale::Input, typename Scale::Output>;
    using SharedMemory = typename Scale::SharedMemory;
    static constexpr int kThreads = Scale::kThreads, kMinBlocks = 3;
    static constexpr int kTileWidth = Scale::kTileWidth, kTileHeight = 0;

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args) {
        AdmTileTerms terms;
        for (int k = 0; k < kAdmSums; k++) terms.sums[k] = 0;
        for (int b = 0; b < 3; b++) terms.denominators[0][b] = terms.denominators[1][b] = 0;
        AdmTiles<Scale> tiles;
        tiles.tiles = args.tiles;
        tiles.words = args.words + static_cast<u64>(c.frame) * args.words_stride;
        tiles.tile_words = args.tile_words;
        tiles.band_width = args.scale.band_width;
        tiles.terms = &terms;
        Scale::run(c, shared, args.scale, tiles);
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
