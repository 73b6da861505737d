// Device kernels of float_motion (motion.md 3): blur of two pictures, differences along lines, totals; and the same of
// the half-size pictures.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"
#include "metrics/common/line_sums_kernel.hpp"
#include "metrics/common/mirrored.hpp"

namespace vmaf {
namespace kernels {

struct FloatMotionArgs {
    FramePlanes earlier, current;
    int width, height, pitch;
    float scale;   // puts samples on the 8-bit scale
    float taps[5]; // shorter filters have zeros around them
    FrameArray<float> lines;
    FrameArray<float> blurred_earlier, blurred_current; // width samples a row; null: not wanted
};

template <class C, class Sample> struct FloatMotionKernel {
    using Args = FloatMotionArgs;
    using Lines = LineSums<C, 1, 8>;
    static constexpr int kThreads = Lines::kThreads, kMinBlocks = 6, kTileWidth = 0, kTileHeight = Lines::kRows;
    static constexpr int kReach = 2, kInWidth = Lines::kColumns + 2 * kReach, kInHeight = Lines::kRows + 2 * kReach;
    struct SharedMemory {
        typename Lines::SharedMemory lines;
        Words4 down[2][Lines::kRows][kInWidth / 4];
    };

    struct Fill {
        C &c;
        Shared<SharedMemory> shared;
        const Args &a;
        int y0;
        VMAF_DEVICE_FN void operator()(int x0) const {
            // Down first, then along; sums start at 0.
            for (int i = c.thread; i < 2 * kInWidth; i += kThreads) filter_down(i >= kInWidth, i % kInWidth, x0);
            c.barrier();
            for (int i = c.thread; i < Lines::kRows * Lines::kColumns / 4; i += kThreads)
                filter_along(i % Lines::kRows, i / Lines::kRows, x0);
        }

      private:
        // Four neighbours of row y.
        VMAF_DEVICE_FN void filter_along(int y, int quad, int x0) const {
            float blurred[2][4];
            VMAF_UNROLL
            for (int p = 0; p < 2; p++) {
                const Words4 words[2] = {fetched(&shared->down[p][y][quad]), fetched(&shared->down[p][y][quad + 1])};
                VMAF_UNROLL
                for (int j = 0; j < 4; j++) {
                    float sum = 0.0f;
                    VMAF_UNROLL
                    for (int k = 0; k < 5; k++)
                        sum = sum + a.taps[k] * C::float_from(words[(j + k) / 4].v[(j + k) % 4]);
                    blurred[p][j] = sum;
                }
            }
            VMAF_UNROLL
            for (int j = 0; j < 4; j++) {
                const int x = 4 * quad + j;
                const float difference = blurred[0][j] - blurred[1][j];
                shared->lines.terms[0][y][x] = difference < 0.0f ? -difference : difference;
                if (a.blurred_earlier.first == nullptr || x0 + x >= a.width || y0 + y >= a.height) continue;
                const u64 at = static_cast<u64>(y0 + y) * static_cast<u64>(a.width) + static_cast<u64>(x0 + x);
                a.blurred_earlier.of(c.frame)[at] = blurred[0][j];
                a.blurred_current.of(c.frame)[at] = blurred[1][j];
            }
        }
        // Column x of the tile of the earlier or the current picture, mirrored at the edges (1.1).
        VMAF_DEVICE_FN void filter_down(bool is_current, int x, int x0) const {
            Global<const Sample> column =
                static_cast<Global<const Sample>>((is_current ? a.current : a.earlier).plane[c.frame]) +
                mirrored_inside<false, false>(x0 - kReach + x, a.width);
            const bool is_inside = y0 >= kReach && y0 - kReach + kInHeight <= a.height;
            float v[kInHeight];
            VMAF_UNROLL
            for (int i = 0; i < kInHeight; i++) {
                const int y = y0 - kReach + i;
                const u32 row = static_cast<u32>(is_inside ? y : mirrored_inside<false, false>(y, a.height));
                v[i] = static_cast<float>(C::load(column + row * static_cast<u32>(a.pitch))) * a.scale - 128.0f;
            }
            VMAF_UNROLL
            for (int y = 0; y < Lines::kRows; y++) {
                float sum = 0.0f;
                VMAF_UNROLL
                for (int k = 0; k < 5; k++) sum = sum + a.taps[k] * v[y + k];
                shared->down[is_current][y][x / 4].v[x % 4] = C::bits(sum);
            }
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int y0 = c.block_y * kTileHeight;
        const Global<float> out[1] = {a.lines.of(c.frame)};
        Lines::run(c, &shared->lines, a.width, a.height, y0, Fill{c, shared, a, y0}, out);
    }
};

// Differences of the half-size pictures, which are scaled from the blurred ones as they are needed (3.5).
struct HalfMotionArgs {
    FrameArray<float> earlier, current; // blurred, `width` samples a row
    int width, height;
    int half_width, half_height;
    int held, assumed; // row pitches of 3.5: of the buffer, and the one that the scaler takes
    FrameArray<float> lines;
};

template <class C> struct HalfMotionKernel {
    using Args = HalfMotionArgs;
    using f64 = typename C::f64;
    using Lines = LineSums<C, 1>;
    static constexpr int kThreads = Lines::kThreads, kMinBlocks = 4, kTileWidth = 0, kTileHeight = Lines::kRows;
    using SharedMemory = typename Lines::SharedMemory;

    // Two neighbouring samples and the share of the second.
    struct Place {
        int first, second;
        float share;
        VMAF_DEVICE_FN Place(int i, int from, int to) {
            const float ratio = C::divide(static_cast<float>(from), static_cast<float>(to));
            const float at = to_float((f64(i) + f64(0.5f)) * f64(ratio) - f64(0.5f));
            const int whole = static_cast<int>(at);
            first = folded(static_cast<float>(whole) > at ? whole - 1 : whole, from);
            second = folded(static_cast<float>(whole) < at ? whole + 1 : whole, from);
            share = at - static_cast<float>(first);
        }
        static VMAF_DEVICE_FN int folded(int i, int n) { return i < 0 ? -i : i > n - 1 ? 2 * (n - 1) - i : i; }
    };

    struct Fill {
        C &c;
        Shared<SharedMemory> shared;
        const Args &a;
        int y0;
        VMAF_DEVICE_FN void operator()(int x0) const {
            for (int i = c.thread; i < Lines::kRows * Lines::kColumns; i += kThreads) {
                const int y = i / Lines::kColumns, x = i % Lines::kColumns;
                if (y0 + y >= a.half_height || x0 + x >= a.half_width) continue;
                const Place along(x0 + x, a.width, a.half_width), down(y0 + y, a.height, a.half_height);
                const float difference =
                    scaled(a.earlier.of(c.frame), along, down) - scaled(a.current.of(c.frame), along, down);
                shared->terms[0][y][x] = difference < 0.0f ? -difference : difference;
            }
        }

      private:
        VMAF_DEVICE_FN float scaled(Global<const float> plane, const Place &along, const Place &down) const {
            if (a.width == a.half_width && a.height == a.half_height) return sample(plane, down.first, along.first);
            const float dx = along.share, dy = down.share, ex = 1.0f - dx, ey = 1.0f - dy;
            return ey * ex * sample(plane, down.first, along.first) +
                   ey * dx * sample(plane, down.first, along.second) +
                   dy * ex * sample(plane, down.second, along.first) +
                   dy * dx * sample(plane, down.second, along.second);
        }
        // The scaler walks a buffer with another pitch than it has; what lies after its rows reads as 0.
        VMAF_DEVICE_FN float sample(Global<const float> plane, int y, int x) const {
            const u64 element = static_cast<u64>(y) * static_cast<u64>(a.assumed) + static_cast<u64>(x);
            const u64 row = element / static_cast<u64>(a.held), column = element % static_cast<u64>(a.held);
            return column < static_cast<u64>(a.width) ? C::load(plane + row * static_cast<u64>(a.width) + column)
                                                      : 0.0f;
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int y0 = c.block_y * kTileHeight;
        const Global<float> out[1] = {a.lines.of(c.frame)};
        Lines::run(c, shared, a.half_width, a.half_height, y0, Fill{c, shared, a, y0}, out);
    }
};

template <class C> using float_motion_8 = FloatMotionKernel<C, u8>;
template <class C> using float_motion_16 = FloatMotionKernel<C, u16>;
template <class C> using half_motion = HalfMotionKernel<C>;
template <class C> using float_motion_totals = LineTotalsKernel<C>;

} // namespace kernels
} // namespace vmaf
