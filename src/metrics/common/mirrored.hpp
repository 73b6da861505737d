// Samples outside a picture, in kernels and code shared with them: mirrored once at the edges.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// Whether the sample at the edge is repeated, at the near and at the far end.
template <bool kRepeatsNear, bool kRepeatsFar> VMAF_DEVICE_FN constexpr int mirrored(int i, int n) {
    return i < 0 ? -i - (kRepeatsNear ? 1 : 0) : i >= n ? 2 * n - 2 - i + (kRepeatsFar ? 1 : 0) : i;
}
// One reflection is not enough if a side is shorter than the filter, or at the rim of a tile beyond the picture: such
// samples never reach a score, but the access must stay inside.
template <bool kRepeatsNear, bool kRepeatsFar> VMAF_DEVICE_FN constexpr int mirrored_inside(int i, int n) {
    const int m = mirrored<kRepeatsNear, kRepeatsFar>(i, n);
    return m < 0 ? 0 : m >= n ? n - 1 : m;
}

// A tile of two pictures, including samples beyond their edges. All threads of the block call load(); a barrier must
// follow.
template <class C, class Sample, int kThreads, int kWidth, int kHeight, bool kRepeatsFar> struct MirroredTiles {
    float samples[2][kHeight][kWidth];

    // The tile's first sample is (x0, y0) of the planes, which may be outside them.
    static VMAF_DEVICE_FN void load(C &c, Shared<MirroredTiles> tiles, Global<const void> one, Global<const void> two,
                                    int pitch, int width, int height, int x0, int y0, float scale) {
        Global<const Sample> first = static_cast<Global<const Sample>>(one);
        Global<const Sample> second = static_cast<Global<const Sample>>(two);
        for (int i = c.thread; i < kHeight * kWidth; i += kThreads) {
            const int y = i / kWidth, x = i % kWidth;
            const u64 at =
                static_cast<u64>(mirrored_inside<false, kRepeatsFar>(y0 + y, height)) * static_cast<u64>(pitch) +
                static_cast<u64>(mirrored_inside<false, kRepeatsFar>(x0 + x, width));
            tiles->samples[0][y][x] = static_cast<float>(C::load(first + at)) * scale - 128.0f;
            tiles->samples[1][y][x] = static_cast<float>(C::load(second + at)) * scale - 128.0f;
        }
    }
};

} // namespace kernels
} // namespace vmaf
