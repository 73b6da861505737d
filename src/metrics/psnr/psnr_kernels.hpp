// Device kernels of psnr and float_psnr (fidelity.md 2, 3): sums of squared differences. Sums are integers: their order
// does not matter.
#pragma once

#include "device/block_sum.hpp"
#include "metrics/common/ordered_squares_kernel.hpp"
#include "metrics/common/plane_words_kernel.hpp"
#include "metrics/common/tile_map_kernel.hpp"

namespace vmaf {
namespace kernels {

constexpr int kPsnrPlanes = 3;

struct PsnrArgs {
    PicturePlanes planes[kPsnrPlanes];
    int width[kPsnrPlanes], height[kPsnrPlanes];
    int first_block[kPsnrPlanes]; // rows of blocks that begin a plane; planes that are not there: beyond the grid
    FrameArray<u64> sums;         // one per plane
};

// kRounded: each square is rounded to single precision, as float_psnr wants it at 16 bits.
template <class C, class Sample, bool kRounded> struct SquaredErrorKernel {
    using Args = PsnrArgs;
    using Words = PlaneWords<C, Sample>;
    static constexpr int kThreads = 128, kMinBlocks = 4, kGroups = kThreads / C::kGroup;
    static constexpr int kTileWidth = kThreads * Words::kSamples, kTileHeight = 16;
    struct SharedMemory {
        u64 sums[kGroups];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int plane = c.block_y >= a.first_block[2] ? 2 : c.block_y >= a.first_block[1] ? 1 : 0;
        const int x = c.block_x * kTileWidth + c.thread * Words::kSamples;
        const int y = (c.block_y - a.first_block[plane]) * kTileHeight;
        const int width = a.width[plane], rows = a.height[plane] - y < kTileHeight ? a.height[plane] - y : kTileHeight;
        u64 sum = 0;
        if (x < width) {
            const PicturePlanes &planes = a.planes[plane];
            const u64 at = static_cast<u64>(y) * static_cast<u64>(planes.pitch) + static_cast<u64>(x);
            Global<const Sample> ref = static_cast<Global<const Sample>>(planes.ref_of(c.frame)) + at;
            Global<const Sample> dist = static_cast<Global<const Sample>>(planes.dist_of(c.frame)) + at;
            const int count = width - x < Words::kSamples ? width - x : Words::kSamples;
            for (int i = 0; i < rows; i++) {
                sum += squared_error(Words(ref), Words(dist), count);
                ref += planes.pitch;
                dist += planes.pitch;
            }
        }
        const u64 total = block_sum<kThreads>(c, shared->sums, sum);
        if (total) c.atomic_add(a.sums.of(c.frame) + plane, total);
    }

    static VMAF_DEVICE_FN u64 squared_error(const Words &ref, const Words &dist, int count) {
        u64 sum = 0;
        VMAF_UNROLL
        for (int k = 0; k < Words::kSamples; k++) {
            const int error = static_cast<int>(ref.sample(k)) - static_cast<int>(dist.sample(k));
            u64 square = 0;
            if (kRounded) {
                const float value = static_cast<float>(error);
                square = static_cast<u64>(value * value);
            } else {
                const u32 size = magnitude(error);
                square = sizeof(Sample) == 1 ? size * size : static_cast<u64>(size) * size;
            }
            sum += k < count ? square : 0;
        }
        return sum;
    }
};

struct PsnrTilesArgs {
    PsnrArgs all;               // `sums`: of each tile, one per plane
    TileMap tiles[kPsnrPlanes]; // of each plane
};

// The same by tiles. The eight bytes of a thread lie in one: edges are multiples of eight samples, but for the last.
template <class C, class Sample> struct TileErrorKernel {
    using Args = PsnrTilesArgs;
    using All = SquaredErrorKernel<C, Sample, false>;
    using Words = PlaneWords<C, Sample>;
    static constexpr int kThreads = All::kThreads, kMinBlocks = All::kMinBlocks;
    static constexpr int kTileWidth = All::kTileWidth, kTileHeight = All::kTileHeight;
    struct SharedMemory {
        u32 none;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &args) {
        const PsnrArgs &a = args.all;
        const int plane = c.block_y >= a.first_block[2] ? 2 : c.block_y >= a.first_block[1] ? 1 : 0;
        const int x = c.block_x * kTileWidth + c.thread * Words::kSamples;
        const int y = (c.block_y - a.first_block[plane]) * kTileHeight, width = a.width[plane];
        if (x >= width) return;
        const int end = y + kTileHeight < a.height[plane] ? y + kTileHeight : a.height[plane];
        const PicturePlanes &planes = a.planes[plane];
        const u64 at = static_cast<u64>(y) * static_cast<u64>(planes.pitch) + static_cast<u64>(x);
        Global<const Sample> ref = static_cast<Global<const Sample>>(planes.ref_of(c.frame)) + at;
        Global<const Sample> dist = static_cast<Global<const Sample>>(planes.dist_of(c.frame)) + at;
        const int count = width - x < Words::kSamples ? width - x : Words::kSamples;
        const TileMap &tiles = args.tiles[plane];
        Global<u64> sums = a.sums.of(c.frame) + tiles.columns[x] * kPsnrPlanes + plane;
        u64 sum = 0;
        for (int row = y; row < end; row++) {
            sum += All::squared_error(Words(ref), Words(dist), count);
            ref += planes.pitch;
            dist += planes.pitch;
            if (row + 1 < end && tiles.rows[row + 1] == tiles.rows[row]) continue;
            if (sum) c.atomic_add(sums + tiles.rows[row] * tiles.across * kPsnrPlanes, sum);
            sum = 0;
        }
    }
};

template <class C> using squared_error_8 = SquaredErrorKernel<C, u8, false>;
template <class C> using squared_error_16 = SquaredErrorKernel<C, u16, false>;
template <class C> using squared_error_rounded = SquaredErrorKernel<C, u16, true>;
template <class C> using tile_error_8 = TileErrorKernel<C, u8>;
template <class C> using tile_error_16 = TileErrorKernel<C, u16>;

template <class C> using squared_error_in_order = OrderedSquaresKernel<C>;

} // namespace kernels
} // namespace vmaf
