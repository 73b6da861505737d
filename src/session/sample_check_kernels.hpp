// Device kernel that looks for samples above the depth of the pictures (sample_check.hpp): all planes of all pictures
// of a batch in one launch.
#pragma once

#include "device/kernel.hpp"
#include "metrics/common/plane_words_kernel.hpp"

namespace vmaf {
namespace kernels {

constexpr int kCheckedPlanes = 6; // three of the reference, three of the distorted picture

// What is found in a plane; all 0 at first.
struct SamplesFound {
    u32 first; // 2^32 - 1 less the place of the first sample above the depth, counted row by row; 0: there is none
    u32 value; // of that sample
    u32 has_low_bits; // some sample is not aligned to the top of 16 bits
    u32 finished;     // blocks
};

struct SampleCheckArgs {
    FramePlanes plane[kCheckedPlanes]; // null where nothing reads it
    int width[kCheckedPlanes], height[kCheckedPlanes], pitch[kCheckedPlanes];
    int first_block[kCheckedPlanes]; // row of blocks that begins a plane
    int blocks[kCheckedPlanes];      // of a plane
    int bits;
    FrameArray<u32> found; // kCheckedPlanes times SamplesFound
};

template <class C> struct samples_above_depth {
    using Args = SampleCheckArgs;
    using Words = PlaneWords<C, u16>;
    static constexpr int kThreads = 128, kMinBlocks = 8;
    static constexpr int kTileWidth = kThreads * Words::kSamples, kTileHeight = 16;
    struct SharedMemory {
        u32 has_low_bits;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        int p = 0;
        while (p + 1 < kCheckedPlanes && c.block_y >= a.first_block[p + 1]) p++;
        Global<SamplesFound> found = reinterpret_cast<Global<SamplesFound>>(a.found.of(c.frame)) + p;
        const Global<const u16> plane = static_cast<Global<const u16>>(a.plane[p].plane[c.frame]);
        if (c.thread == 0) shared->has_low_bits = 0;
        c.barrier();
        if (plane) {
            const u32 all = bits_of_tile(c, a, p, plane, found);
            if (all & ((1u << (16 - a.bits)) - 1)) shared->has_low_bits = 1; // all writers write the same
        }
        c.barrier();
        if (c.thread != 0 || !plane) return;
        if (shared->has_low_bits) found->has_low_bits = 1;
        c.fence();
        if (c.atomic_increment(&found->finished) + 1 != static_cast<u32>(a.blocks[p])) return;
        c.fence();
        const u32 first = ~C::load_fresh(&found->first); // the last block knows which one it is
        if (first == ~0u) return;
        const u32 width = static_cast<u32>(a.width[p]);
        found->value = C::load(plane + static_cast<u64>(first / width) * static_cast<u32>(a.pitch[p]) + first % width);
    }

  private:
    // All bits that samples of this thread have; places of those above the depth are reported on the way.
    static VMAF_DEVICE_FN u32 bits_of_tile(C &c, const Args &a, int p, Global<const u16> plane,
                                           Global<SamplesFound> found) {
        const int x = c.block_x * kTileWidth + c.thread * Words::kSamples,
                  begin = (c.block_y - a.first_block[p]) * kTileHeight;
        const int left = a.width[p] - x, count = left < Words::kSamples ? left : Words::kSamples;
        const int end = a.height[p] - begin < kTileHeight ? a.height[p] : begin + kTileHeight;
        u32 all = 0, first = ~0u;
        if (count <= 0) return 0;
        for (int y = begin; y < end; y++) {
            const Words words(plane + static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(a.pitch[p]) + x);
            u32 row = 0;
            VMAF_UNROLL
            for (int k = 0; k < Words::kSamples; k++) row |= k < count ? words.sample(k) : 0;
            all |= row;
            if (row >> a.bits && first == ~0u) {
                int k = 0;
                while (words.sample(k) >> a.bits == 0) k++;
                first = static_cast<u32>(y) * static_cast<u32>(a.width[p]) + static_cast<u32>(x + k);
            }
        }
        if (first != ~0u) c.atomic_max(&found->first, ~first);
        return all;
    }
};

} // namespace kernels
} // namespace vmaf
