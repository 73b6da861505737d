// Device kernel of the fixed-point motion (motion.md 2.3): blur of the difference of two reference pictures, sum of its
// magnitudes. A group of lanes walks down a strip; a lane owns four columns, the outer lanes only help their
// neighbours.
#pragma once

#include "device/kernel.hpp"
#include "metrics/motion/motion_taps.hpp"

namespace vmaf {
namespace kernels {

struct MotionArgs {
    FramePlanes earlier, current;
    Global<u64> sums; // of frame 0
    u64 sums_stride;
    int width, height, pitch; // samples
    int bits;
};

// kWide: 16-bit samples, whose vertical sums need more than 32 bits.
template <class C, class Sample, bool kWide> struct MotionKernel {
    using Args = MotionArgs;
    static constexpr int kThreads = 128, kMinBlocks = 4, kGroups = kThreads / C::kGroup;
    static constexpr int kGroupWidth = 4 * (C::kGroup - 2); // columns that a group scores
    static constexpr int kTileWidth = kGroupWidth * kGroups, kTileHeight = 8;
    static constexpr bool kBytes = sizeof(Sample) == 1;
    struct SharedMemory {
        u32 sums[kGroups];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int lane = c.thread % C::kGroup, group = c.thread / C::kGroup;
        const int start = (c.block_x * kGroups + group) * kGroupWidth;
        u32 sad = 0;
        if (C::kBlockInStep || start < a.width) sad = strip(c, a, lane, start, c.block_y * kTileHeight);
        if (lane == 0) shared->sums[group] = sad;
        c.barrier();
        if (c.thread != 0) return;
        u64 sum = 0;
        for (int i = 0; i < kGroups; i++) sum += shared->sums[i];
        if (sum) c.atomic_add(a.sums + static_cast<u64>(c.frame) * a.sums_stride, sum);
    }

  private:
    static VMAF_DEVICE_FN int reflect(int i, int n) {
        i = i < 0 ? -i : i;
        i = i >= n ? 2 * n - 2 - i : i;
        return i < 0 ? 0 : i;
    }

    // Differences of four columns of one row, earlier minus current.
    static VMAF_DEVICE_FN void differences(Global<const Sample> earlier, Global<const Sample> current, bool at_edge,
                                           int x, const int (&folded)[4], int (&d)[4]) {
        if (at_edge) {
            VMAF_UNROLL
            for (int k = 0; k < 4; k++)
                d[k] = static_cast<int>(C::load(earlier + folded[k])) - static_cast<int>(C::load(current + folded[k]));
        } else if (kBytes) {
            const u32 p = C::load(reinterpret_cast<Global<const u32>>(earlier + x));
            const u32 q = C::load(reinterpret_cast<Global<const u32>>(current + x));
            VMAF_UNROLL
            for (int k = 0; k < 4; k++)
                d[k] = static_cast<int>(p >> (8 * k) & 255) - static_cast<int>(q >> (8 * k) & 255);
        } else {
            const Words2 p = C::load(reinterpret_cast<Global<const Words2>>(earlier + x));
            const Words2 q = C::load(reinterpret_cast<Global<const Words2>>(current + x));
            VMAF_UNROLL
            for (int k = 0; k < 4; k++)
                d[k] = static_cast<int>(p.v[k >> 1] >> (16 * (k & 1)) & 0xffff) -
                       static_cast<int>(q.v[k >> 1] >> (16 * (k & 1)) & 0xffff);
        }
    }

    static VMAF_DEVICE_FN u32 strip(C &c, const Args &a, int lane, int start, int y0) {
        const int x = start - 4 + 4 * lane, bits = kBytes ? 8 : kWide ? 16 : a.bits;
        const bool at_edge = start < 4 || start + kGroupWidth + 4 > a.width; // same for the group
        Global<const Sample> earlier = static_cast<Global<const Sample>>(a.earlier.plane[c.frame]);
        Global<const Sample> current = static_cast<Global<const Sample>>(a.current.plane[c.frame]);
        int folded[4];
        VMAF_UNROLL
        for (int k = 0; k < 4; k++) folded[k] = reflect(x + k, a.width);
        int d[kTileHeight + 4][4];
        VMAF_UNROLL
        for (int i = 0; i < kTileHeight + 4; i++) {
            const int row = y0 - 2 + i < a.height + 2 ? reflect(y0 - 2 + i, a.height) : a.height - 1;
            const u64 at = static_cast<u32>(row) * static_cast<u32>(a.pitch);
            differences(earlier + at, current + at, at_edge, x, folded, d[i]);
        }
        using Sum = Select<kWide, i64, int>;
        u32 sad = 0;
        VMAF_UNROLL
        for (int i = 0; i < kTileHeight; i++) {
            int v[8]; // columns x - 2 .. x + 5
            VMAF_UNROLL
            for (int k = 0; k < 4; k++)
                v[k + 2] = static_cast<int>((static_cast<Sum>(motion_tap(2)) * (d[i][k] + d[i + 4][k]) +
                                             static_cast<Sum>(motion_tap(1)) * (d[i + 1][k] + d[i + 3][k]) +
                                             static_cast<Sum>(motion_tap(0)) * d[i + 2][k] + (1 << (bits - 1))) >>
                                            bits);
            const int left = (lane - 1) & (C::kGroup - 1), right = (lane + 1) & (C::kGroup - 1);
            v[0] = static_cast<int>(c.shuffle(static_cast<u32>(v[4]), left));
            v[1] = static_cast<int>(c.shuffle(static_cast<u32>(v[5]), left));
            v[6] = static_cast<int>(c.shuffle(static_cast<u32>(v[2]), right));
            v[7] = static_cast<int>(c.shuffle(static_cast<u32>(v[3]), right));
            if (y0 + i < a.height) {
                VMAF_UNROLL
                for (int k = 0; k < 4; k++) {
                    const i64 sum = static_cast<i64>(motion_tap(2)) * (v[k] + v[k + 4]) +
                                    static_cast<i64>(motion_tap(1)) * (v[k + 1] + v[k + 3]) +
                                    static_cast<i64>(motion_tap(0)) * v[k + 2] + 32768;
                    const u32 u = magnitude(static_cast<int>(sum >> 16));
                    if (lane > 0 && lane < C::kGroup - 1 && x + k < a.width) sad += u;
                }
            }
        }
        return c.group_sum(sad);
    }
};

template <class C> using motion_8 = MotionKernel<C, u8, false>;
template <class C> using motion_15 = MotionKernel<C, u16, false>;
template <class C> using motion_16 = MotionKernel<C, u16, true>;

} // namespace kernels
} // namespace vmaf
