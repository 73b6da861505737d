// Device kernels of vif with tiles (maps.md 2): a block's sums go to the tiles that it touches. Their total is the
// frame's.
#pragma once

#include "metrics/common/tile_map_kernel.hpp"
#include "metrics/vif/vif_kernels.hpp"

namespace vmaf {
namespace kernels {

template <class Input> struct VifTilesArgs {
    VifArgs<Input> scale; // `sums`: of this scale in the first tile
    TileMap tiles;
    int tile_words; // between tiles
};

template <class C, int S, class Samples, class Input> struct VifTiles {
    using Scale = VifScale<C, S, Samples, Input>;
    using Args = VifTilesArgs<Input>;
    static constexpr int kThreads = Scale::kThreads, kMinBlocks = Scale::kMinBlocks;
    static constexpr int kTileWidth = Scale::kTileWidth, kTileHeight = Scale::kTileHeight;
    // Edges and blocks are at multiples of kUnit; `kRun` neighbouring pixels of a thread are in one tile.
    static constexpr int kUnit = 16 >> S, kRun = kUnit < 8 ? kUnit : 8;
    static constexpr int kAcross = most_tiles(kTileWidth, kUnit), kTiles = kAcross * most_tiles(kTileHeight, kUnit);
    // num_log, den_log, low and high part of num_flat, den_flat
    static constexpr int kWords = 5, kLowBits = 20;

    struct SharedMemory {
        typename Scale::SharedMemory scale;
        u32 sums[kTiles][kWords];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args) {
        const VifArgs<Input> &a = args.scale;
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        for (int i = c.thread; i < kTiles * kWords; i += kThreads) shared->sums[i / kWords][i % kWords] = 0;
        for (int i = c.thread; i < kVifLogTableSize / 8; i += kThreads)
            put(reinterpret_cast<Shared<Words4>>(shared->scale.log_table) + i,
                fetched(reinterpret_cast<Global<const Words4>>(a.log_table) + i));
        if (c.thread < Scale::kColumns) Scale::vertical(c, &shared->scale, a, x0, y0);
        c.barrier();
        const int first_column = args.tiles.columns[x0], first_row = args.tiles.rows[y0];
        for (int item = c.thread; item < kTileHeight * Scale::kSegments; item += kThreads) {
            const int row = item % kTileHeight, column = item / kTileHeight * 8, x = x0 + column;
            if (y0 + row >= a.height || x >= a.width) continue;
            VifVariances v[8];
            Scale::variances(&shared->scale, row, column, v);
            const u32 valid = Scale::valid_pixels(x, a.width);
            const int tile_row = (args.tiles.rows[y0 + row] - first_row) * kAcross - first_column;
            const int last = x + 8 <= a.width ? x + 7 : a.width - 1;
            const int length = args.tiles.columns[x] == args.tiles.columns[last] ? 8 : kRun;
            for (int run = 0; run < 8 && x + run < a.width; run += length) {
                VifVariances copy[8];
                VMAF_UNROLL
                for (int j = 0; j < 8; j++) copy[j] = v[j];
                VifTerms<1> terms = {{0}, 0, 0, 0};
                VifEight<C, 1, C::kFastF64>::run(copy, valid & ((1u << length) - 1) << run, shared->scale.log_table,
                                                 a.limits, terms);
                add(c, shared->sums[tile_row + args.tiles.columns[x + run]], terms);
            }
        }
        if (S < 3) Scale::next_level(c, &shared->scale, a, x0, y0);
        c.barrier();
        store(c, shared, args, x0, y0);
    }

  private:
    static VMAF_DEVICE_FN void add(C &c, Shared<u32> sums, const VifTerms<1> &terms) {
        if (terms.num_log[0]) c.shared_add(sums, terms.num_log[0]);
        if (terms.den_log) c.shared_add(sums + 1, terms.den_log);
        const u32 low = static_cast<u32>(terms.num_flat) & ((1u << kLowBits) - 1);
        const u32 high = static_cast<u32>(terms.num_flat >> kLowBits);
        if (low) c.shared_add(sums + 2, low);
        if (high) c.shared_add(sums + 3, high);
        if (terms.den_flat) c.shared_add(sums + 4, terms.den_flat);
    }

    static VMAF_DEVICE_FN void store(C &c, Shared<SharedMemory> shared, const Args &args, int x0, int y0) {
        const VifArgs<Input> &a = args.scale;
        const int x_last = (x0 + kTileWidth < a.width ? x0 + kTileWidth : a.width) - 1;
        const int y_last = (y0 + kTileHeight < a.height ? y0 + kTileHeight : a.height) - 1;
        const int first_column = args.tiles.columns[x0], first_row = args.tiles.rows[y0];
        const int across = args.tiles.columns[x_last] - first_column + 1;
        const int down = args.tiles.rows[y_last] - first_row + 1;
        Global<u64> frame = a.sums + static_cast<u64>(c.frame) * a.sums_stride;
        for (int i = c.thread; i < across * down * 4; i += kThreads) {
            const int word = i % 4, column = i / 4 % across, row = i / 4 / across;
            Shared<const u32> from = shared->sums[row * kAcross + column];
            const u64 sum = word == 2 ? from[2] + (static_cast<u64>(from[3]) << kLowBits) : from[word < 2 ? word : 4];
            const int tile = (first_row + row) * args.tiles.across + first_column + column;
            if (sum) c.atomic_add(frame + static_cast<u64>(tile) * static_cast<u64>(args.tile_words) + word, sum);
        }
    }
};

// 8-bit pictures with byte matrices: a unit of 16 x 16 pixels lies in one tile.
template <class C> struct VifMatrixTiles {
    using Scale = VifMatrixScale0<C, 1>;
    using Args = VifTilesArgs<PicturePlanes>;
    using SharedMemory = typename Scale::SharedMemory;
    static constexpr int kThreads = Scale::kThreads, kMinBlocks = Scale::kMinBlocks;
    static constexpr int kTileWidth = Scale::kTileWidth, kTileHeight = Scale::kTileHeight;

    struct Tiles {
        const Args &args;
        VMAF_DEVICE_FN void take_unit(C &c, int x, int y, VifTerms<1> &terms) const {
            const int lane = c.thread % C::kGroup;
            const u32 num_log = c.group_sum(terms.num_log[0]), den_log = c.group_sum(terms.den_log);
            const u32 den_flat = c.group_sum(terms.den_flat);
            const u64 num_flat = c.group_sum(static_cast<u32>(terms.num_flat) & 0xffffff) +
                                 (static_cast<u64>(c.group_sum(static_cast<u32>(terms.num_flat >> 24))) << 24);
            const u64 sum = lane == 0 ? num_log : lane == 1 ? den_log : lane == 2 ? num_flat : den_flat;
            const int tile = args.tiles.rows[y] * args.tiles.across + args.tiles.columns[x];
            if (lane < 4 && sum)
                c.atomic_add(args.scale.sums + static_cast<u64>(c.frame) * args.scale.sums_stride +
                                 static_cast<u64>(tile) * static_cast<u64>(args.tile_words) + lane,
                             sum);
            c.converge();
            terms = {{0}, 0, 0, 0};
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args) {
        VifTerms<1> terms = {{0}, 0, 0, 0};
        Scale::walk(c, shared, args.scale, terms, Tiles{args});
    }
};

template <class C>
using vif_tiles_scale0_8 = Select<C::kByteMatrix, VifMatrixTiles<C>, VifTiles<C, 0, VifSamples8, PicturePlanes>>;
template <class C> using vif_tiles_scale0_15 = VifTiles<C, 0, VifSamples9To15, PicturePlanes>;
template <class C> using vif_tiles_scale0_16 = VifTiles<C, 0, VifSamples16, PicturePlanes>;
template <class C> using vif_tiles_scale1 = VifTiles<C, 1, VifSamples16, ScratchPlanes<u16>>;
template <class C> using vif_tiles_scale2 = VifTiles<C, 2, VifSamples16, ScratchPlanes<u16>>;
template <class C> using vif_tiles_scale3 = VifTiles<C, 3, VifSamples16, ScratchPlanes<u16>>;

} // namespace kernels
} // namespace vmaf
