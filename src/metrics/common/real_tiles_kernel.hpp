// Sums of terms in memory by tiles (maps.md 6), as doubles: each row of a tile from left to right, then the rows from
// top to bottom, so that they have the CPU's bits.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

constexpr int kMaxTileSums = 9; // of a launch

// The terms of a sum: bits of f64, or f32 where `doubles` is null.
struct TileTerms {
    FrameArray<u64> doubles;
    FrameArray<float> floats;
    u32 across, down;                // from a column to the next, from a row to the next
    Global<const int> columns, rows; // first samples of the tiles, then the end
};

struct RealTilesArgs {
    TileTerms terms[kMaxTileSums];
    int count;            // of sums
    int tiles_across;     // block_y: rows of tiles, `count` for each
    u64 tiles;            // all of them
    FrameArray<u64> sums; // bits of f64: of all tiles, for each sum
};

// A thread adds a row of a tile; a block has as many tiles of a row of tiles as fit.
template <class C> struct RealTilesKernel {
    using Args = RealTilesArgs;
    using f64 = typename C::f64;
    static constexpr int kThreads = 128, kMinBlocks = 8, kTileWidth = kThreads, kTileHeight = 0;
    static constexpr int kAtOnce = 8; // loads under way
    struct SharedMemory {
        u64 rows[kThreads];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int which = c.block_y % a.count, tile_row = c.block_y / a.count;
        const TileTerms &terms = a.terms[which];
        const int top = C::load(terms.rows + tile_row), height = C::load(terms.rows + tile_row + 1) - top;
        if (height == 0) return;
        const int at_once = height < kThreads ? height : kThreads; // rows
        const int columns = kThreads / at_once;                    // tiles of a block
        const int first = c.block_x * columns;
        if (first >= a.tiles_across) return;
        const int column = c.thread / at_once, row = c.thread % at_once;
        const bool has_tile = column < columns && first + column < a.tiles_across;
        const bool is_adder = c.thread < columns && first + c.thread < a.tiles_across;
        f64 total(0);
        for (int y = 0; y < height; y += at_once) {
            if (has_tile && y + row < height)
                shared->rows[c.thread] = C::bits(row_sum(terms, c.frame, first + column, top + y + row));
            c.barrier();
            const int rows = height - y < at_once ? height - y : at_once;
            if (is_adder)
                for (int i = 0; i < rows; i++) total = total + C::f64_from(shared->rows[c.thread * at_once + i]);
            c.barrier();
        }
        if (is_adder)
            a.sums.of(c.frame)[static_cast<u64>(which) * a.tiles +
                               static_cast<u64>(tile_row * a.tiles_across + first + c.thread)] = C::bits(total);
    }

  private:
    struct Floats {
        Global<const float> terms;
        VMAF_DEVICE_FN f64 operator()(u64 at) const { return f64(C::load(terms + at)); }
    };
    struct Doubles {
        Global<const u64> terms;
        VMAF_DEVICE_FN f64 operator()(u64 at) const { return C::f64_from(C::load(terms + at)); }
    };

    static VMAF_DEVICE_FN f64 row_sum(const TileTerms &terms, int frame, int tile, int y) {
        const int left = C::load(terms.columns + tile), count = C::load(terms.columns + tile + 1) - left;
        const u64 at = static_cast<u64>(left) * terms.across + static_cast<u64>(y) * terms.down;
        if (terms.doubles.first != nullptr) return added_up(Doubles{terms.doubles.of(frame) + at}, terms.across, count);
        return added_up(Floats{terms.floats.of(frame) + at}, terms.across, count);
    }
    template <class Terms> static VMAF_DEVICE_FN f64 added_up(const Terms &terms, u64 step, int count) {
        f64 sum(0);
        int x = 0;
        for (; x + kAtOnce <= count; x += kAtOnce) {
            f64 some[kAtOnce];
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) some[i] = terms(static_cast<u64>(x + i) * step);
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) sum = sum + some[i];
        }
        for (; x < count; x++) sum = sum + terms(static_cast<u64>(x) * step);
        return sum;
    }
};

template <class C> using real_tiles_sums = RealTilesKernel<C>;

} // namespace kernels
} // namespace vmaf
