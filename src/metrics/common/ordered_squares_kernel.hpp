// Sum of the squares of 16-bit samples, or of differences of two planes, each rounded to single precision, in raster
// order and double precision. Below 2^53 every order gives the same result: a metric first adds integers, and uses this
// kernel for frames that exceed it. One block per frame.
#pragma once

#include "device/ordered_sum.hpp"

namespace vmaf {
namespace kernels {

struct OrderedSquaresArgs {
    FramePlanes plane, subtracted; // `subtracted` may be null
    int width, height, pitch;
    FrameArray<u64> rough;  // the sum in integers
    FrameArray<u64> result; // bits of the sum as a double, if `rough` is 2^53 or more
};

template <class C> struct OrderedSquaresKernel {
    using Args = OrderedSquaresArgs;
    using f64 = typename C::f64;
    static constexpr int kThreads = 256, kMinBlocks = 1, kTileWidth = 0, kTileHeight = 0;
    using Sum = OrderedSum<C, f64, kThreads, false>;
    using SharedMemory = typename Sum::SharedMemory;

    struct Term {
        Global<const u16> plane, subtracted;
        u32 width, pitch;
        VMAF_DEVICE_FN f64 operator()(u64 i) const {
            const u32 row = static_cast<u32>(i / width), column = static_cast<u32>(i % width);
            const u64 at = static_cast<u64>(row) * pitch + column;
            const int other = subtracted ? static_cast<int>(C::load(subtracted + at)) : 0;
            const float value = static_cast<float>(static_cast<int>(C::load(plane + at)) - other);
            return static_cast<f64>(value * value);
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        if (C::load(a.rough.of(c.frame)) >> 53 == 0) return;
        const Term term = {static_cast<Global<const u16>>(a.plane.plane[c.frame]),
                           static_cast<Global<const u16>>(a.subtracted.plane[c.frame]), static_cast<u32>(a.width),
                           static_cast<u32>(a.pitch)};
        const u64 count = static_cast<u64>(a.width) * static_cast<u64>(a.height);
        const f64 sum = Sum::run(c, shared, count, f64(0), term);
        if (c.thread == 0) *a.result.of(c.frame) = C::bits(sum);
    }
};

} // namespace kernels
} // namespace vmaf
