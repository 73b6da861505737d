// Sums of floats along the lines of a picture, from left to right, and of the lines from top to bottom, rounded after
// every addition: the bits of plain loops. A block processes kRows lines, kColumns columns at a time: all threads make
// the terms, then one thread per line adds them.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// sum + terms[0] + ... + terms[count - 1], from left to right. Sixteen terms are read before the first is added.
VMAF_DEVICE_FN float added_up(float sum, Shared<const float> terms, int count) {
    constexpr int kAtOnce = 16;
    int x = 0;
    for (; x + kAtOnce <= count; x += kAtOnce) {
        float v[kAtOnce];
        VMAF_UNROLL
        for (int i = 0; i < kAtOnce; i++) v[i] = terms[x + i];
        VMAF_UNROLL
        for (int i = 0; i < kAtOnce; i++) sum = sum + v[i];
    }
    for (; x < count; x++) sum = sum + terms[x];
    return sum;
}

// Fewer rows are more blocks, for terms that take long.
template <class C, int kSums, int kLines = 32> struct LineSums {
    static constexpr int kRows = kLines, kWanted = 1024 / kRows; // columns
    static constexpr int kColumns = kSums * kRows * (kWanted + 1) * 4 <= C::kSharedBytes ? kWanted : kWanted / 2;
    static constexpr int kThreads =
        kSums * kRows <= 256 ? 256 : (kSums * kRows + 63) / 64 * 64; // one for each sum of a line
    struct SharedMemory {
        float terms[kSums][kRows][kColumns + 1]; // the last column keeps neighbouring lines in different banks
    };

    // fill(x0) puts the terms of columns x0 <= x < x0 + kColumns into shared->terms; it may use barriers. The sums of
    // line y0 + i go to out[n][y0 + i].
    template <class Fill>
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, int width, int height, int y0, const Fill &fill,
                                   const Global<float> *out) {
        const int line = c.thread % kRows, which = c.thread / kRows;
        float sum = 0.0f;
        for (int x0 = 0; x0 < width; x0 += kColumns) {
            fill(x0);
            c.barrier();
            const int count = width - x0 < kColumns ? width - x0 : kColumns;
            if (which < kSums) sum = added_up(sum, &shared->terms[which][line][0], count);
            c.barrier();
        }
        if (which < kSums && y0 + line < height) out[which][y0 + line] = sum;
    }
};

// Totals of lines, in order. One block per total and frame.
constexpr int kMaxLineTotals = 9;
struct LineTotalsArgs {
    FrameArray<float> lines[kMaxLineTotals];
    int count[kMaxLineTotals];
    FrameArray<float> totals;
};

template <class C> struct LineTotalsKernel {
    using Args = LineTotalsArgs;
    static constexpr int kThreads = 64, kMinBlocks = 1, kTileWidth = 0, kTileHeight = 0, kChunk = 512;
    struct SharedMemory {
        float lines[kChunk];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        Global<const float> lines = a.lines[c.block_x].of(c.frame);
        const int count = a.count[c.block_x];
        float total = 0.0f;
        for (int first = 0; first < count; first += kChunk) {
            const int here = count - first < kChunk ? count - first : kChunk;
            for (int i = c.thread; i < here; i += kThreads) shared->lines[i] = C::load(lines + first + i);
            c.barrier();
            total = added_up(total, shared->lines, here);
            c.barrier();
        }
        if (c.thread == 0) a.totals.of(c.frame)[c.block_x] = total;
    }
};

} // namespace kernels
} // namespace vmaf
