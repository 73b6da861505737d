// vif for pictures with a side below 16 samples, where a level may be shorter than its filter (repeated reflection,
// vif.md 2.4) or have one row or column (quirks A and B, 2.10). One thread per pixel.
#pragma once

#include "device/kernel.hpp"
#include "metrics/vif/vif_kernels.hpp"
#include "metrics/vif/vif_pixel_kernel.hpp"

namespace vmaf {
namespace kernels {

struct VifThinArgs {
    FramePlanes ref, dist;             // the scored level
    FramePlanes finer_ref, finer_dist; // the next finer level; read only at scale 3
    FramePlanes next_ref, next_dist;   // the level to make; not at scale 3
    Global<u64> sums;
    u64 sums_stride;
    Global<const u16> log_table;
    VifGainLimits<1> limits;
    u32 taps[9], next_taps[9]; // by distance from the centre
    int radius, next_radius;
    int bytes_per_sample, mean_shift, product_shift; // of the level
    int width, height, pitch, finer_width, finer_height, finer_pitch, next_pitch;
    int scale;
};

template <class C> struct vif_thin {
    using Args = VifThinArgs;
    struct SharedMemory {
        alignas(16) u16 log_table[kVifLogTableSize];
    };
    static constexpr int kThreads = 64, kMinBlocks = 1, kTileWidth = 64, kTileHeight = 1;

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        for (int i = c.thread; i < kVifLogTableSize; i += kThreads) shared->log_table[i] = a.log_table[i];
        c.barrier();
        const int x = c.block_x * kTileWidth + c.thread, y = c.block_y;
        if (x >= a.width) return;
        const Level level = {a.ref.plane[c.frame], a.dist.plane[c.frame], a.width, a.height, a.pitch,
                             a.bytes_per_sample};
        const Level finer = {
            a.finer_ref.plane[c.frame], a.finer_dist.plane[c.frame], a.finer_width, a.finer_height, a.finer_pitch, 2};
        score(c, shared, a, level, finer, x, y);
        if (a.scale < 3 && x < a.width / 2 && y < a.height / 2) make_next(c, a, level, x, y);
    }

  private:
    struct Level {
        Global<const void> ref, dist;
        int width, height, pitch, bytes;
        VMAF_DEVICE_FN u32 sample(bool of_dist, int x, int y) const {
            Global<const void> plane = of_dist ? dist : ref;
            const u64 at = static_cast<u64>(y) * static_cast<u64>(pitch) + static_cast<u64>(x);
            return bytes == 1 ? static_cast<Global<const u8>>(plane)[at] : static_cast<Global<const u16>>(plane)[at];
        }
    };
    struct Column { // the five vertically filtered values
        u32 m1, m2;
        u64 rr, dd, rd;
    };

    static VMAF_DEVICE_FN int reflect(int i, int n) { // n >= 2
        while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
        return i;
    }

    static VMAF_DEVICE_FN void add_row(Column &sum, u32 tap, u32 r, u32 d) {
        sum.m1 += tap * r;
        sum.m2 += tap * d;
        sum.rr += static_cast<u64>(tap) * (static_cast<u64>(r) * r);
        sum.dd += static_cast<u64>(tap) * (static_cast<u64>(d) * d);
        sum.rd += static_cast<u64>(tap) * (static_cast<u64>(r) * d);
    }
    static VMAF_DEVICE_FN Column rounded(Column sum, int mean_shift, int product_shift) {
        sum.m1 = (sum.m1 + (1u << (mean_shift - 1))) >> mean_shift;
        sum.m2 = (sum.m2 + (1u << (mean_shift - 1))) >> mean_shift;
        const u64 round = (1ull << product_shift) >> 1;
        sum.rr = (sum.rr + round) >> product_shift;
        sum.dd = (sum.dd + round) >> product_shift;
        sum.rd = (sum.rd + round) >> product_shift;
        return sum;
    }
    static VMAF_DEVICE_FN Column column(const Args &a, const Level &level, const Level &finer, int x, int y) {
        Column sum = {0, 0, 0, 0, 0};
        for (int k = -a.radius; k <= a.radius; k++) {
            const bool borrowed = level.height == 1 && k != 0; // quirk A
            const Level &from = borrowed ? finer : level;
            const int row = borrowed ? 1 : level.height == 1 ? 0 : reflect(y + k, level.height);
            add_row(sum, a.taps[k < 0 ? -k : k], from.sample(false, x, row), from.sample(true, x, row));
        }
        return rounded(sum, a.mean_shift, a.product_shift);
    }
    // Column 1 of the last row of the finer level, filtered with that level's (scale 2) taps: quirk B.
    static VMAF_DEVICE_FN Column borrowed_column(const Level &finer) {
        Column sum = {0, 0, 0, 0, 0};
        for (int k = -2; k <= 2; k++) {
            const int row = reflect(finer.height - 1 + k, finer.height);
            add_row(sum, vif_tap<2>(k < 0 ? -k : k), finer.sample(false, 1, row), finer.sample(true, 1, row));
        }
        return rounded(sum, 16, 16);
    }

    static VMAF_DEVICE_FN void score(C &c, Shared<SharedMemory> shared, const Args &a, const Level &level,
                                     const Level &finer, int x, int y) {
        u32 m1 = 0, m2 = 0;
        u64 xx = 32768, yy = 32768, xy = 32768;
        for (int k = -a.radius; k <= a.radius; k++) {
            const Column v = level.width == 1 && k != 0
                                 ? borrowed_column(finer)
                                 : column(a, level, finer, level.width == 1 ? 0 : reflect(x + k, level.width), y);
            const u32 tap = a.taps[k < 0 ? -k : k];
            m1 += tap * v.m1;
            m2 += tap * v.m2;
            xx += tap * v.rr;
            yy += tap * v.dd;
            xy += tap * v.rd;
        }
        VifTerms<1> terms = {{0}, 0, 0, 0};
        const VifVariances v =
            vif_variances(m1, m2, static_cast<u32>(xx >> 16), static_cast<u32>(yy >> 16), static_cast<u32>(xy >> 16));
        vif_pixel<C>(v, shared->log_table, a.limits, terms);
        Global<u64> sums = a.sums + static_cast<u64>(c.frame) * a.sums_stride;
        c.atomic_add(sums, terms.num_log[0]);
        c.atomic_add(sums + 1, terms.den_log);
        c.atomic_add(sums + 2, terms.num_flat);
        c.atomic_add(sums + 3, terms.den_flat);
    }

    static VMAF_DEVICE_FN void make_next(C &c, const Args &a, const Level &level, int x, int y) {
        for (int picture = 0; picture < 2; picture++) {
            u32 sum = 32768;
            for (int k = -a.next_radius; k <= a.next_radius; k++) {
                u32 v = 1u << (a.mean_shift - 1);
                for (int j = -a.next_radius; j <= a.next_radius; j++)
                    v += a.next_taps[j < 0 ? -j : j] *
                         level.sample(picture != 0, reflect(2 * x + k, level.width), reflect(2 * y + j, level.height));
                sum += a.next_taps[k < 0 ? -k : k] * (v >> a.mean_shift);
            }
            const FramePlanes &planes = picture ? a.next_dist : a.next_ref;
            Global<u16> out = static_cast<Global<u16>>(const_cast<Global<void>>(planes.plane[c.frame]));
            out[static_cast<u64>(y) * static_cast<u64>(a.next_pitch) + static_cast<u64>(x)] =
                static_cast<u16>(sum >> 16);
        }
    }
};

} // namespace kernels
} // namespace vmaf
