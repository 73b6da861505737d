// Device kernels of CAMBI that make images: from luma to 10-bit levels with their mask (cambi.md 5 to 7), and the mode
// filter with decimation (8). Level and mask of a pixel share a word, its "code".
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

constexpr u32 kCambiMaskBit = 0x8000; // of a code: the pixel is looked at
constexpr u32 kCambiLevelBits = 0x7ff;
constexpr int kCambiScales = 5;
constexpr int kCambiBins = 4096, kCambiMiddleBins = 256, kCambiLowBins = 128;

// What the pooling of one scale of one frame keeps between launches; all 0 at first.
struct CambiPool {
    u64 sum;         // of values in higher bins
    u32 take;        // how many values the bin of the K-th largest one adds
    u32 top, middle; // that bin, once it is known
    u32 finished[3]; // blocks, by round
    u32 bins[kCambiBins];
    u32 middle_bins[kCambiMiddleBins];
    u32 low_bins[kCambiLowBins];
};
VMAF_DEVICE_FN Global<CambiPool> cambi_pool(const FrameArray<u64> &pools, int frame, int scale) {
    return reinterpret_cast<Global<CambiPool>>(pools.of(frame)) + scale;
}

struct CambiPrepareArgs {
    FramePlanes luma;
    FrameArray<u16> codes;
    FrameArray<u64> pools;           // one CambiPool per scale: cleared for later
    Global<const int> columns, rows; // source positions; null where the picture has the target's size
    int luma_pitch, pitch;           // samples
    int width, height;               // of the target
    int bits, threshold;             // of the mask
    int remove_dither;
};

template <class C, class Sample> struct CambiPrepareKernel {
    using Args = CambiPrepareArgs;
    static constexpr int kThreads = 256, kMinBlocks = 4;
    static constexpr int kTileWidth = 64, kTileHeight = 32;
    static constexpr int kRadius = 3; // the mask looks at squares of 7x7
    // Levels reach one sample further to the right and down than flags, raw samples one further than levels.
    static constexpr int kFlagWidth = kTileWidth + 2 * kRadius, kFlagHeight = kTileHeight + 2 * kRadius;
    static constexpr int kLevelWidth = kFlagWidth + 1, kLevelHeight = kFlagHeight + 1;
    static constexpr int kRawWidth = kLevelWidth + 1, kRawHeight = kLevelHeight + 1;
    struct SharedMemory {
        u16 raw[kRawHeight * kRawWidth];
        u16 level[kLevelHeight * kLevelWidth];
        u8 flat[kFlagHeight * kFlagWidth];
        u8 sum[kFlagHeight * kTileWidth]; // of seven flags of a row
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        const int left = x0 - kRadius, top = y0 - kRadius;
        if (c.block_x == 0 && c.block_y < kCambiScales) clear_pools(c, a);
        Global<const Sample> luma = static_cast<Global<const Sample>>(a.luma.plane[c.frame]);
        for (int i = c.thread; i < kRawHeight * kRawWidth; i += kThreads) {
            const int x = left + i % kRawWidth, y = top + i / kRawWidth;
            if (x >= 0 && x < a.width && y >= 0 && y < a.height) s->raw[i] = static_cast<u16>(sample(a, luma, x, y));
        }
        c.barrier();
        for (int i = c.thread; i < kLevelHeight * kLevelWidth; i += kThreads) {
            const int i_x = i % kLevelWidth, i_y = i / kLevelWidth;
            s->level[i] = static_cast<u16>(
                level(s->raw + i_y * kRawWidth + i_x, left + i_x < a.width - 1, top + i_y < a.height - 1, a));
        }
        c.barrier();
        for (int i = c.thread; i < kFlagHeight * kFlagWidth; i += kThreads) {
            const int i_x = i % kFlagWidth, i_y = i / kFlagWidth, x = left + i_x, y = top + i_y;
            Shared<const u16> at = s->level + i_y * kLevelWidth + i_x;
            const bool inside = x >= 0 && x < a.width && y >= 0 && y < a.height;
            const bool as_right = x >= a.width - 1 || at[0] == at[1];
            const bool as_below = y >= a.height - 1 || at[0] == at[kLevelWidth];
            s->flat[i] = inside && as_right && as_below;
        }
        c.barrier();
        for (int i = c.thread; i < kFlagHeight * kTileWidth; i += kThreads) {
            Shared<const u8> at = s->flat + i / kTileWidth * kFlagWidth + i % kTileWidth;
            s->sum[i] = static_cast<u8>(at[0] + at[1] + at[2] + at[3] + at[4] + at[5] + at[6]);
        }
        c.barrier();
        Global<u16> codes = a.codes.of(c.frame);
        for (int i = c.thread; i < kTileHeight * kTileWidth; i += kThreads) {
            const int i_x = i % kTileWidth, i_y = i / kTileWidth;
            if (x0 + i_x >= a.width || y0 + i_y >= a.height) continue;
            int sum = 0;
            VMAF_UNROLL
            for (int k = 0; k < 2 * kRadius + 1; k++) sum += s->sum[i + k * kTileWidth];
            const u32 at_level = s->level[(i_y + kRadius) * kLevelWidth + i_x + kRadius];
            codes[static_cast<u64>(static_cast<u32>(y0 + i_y)) * static_cast<u32>(a.pitch) +
                  static_cast<u32>(x0 + i_x)] = static_cast<u16>(at_level | (sum > a.threshold ? kCambiMaskBit : 0));
        }
    }

  private:
    // Each of the first rows of blocks clears one; pictures with fewer rows leave several to the first.
    static VMAF_DEVICE_FN void clear_pools(C &c, const Args &a) {
        const int rows = (a.height + kTileHeight - 1) / kTileHeight;
        for (int number = c.block_y; number < kCambiScales; number += rows) {
            Global<u32> words = reinterpret_cast<Global<u32>>(cambi_pool(a.pools, c.frame, number));
            for (int i = c.thread; i < static_cast<int>(sizeof(CambiPool) / sizeof(u32)); i += kThreads) words[i] = 0;
        }
    }

    // In 10 bits (section 5); above that depth the top codes round up to 1024.
    static VMAF_DEVICE_FN u32 sample(const Args &a, Global<const Sample> luma, int x, int y) {
        if (a.columns) {
            x = C::load(a.columns + x);
            y = C::load(a.rows + y);
        }
        const u32 v = C::load(luma + static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(a.luma_pitch) +
                              static_cast<u32>(x));
        if (sizeof(Sample) == 1) return v << 2;
        return a.bits <= 10 ? v << (10 - a.bits) : (v + (1u << (a.bits - 11))) >> (a.bits - 10);
    }

    // Section 6.
    static VMAF_DEVICE_FN u32 level(Shared<const u16> raw, bool has_right, bool has_below, const Args &a) {
        if (!a.remove_dither) return raw[0];
        const u32 here = raw[0], right = raw[1], below = raw[kRawWidth], corner = raw[kRawWidth + 1];
        if (has_right && has_below) return (here + right + below + corner) >> 2;
        if (has_below) return (here + below) >> 1;
        return has_right ? (here + right) >> 1 : here;
    }
};

