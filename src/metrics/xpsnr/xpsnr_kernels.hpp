// Device kernels of xpsnr: exact sums over blocks, from which the CPU makes the weights and the weighted errors.
#pragma once

#include "device/block_sum.hpp"
#include "metrics/xpsnr/xpsnr_formula.hpp"

namespace vmaf {
namespace kernels {

constexpr int kXpsnrPlanes = 3;
// Of each block: activity in space, activity in time, squared errors of the planes.
enum XpsnrSum { kXpsnrSpatial, kXpsnrTemporal, kXpsnrError, kXpsnrSums = kXpsnrError + kXpsnrPlanes };

struct XpsnrArgs {
    PicturePlanes planes[kXpsnrPlanes];
    FramePlanes before, earlier; // luma of the reference; null: black
    int width[kXpsnrPlanes], height[kXpsnrPlanes];
    int block_width[kXpsnrPlanes], block_height[kXpsnrPlanes];
    int plane_count, columns;   // columns: of blocks
    int margin;                 // 2: large pictures
    int weighted, second_order; // flags
    FrameArray<u64> sums;       // kXpsnrSums for each block, in raster order
};

// A block of threads for each block of samples.
template <class C, class Sample> struct XpsnrKernel {
    using Args = XpsnrArgs;
    static constexpr int kThreads = 256, kMinBlocks = 4, kTileWidth = 0, kTileHeight = 0;
    struct SharedMemory {
        u64 sums[kXpsnrSums];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        for (int i = c.thread; i < kXpsnrSums; i += kThreads) shared->sums[i] = 0;
        c.barrier();
        if (a.weighted) {
            u64 spatial = 0, temporal = 0;
            activity(c, a, spatial, temporal);
            add_to_shared(c, &shared->sums[kXpsnrSpatial], spatial);
            add_to_shared(c, &shared->sums[kXpsnrTemporal], temporal);
        }
        for (int p = 0; p < a.plane_count; p++)
            add_to_shared(c, &shared->sums[kXpsnrError + p], squared_error(c, a, p));
        c.barrier();
        Global<u64> out = a.sums.of(c.frame) + static_cast<u64>(c.block_y * a.columns + c.block_x) * kXpsnrSums;
        for (int i = c.thread; i < kXpsnrSums; i += kThreads) out[i] = shared->sums[i];
    }

  private:
    // A plane that may stand outside of the picture at its lower and right edge, which is repeated there.
    struct Plane {
        Global<const Sample> samples; // null: zeros
        int width, height, pitch;
        VMAF_DEVICE_FN int at(int x, int y) const {
            if (samples == nullptr) return 0;
            x = x < width ? x : width - 1;
            y = y < height ? y : height - 1;
            const Sample v = C::load(samples + static_cast<u64>(y) * static_cast<u64>(pitch) + static_cast<u64>(x));
            return sizeof(Sample) == 1 ? static_cast<int>(v) : static_cast<int>(static_cast<i16>(v)); // 8.1
        }
    };
    struct Around {
        const Plane &plane;
        int x, y;
        VMAF_DEVICE_FN int operator()(int dx, int dy) const { return plane.at(x + dx, y + dy); }
    };

    static VMAF_DEVICE_FN Plane luma(const Args &a, Global<const void> samples) {
        return {static_cast<Global<const Sample>>(samples), a.width[0], a.height[0], a.planes[0].pitch};
    }
    static VMAF_DEVICE_FN int lesser(int p, int q) { return p < q ? p : q; }

    // 3 and 4. In large pictures groups of 2x2 samples count.
    static VMAF_DEVICE_FN void activity(C &c, const Args &a, u64 &spatial, u64 &temporal) {
        const Plane now = luma(a, a.planes[0].ref_of(c.frame)), before = luma(a, a.before.plane[c.frame]),
                    earlier = luma(a, a.earlier.plane[c.frame]);
        const int x0 = c.block_x * a.block_width[0], y0 = c.block_y * a.block_height[0], step = a.margin;
        const int width = lesser(a.block_width[0], now.width - x0), height = lesser(a.block_height[0], now.height - y0);
        const int across = (width + step - 1) / step, groups = across * ((height + step - 1) / step);
        for (int i = c.thread; i < groups; i += kThreads) {
            const int x = x0 + i % across * step, y = y0 + i / across * step;
            if (x >= step && x < now.width - step && y >= step && y < now.height - step) {
                const int filtered =
                    step == 1 ? xpsnr_high_pass(Around{now, x, y}) : xpsnr_large_high_pass(Around{now, x - 2, y - 2});
                spatial += magnitude(filtered);
            }
            int change = 0;
            for (int dy = 0; dy < step; dy++)
                for (int dx = 0; dx < step; dx++) {
                    const int n = now.at(x + dx, y + dy), b = before.at(x + dx, y + dy);
                    change += a.second_order ? xpsnr_change(n, b, earlier.at(x + dx, y + dy)) : xpsnr_change(n, b);
                }
            temporal += magnitude(change);
        }
    }

    static VMAF_DEVICE_FN u64 squared_error(C &c, const Args &a, int p) {
        const int x0 = c.block_x * a.block_width[p], y0 = c.block_y * a.block_height[p];
        const int width = lesser(a.block_width[p], a.width[p] - x0),
                  height = lesser(a.block_height[p], a.height[p] - y0);
        Global<const Sample> ref = static_cast<Global<const Sample>>(a.planes[p].ref_of(c.frame));
        Global<const Sample> dist = static_cast<Global<const Sample>>(a.planes[p].dist_of(c.frame));
        u64 sum = 0;
        for (int i = c.thread; i < width * height; i += kThreads) {
            const u64 at = static_cast<u64>(y0 + i / width) * static_cast<u64>(a.planes[p].pitch) +
                           static_cast<u64>(x0 + i % width);
            const u32 error = magnitude(static_cast<int>(C::load(ref + at)) - static_cast<int>(C::load(dist + at)));
            sum += error * error;
        }
        return sum;
    }
};

template <class C> using xpsnr_blocks_8 = XpsnrKernel<C, u8>;
template <class C> using xpsnr_blocks_16 = XpsnrKernel<C, u16>;

} // namespace kernels
} // namespace vmaf
