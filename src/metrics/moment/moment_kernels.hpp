// Device kernels of float_moment (fidelity.md 4): sums of samples and of their squares, in integers.
#pragma once

#include "device/block_sum.hpp"
#include "metrics/common/ordered_squares_kernel.hpp"
#include "metrics/common/plane_words_kernel.hpp"

namespace vmaf {
namespace kernels {

struct MomentArgs {
    PicturePlanes in;
    int width, height;
    FrameArray<u64> ref_first, ref_second, dist_first, dist_second;
};

// kRounded: each square is rounded to single precision.
template <class C, class Sample, bool kRounded> struct MomentKernel {
    using Args = MomentArgs;
    using Words = PlaneWords<C, Sample>;
    static constexpr int kThreads = 128, kMinBlocks = 4;
    static constexpr int kTileWidth = kThreads * Words::kSamples, kTileHeight = 16;
    struct SharedMemory {
        u64 sums[4];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        if (c.thread < 4) shared->sums[c.thread] = 0;
        c.barrier();
        const int x = c.block_x * kTileWidth + c.thread * Words::kSamples, y = c.block_y * kTileHeight;
        for (int picture = 0; picture < 2; picture++) {
            u64 first = 0, second = 0;
            if (x < a.width) add_up(c, a, picture, x, y, first, second);
            add_to_shared(c, &shared->sums[2 * picture], first);
            add_to_shared(c, &shared->sums[2 * picture + 1], second);
        }
        c.barrier();
        if (c.thread >= 4) return;
        const FrameArray<u64> &to = c.thread == 0   ? a.ref_first
                                    : c.thread == 1 ? a.ref_second
                                    : c.thread == 2 ? a.dist_first
                                                    : a.dist_second;
        c.atomic_add(to.of(c.frame), shared->sums[c.thread]);
    }

  private:
    static VMAF_DEVICE_FN void add_up(C &c, const Args &a, int picture, int x, int y, u64 &first, u64 &second) {
        Global<const Sample> row =
            static_cast<Global<const Sample>>(picture ? a.in.dist_of(c.frame) : a.in.ref_of(c.frame)) +
            static_cast<u64>(y) * static_cast<u64>(a.in.pitch) + static_cast<u64>(x);
        const int rows = a.height - y < kTileHeight ? a.height - y : kTileHeight;
        for (int i = 0; i < rows; i++) {
            const Words words(row);
            VMAF_UNROLL
            for (int k = 0; k < Words::kSamples; k++) {
                const u32 v = x + k < a.width ? words.sample(k) : 0;
                const float value = static_cast<float>(v);
                first += v;
                second += kRounded ? static_cast<u64>(value * value) : static_cast<u64>(v * v);
            }
            row += a.in.pitch;
        }
    }
};

template <class C> using moment_8 = MomentKernel<C, u8, false>;
template <class C> using moment_12 = MomentKernel<C, u16, false>;
template <class C> using moment_16 = MomentKernel<C, u16, true>;
template <class C> using moment_in_order = OrderedSquaresKernel<C>;

} // namespace kernels
} // namespace vmaf