template <class C> using cambi_prepare_8 = CambiPrepareKernel<C, u8>;
template <class C> using cambi_prepare_16 = CambiPrepareKernel<C, u16>;

struct CambiModeArgs {
    FrameArray<const u16> from;
    FrameArray<u16> to;
    int from_pitch, to_pitch;
    int step;          // 2: the image is decimated first
    int width, height; // of the result
};

// Each thread walks down some rows of a column and keeps three horizontally filtered samples.
template <class C> struct cambi_mode {
    using Args = CambiModeArgs;
    static constexpr int kThreads = 256, kMinBlocks = 4, kRows = 8;
    static constexpr int kTileWidth = 64, kTileHeight = kThreads / kTileWidth * kRows;
    struct SharedMemory {};

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int x = c.block_x * kTileWidth + c.thread % kTileWidth;
        const int y0 = c.block_y * kTileHeight + c.thread / kTileWidth * kRows;
        if (x >= a.width || y0 >= a.height) return;
        Global<const u16> from = a.from.of(c.frame) + static_cast<u32>(x * a.step);
        Global<u16> to = a.to.of(c.frame) + static_cast<u32>(x);
        const bool filters = a.height >= 3, inside = x > 0 && x < a.width - 1;
        u32 above = y0 > 0 ? along(from, y0 - 1, inside, a).filtered : 0;
        Pixel here = along(from, y0, inside, a);
        for (int y = y0; y < y0 + kRows && y < a.height; y++) {
            const Pixel below = y + 1 < a.height ? along(from, y + 1, inside, a) : here;
            u32 code = here.code;
            if (filters && y > 0 && y < a.height - 1) // the first and the last row stay as they are
                code = (code & kCambiMaskBit) | mode_of_three(above, here.filtered, below.filtered);
            to[static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(a.to_pitch)] = static_cast<u16>(code);
            above = here.filtered;
            here = below;
        }
    }

  private:
    struct Pixel {
        u32 code, filtered;
    };
    static VMAF_DEVICE_FN Pixel along(Global<const u16> from, int y, bool inside, const Args &a) {
        Global<const u16> row = from + static_cast<u64>(static_cast<u32>(y * a.step)) * static_cast<u32>(a.from_pitch);
        const u32 code = C::load(row), level = code & kCambiLevelBits;
        if (!inside) return {code, level};
        return {code,
                mode_of_three(C::load(row - a.step) & kCambiLevelBits, level, C::load(row + a.step) & kCambiLevelBits)};
    }
    static VMAF_DEVICE_FN u32 mode_of_three(u32 a, u32 b, u32 c) {
        const u32 ab = a < b ? a : b, least = ab < c ? ab : c;
        return b == c ? b : a == b || a == c ? a : least;
    }
};

} // namespace kernels
} // namespace vmaf
