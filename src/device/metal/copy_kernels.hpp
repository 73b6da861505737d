// Copies of rectangles of bytes, by kernels: Metal's own copies take one row each, and on macOS only offsets and sizes
// that are multiples of four.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

struct CopyArgs {
    Global<u8> to;
    Global<const u8> from; // null: zeros
    u64 to_pitch, from_pitch, row_bytes;
};

// One row of the grid for each row; Word: what everything above is a multiple of.
template <class C, class Word> struct CopyRows {
    using Args = CopyArgs;
    static constexpr int kThreads = 256, kMinBlocks = 1;
    static constexpr int kTileWidth = 16 * kThreads * static_cast<int>(sizeof(Word)), kTileHeight = 1;
    struct SharedMemory {};

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const u64 y = static_cast<u64>(c.block_y), x = static_cast<u64>(c.block_x) * kTileWidth;
        const u64 bytes = a.row_bytes - x < kTileWidth ? a.row_bytes - x : static_cast<u64>(kTileWidth);
        const int words = static_cast<int>(bytes / sizeof(Word));
        Global<Word> to = reinterpret_cast<Global<Word>>(a.to + y * a.to_pitch + x);
        if (!a.from) {
            for (int i = c.thread; i < words; i += kThreads) to[i] = 0;
            return;
        }
        Global<const Word> from = reinterpret_cast<Global<const Word>>(a.from + y * a.from_pitch + x);
        for (int i = c.thread; i < words; i += kThreads) to[i] = from[i];
    }
};
template <class C> using copy_bytes = CopyRows<C, u8>;
template <class C> using copy_words = CopyRows<C, u32>;

} // namespace kernels
} // namespace vmaf
