// Device kernels that make pictures of what a decoder left in the device's memory: samples of all components to planes,
// and the sums that thumbnails of luma are made of (alignment.hpp).
#pragma once

#include "device/block_sum.hpp"

namespace vmaf {
namespace kernels {

constexpr int kSurfacePlanes = 3;

// A component as it lies there; the same as ComponentView, in the machine's byte order.
struct SurfaceComponent {
    Global<const u8> first; // null: the plane is not wanted
    i64 across, down;       // bytes
    int is_straight;        // samples are neighbours, and eight of them may be read at once where rows are that long
};

struct SurfaceArgs {
    SurfaceComponent from[kSurfacePlanes];
    Global<void> to[kSurfacePlanes];
    Global<const u16> table[kSurfacePlanes]; // of a change of range; null: none
    int pitch[kSurfacePlanes];               // samples
    int width[kSurfacePlanes], height[kSurfacePlanes];
    int first_block[kSurfacePlanes]; // row of blocks that begins a plane
    int is_wide;                     // samples of two bytes
    int right, left;                 // shifts of a sample, in this order
    u32 mask;                        // of its bits, between the shifts
};

template <class C, class Sample> struct SurfaceKernel {
    using Args = SurfaceArgs;
    static constexpr int kSamples = 8; // of a thread, side by side
    static constexpr int kThreads = 128, kMinBlocks = 8;
    static constexpr int kThreadsAcross = 32, kRows = kThreads / kThreadsAcross;
    static constexpr int kTileWidth = kThreadsAcross * kSamples, kTileHeight = 16;
    struct SharedMemory {
        u32 nothing;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int p = c.block_y >= a.first_block[2] ? 2 : c.block_y >= a.first_block[1] ? 1 : 0;
        const int x = c.block_x * kTileWidth + c.thread % kThreadsAcross * kSamples;
        const int top = (c.block_y - a.first_block[p]) * kTileHeight;
        const int end = a.height[p] - top < kTileHeight ? a.height[p] : top + kTileHeight;
        if (x >= a.width[p]) return;
        for (int y = top + c.thread / kThreadsAcross; y < end; y += kRows) {
            u32 samples[kSamples];
            fetch(a, p, x, y, samples);
            VMAF_UNROLL
            for (int k = 0; k < kSamples; k++) {
                samples[k] = (samples[k] >> a.right & a.mask) << a.left;
                if (a.table[p]) samples[k] = C::load(a.table[p] + samples[k]);
            }
            store(static_cast<Global<Sample>>(a.to[p]) + static_cast<i64>(y) * a.pitch[p] + x, samples);
        }
    }

  private:
    // As they are stored. After the width of the plane: 0.
    static VMAF_DEVICE_FN void fetch(const Args &a, int p, int x, int y, u32 *samples) {
        const SurfaceComponent &from = a.from[p];
        Global<const u8> at = from.first + y * from.down + x * from.across;
        const int count = a.width[p] - x < kSamples ? a.width[p] - x : kSamples;
        if (from.is_straight && count == kSamples) {
            const Words2 low = C::load(reinterpret_cast<Global<const Words2>>(at));
            if (a.is_wide) {
                const Words2 high = C::load(reinterpret_cast<Global<const Words2>>(at + 8));
                VMAF_UNROLL
                for (int k = 0; k < 4; k++) {
                    samples[k] = low.v[k / 2] >> (16 * (k % 2)) & 0xffff;
                    samples[k + 4] = high.v[k / 2] >> (16 * (k % 2)) & 0xffff;
                }
            } else {
                VMAF_UNROLL
                for (int k = 0; k < kSamples; k++) samples[k] = low.v[k / 4] >> (8 * (k % 4)) & 0xff;
            }
            return;
        }
        VMAF_UNROLL
        for (int k = 0; k < kSamples; k++) {
            samples[k] = 0;
            if (k < count) samples[k] = a.is_wide ? C::load(reinterpret_cast<Global<const u16>>(at)) : C::load(at);
            if (k < count) at += from.across;
        }
    }

    // Rows of pictures begin at multiples of 32 samples and go on up to one.
    static VMAF_DEVICE_FN void store(Global<u8> at, const u32 *samples) {
        Words2 words;
        VMAF_UNROLL
        for (int i = 0; i < 2; i++)
            words.v[i] = samples[4 * i] | samples[4 * i + 1] << 8 | samples[4 * i + 2] << 16 | samples[4 * i + 3] << 24;
        put(reinterpret_cast<Global<Words2>>(at), words);
    }
    static VMAF_DEVICE_FN void store(Global<u16> at, const u32 *samples) {
        Words4 words;
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) words.v[i] = samples[2 * i] | samples[2 * i + 1] << 16;
        put(reinterpret_cast<Global<Words4>>(at), words);
    }
};

template <class C> using surface_to_8 = SurfaceKernel<C, u8>;
template <class C> using surface_to_16 = SurfaceKernel<C, u16>;

struct LumaBlocksArgs {
    Global<const void> plane;
    int pitch; // samples
    int width, height;
    int columns, rows; // of blocks of the picture: the grid
    int row_step;      // rows that are looked at
    Global<u64> sums;  // row by row
};

// One group of threads for each block of the picture.
template <class C, class Sample> struct LumaBlocksKernel {
    using Args = LumaBlocksArgs;
    static constexpr int kThreads = 64, kMinBlocks = 8, kGroups = kThreads / C::kGroup;
    static constexpr int kTileWidth = 0, kTileHeight = 0;
    struct SharedMemory {
        u64 sums[kGroups];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int left = begin_of(a.width, c.block_x, a.columns), right = end_of(a.width, c.block_x, a.columns);
        const int top = begin_of(a.height, c.block_y, a.rows), bottom = end_of(a.height, c.block_y, a.rows);
        u64 sum = 0;
        for (int y = top; y < bottom; y += a.row_step) {
            Global<const Sample> row = static_cast<Global<const Sample>>(a.plane) + static_cast<i64>(y) * a.pitch;
            for (int x = left + c.thread; x < right; x += kThreads) sum += C::load(row + x);
        }
        const u64 total = block_sum<kThreads>(c, shared->sums, sum);
        if (c.thread == 0) a.sums[c.block_y * a.columns + c.block_x] = total;
    }

  private:
    static VMAF_DEVICE_FN int begin_of(int size, int block, int blocks) { return size * block / blocks; }
    static VMAF_DEVICE_FN int end_of(int size, int block, int blocks) {
        const int end = size * (block + 1) / blocks, least = begin_of(size, block, blocks) + 1;
        return end > least ? end : least;
    }
};

template <class C> using luma_blocks_8 = LumaBlocksKernel<C, u8>;
template <class C> using luma_blocks_16 = LumaBlocksKernel<C, u16>;

} // namespace kernels
} // namespace vmaf
