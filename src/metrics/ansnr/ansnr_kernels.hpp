// Device kernels of float_ansnr (fidelity.md 5): filters, energies along lines, totals.
#pragma once

#include "device/kernel.hpp"
#include "metrics/ansnr/ansnr_formula.hpp"
#include "metrics/common/line_sums_kernel.hpp"

namespace vmaf {
namespace kernels {

struct AnsnrArgs {
    PicturePlanes luma;
    int width, height;
    float scale;                     // puts samples on the 8-bit scale
    FrameArray<float> signal, noise; // one per line
};

template <class C, class Sample> struct AnsnrKernel {
    using Args = AnsnrArgs;
    using Lines = LineSums<C, 2>;
    static constexpr int kThreads = Lines::kThreads, kMinBlocks = 4, kTileWidth = 0, kTileHeight = Lines::kRows;
    static constexpr int kReach = 2, kInWidth = Lines::kColumns + 2 * kReach, kInHeight = Lines::kRows + 2 * kReach;
    using Tiles = MirroredTiles<C, Sample, kThreads, kInWidth, kInHeight, true>;
    struct SharedMemory {
        typename Lines::SharedMemory lines;
        Tiles tiles;
    };

    struct Fill {
        C &c;
        Shared<SharedMemory> shared;
        const Args &a;
        int y0;
        VMAF_DEVICE_FN void operator()(int x0) const {
            Tiles::load(c, &shared->tiles, a.luma.ref_of(c.frame), a.luma.dist_of(c.frame), a.luma.pitch, a.width,
                        a.height, x0 - kReach, y0 - kReach, a.scale);
            c.barrier();
            for (int i = c.thread; i < Lines::kRows * Lines::kColumns; i += kThreads) {
                const int y = i / Lines::kColumns, x = i % Lines::kColumns;
                const float r = smoothed(y, x), d = smoothed_more(y, x);
                shared->lines.terms[0][y][x] = r * r;
                shared->lines.terms[1][y][x] = (r - d) * (r - d);
            }
        }

      private:
        // The taps 1 2 1 by 1 2 1 over 16: exact in any order.
        VMAF_DEVICE_FN float smoothed(int y, int x) const {
            float sum = 0.0f;
            VMAF_UNROLL
            for (int v = -1; v <= 1; v++) {
                Shared<const float> row = &shared->tiles.samples[0][y + kReach + v][x + kReach];
                sum = sum + (v == 0 ? 2.0f : 1.0f) * (row[-1] + 2.0f * row[0] + row[1]);
            }
            return sum * 0.0625f;
        }
        VMAF_DEVICE_FN float smoothed_more(int y, int x) const {
            float sum = 0.0f;
            VMAF_UNROLL
            for (int v = -kReach; v <= kReach; v++) {
                Shared<const float> row = &shared->tiles.samples[1][y + kReach + v][x + kReach];
                float along = 0.0f;
                VMAF_UNROLL
                for (int u = -kReach; u <= kReach; u++)
                    along = along + ansnr_tap(v < 0 ? -v : v, u < 0 ? -u : u) * row[u];
                sum = v == -kReach ? along : sum + along;
            }
            return sum;
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int y0 = c.block_y * kTileHeight;
        const Global<float> out[2] = {a.signal.of(c.frame), a.noise.of(c.frame)};
        Lines::run(c, &shared->lines, a.width, a.height, y0, Fill{c, shared, a, y0}, out);
    }
};

template <class C> using ansnr_8 = AnsnrKernel<C, u8>;
template <class C> using ansnr_16 = AnsnrKernel<C, u16>;
template <class C> using ansnr_totals = LineTotalsKernel<C>;

} // namespace kernels
} // namespace vmaf
