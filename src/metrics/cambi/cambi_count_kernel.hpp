// Device kernel of CAMBI's c-values (cambi.md 8). A block walks down a tile. Each column of the tile and of the window
// around it has a histogram over the rows of the window, one byte a level, which one pixel that enters and one that
// leaves change per row. Along a row a group of lanes, each with a few neighbouring levels, slides the sum over the
// window's columns; the counts of every pixel go to shared memory, where the lane that owns the pixel looks up its
// level and the contrast steps around it. Only kLevels levels are counted at a time; where a tile has more, it is
// walked again for the rest.
#pragma once

#include "metrics/cambi/cambi_image_kernels.hpp"

namespace vmaf {
namespace kernels {

constexpr int kCambiMaxSteps = 32;
constexpr int kCambiMaxRadius = 32;

struct CambiScale {
    int width, height, pitch;
    int tiles_across, first_tile; // blocks of the launch
    u64 codes, c_values;          // offsets in a frame's memory
};

struct CambiCountArgs {
    FrameArray<const u16> codes;
    FrameArray<u32> c_values; // patterns of floats, rows without padding
    Global<const float> reciprocal;
    CambiScale scale[kCambiScales];
    int radius, steps;
    int lowest_query, highest_query, dark_limit;
    // In pictures so thin that the window extends beyond a coarse scale, the rest of the canvas holds the values of
    // finer scales, and before those the target's own codes.
    int full_width, full_height, full_pitch;
    int limits[kCambiMaxSteps + 1], weights[kCambiMaxSteps + 1];
};

// kMaxRadius: of the window; smaller ones leave room for more blocks.
template <class C, int kLevels, int kMaxRadius> struct CambiCountKernel {
    using Args = CambiCountArgs;
    static constexpr int kThreads =
        (kLevels + 4) * (64 + 2 * kMaxRadius) + (kLevels + 3) * 128 <= C::kSharedBytes ? 64 : 32;
    static constexpr int kMinBlocks = 12, kTileWidth = kThreads, kTileHeight = 32;
    static constexpr int kColumns = kTileWidth + 2 * kMaxRadius;
    static constexpr int kPerLane = kLevels / C::kGroup; // neighbouring levels
    static_assert(kPerLane == 1 || kPerLane == 2 || kPerLane == 4, "a lane reads 8, 16 or 32 bits");
    static constexpr int kColumnBytes = kLevels + 4;
    static constexpr int kCountStride = kLevels + 2; // of a pixel; an odd number of words
    struct SharedMemory {
        alignas(4) u8 histogram[kColumns * kColumnBytes];
        alignas(4) u16 counts[kTileWidth * kCountStride];
        u32 lowest;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        int number = 0;
        while (number + 1 < kCambiScales && c.block_x >= a.scale[number + 1].first_tile) number++;
        const CambiScale &scale = a.scale[number];
        const int tile = c.block_x - scale.first_tile;
        Place p;
        p.x0 = tile % scale.tiles_across * kTileWidth;
        p.y0 = tile / scale.tiles_across * kTileHeight;
        p.end = p.y0 + kTileHeight < scale.height ? p.y0 + kTileHeight : scale.height;
        p.number = number;
        p.codes = a.codes.of(c.frame);
        p.window_columns = window_end(scale.width, a.radius, a.full_width);
        p.window_rows = window_end(scale.height, a.radius, a.full_height);

        bool first = true;
        for (u32 from = static_cast<u32>(a.lowest_query);; first = false) {
            const u32 lowest = lowest_level(c, s, a, p, from);
            if (lowest > static_cast<u32>(a.highest_query)) break;
            walk(c, s, a, p, static_cast<int>(lowest), first);
            from = lowest + answered(a);
        }
        if (first) clear(c, a, p);
    }

  private:
    struct Place {
        int x0, y0, end, number;
        Global<const u16> codes;
        int window_columns, window_rows; // of the canvas that windows reach
    };

    // Pixels less than this many levels above the lowest find all levels that they need.
    static VMAF_DEVICE_FN u32 answered(const Args &a) { return static_cast<u32>(kLevels - 2 * a.steps); }

    static VMAF_DEVICE_FN int window_end(int side, int radius, int full) {
        const int end = side > radius ? side : radius;
        return end < full ? end : full;
    }

    static VMAF_DEVICE_FN Global<const u16> row_of(const Args &a, const Place &p, int y) {
        const CambiScale &scale = a.scale[p.number];
        return p.codes + scale.codes + static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(scale.pitch);
    }

    // Of the canvas: outside the scale it still holds the finest scale that last reached there.
    static VMAF_DEVICE_FN u32 code_at(const Args &a, const Place &p, int x, int y) {
        for (int n = p.number; n >= 0; n--) {
            const CambiScale &scale = a.scale[n];
            if (x < scale.width && y < scale.height)
                return C::load(p.codes + scale.codes +
                               static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(scale.pitch) +
                               static_cast<u32>(x));
        }
        return C::load(p.codes + static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(a.full_pitch) +
                       static_cast<u32>(x));
    }

    static VMAF_DEVICE_FN Global<u32> c_row(C &c, const Args &a, const Place &p, int y) {
        const CambiScale &scale = a.scale[p.number];
        return a.c_values.of(c.frame) + scale.c_values +
               static_cast<u64>(static_cast<u32>(y)) * static_cast<u32>(scale.width);
    }

    static VMAF_DEVICE_FN void clear(C &c, const Args &a, const Place &p) {
        const int x = p.x0 + c.thread;
        if (x >= a.scale[p.number].width) return;
        for (int y = p.y0; y < p.end; y++) c_row(c, a, p, y)[x] = 0;
    }

    // The lowest level from `from` on that a pixel of the tile looks up.
    static VMAF_DEVICE_FN u32 lowest_level(C &c, Shared<SharedMemory> s, const Args &a, const Place &p, u32 from) {
        c.barrier();
        if (c.thread == 0) s->lowest = ~0u;
        c.barrier();
        const int x = p.x0 + c.thread;
        u32 lowest = ~0u;
        if (x < a.scale[p.number].width)
            for (int y = p.y0; y < p.end; y++) {
                const u32 code = C::load(row_of(a, p, y) + x), level = code & kCambiLevelBits;
                if ((code & kCambiMaskBit) && level >= from && level < lowest) lowest = level;
            }
        if (lowest <= static_cast<u32>(a.highest_query)) C::shared_min(&s->lowest, lowest);
        c.barrier();
        return s->lowest;
    }

    // Adds `change` to the histograms of the tile's columns for row y of the canvas. A thread has one or two columns.
    static VMAF_DEVICE_FN void change_row(C &c, Shared<SharedMemory> s, const Args &a, const Place &p, int y, int base,
                                          int change) {
        for (int column = c.thread; column < kTileWidth + 2 * a.radius; column += kThreads) {
            const int x = p.x0 - a.radius + column;
            if (x < 0 || x >= p.window_columns) continue;
            const u32 code = code_at(a, p, x, y);
            const int level = static_cast<int>(code & kCambiLevelBits) - base;
            if (!(code & kCambiMaskBit) || level < 0 || level >= kLevels) continue;
            Shared<u8> at = s->histogram + column * kColumnBytes + level;
            *at = static_cast<u8>(*at + change);
        }
    }

    // c-values of all pixels of the tile from level `lowest` on; `first` also writes zeros for the others.
    static VMAF_DEVICE_FN void walk(C &c, Shared<SharedMemory> s, const Args &a, const Place &p, int lowest,
                                    bool first) {
        const int base = lowest - a.steps;
        Shared<u32> words = reinterpret_cast<Shared<u32>>(s->histogram);
        for (int i = c.thread; i < kColumns * kColumnBytes / 4; i += kThreads) words[i] = 0;
        c.barrier();
        const int top = p.y0 - a.radius > 0 ? p.y0 - a.radius : 0;
        for (int y = top; y < p.y0 + a.radius && y < p.window_rows; y++) change_row(c, s, a, p, y, base, 1);
        const int lane = c.thread % C::kGroup, start = c.thread - lane;
        const int x = p.x0 + c.thread, width = a.scale[p.number].width;
        for (int y = p.y0; y < p.end; y++) {
            if (y + a.radius < p.window_rows) change_row(c, s, a, p, y + a.radius, base, 1);
            if (y > p.y0 && y - a.radius - 1 >= 0) change_row(c, s, a, p, y - a.radius - 1, base, -1);
            const u32 code = x < width ? C::load(row_of(a, p, y) + x) : 0;
            const int level = static_cast<int>(code & kCambiLevelBits);
            const bool asks = (code & kCambiMaskBit) && level >= lowest && level <= a.highest_query &&
                              level < lowest + static_cast<int>(answered(a));
            const u64 asking = c.ballot(asks);
            c.barrier();
            if (asking) slide(s, a, lane, start + first_bit(asking), start + last_bit(asking));
            c.barrier();
            if (asks || (first && x < width)) {
                const float value = asks ? c_value(a, s->counts + c.thread * kCountStride + (level - base), level) : 0;
                c_row(c, a, p, y)[x] = C::bits(value);
            }
        }
    }

    static VMAF_DEVICE_FN int first_bit(u64 v) {
        const u32 low = static_cast<u32>(v), high = static_cast<u32>(v >> 32);
        return low ? 31 - C::leading_zeros(low & (0u - low)) : 63 - C::leading_zeros(high & (0u - high));
    }
    static VMAF_DEVICE_FN int last_bit(u64 v) {
        const u32 high = static_cast<u32>(v >> 32);
        return high ? 63 - C::leading_zeros(high) : 31 - C::leading_zeros(static_cast<u32>(v));
    }

    // Counts of the lane's levels, two per word.
    struct Counts {
        u32 even, odd;
    };
    static VMAF_DEVICE_FN Counts column(Shared<const u8> at) {
        if (kPerLane == 1) return {*at, 0};
        if (kPerLane == 2) return {C::permute_bytes(*reinterpret_cast<Shared<const u16>>(at), 0, 0x4140), 0};
        const u32 four = *reinterpret_cast<Shared<const u32>>(at);
        return {C::permute_bytes(four, 0, 0x4140), C::permute_bytes(four, 0, 0x4342)};
    }

    // Counts of the windows around pixels first .. last of the tile's row.
    static VMAF_DEVICE_FN void slide(Shared<SharedMemory> s, const Args &a, int lane, int first, int last) {
        Shared<const u8> leaves = s->histogram + first * kColumnBytes + lane * kPerLane, enters = leaves;
        Counts sum = {0, 0};
        for (int i = 0; i < 2 * a.radius + 1; i++, enters += kColumnBytes) {
            const Counts more = column(enters);
            sum.even += more.even;
            sum.odd += more.odd;
        }
        Shared<u16> counts = s->counts + first * kCountStride + lane * kPerLane;
        for (int i = first;;) {
            if (kPerLane == 1)
                *counts = static_cast<u16>(sum.even);
            else
                *reinterpret_cast<Shared<u32>>(counts) = sum.even;
            if (kPerLane == 4) reinterpret_cast<Shared<u32>>(counts)[1] = sum.odd;
            if (++i > last) break;
            const Counts more = column(enters), less = column(leaves);
            sum.even += more.even - less.even;
            if (kPerLane == 4) sum.odd += more.odd - less.odd;
            enters += kColumnBytes;
            leaves += kColumnBytes;
            counts += kCountStride;
        }
    }

    static VMAF_DEVICE_FN float c_value(const Args &a, Shared<const u16> counts, int level) {
        const int p0 = counts[0];
        float c = 0.0f;
        for (int d = 1; d <= a.steps; d++) {
            if (level > a.limits[d] || level + a.steps + d <= a.dark_limit) continue;
            const int above = counts[d], below = counts[-d], q = above > below ? above : below;
            const float value = static_cast<float>(a.weights[d] * p0 * q) * C::load(a.reciprocal + p0 + q);
            c = value > c ? value : c;
        }
        return c;
    }
};

// Up to 8 contrast steps with windows up to 33 and 65 pixels, and up to 32 steps.
constexpr int kCambiSmallRadius = 16;
template <class C> using cambi_count_small = CambiCountKernel<C, 64, kCambiSmallRadius>;
template <class C> using cambi_count_64 = CambiCountKernel<C, 64, kCambiMaxRadius>;
template <class C> using cambi_count_128 = CambiCountKernel<C, 128, kCambiMaxRadius>;

} // namespace kernels
} // namespace vmaf
