// A sample of a scaled plane in device code, as in Resizer: sums over the source samples of row and column.
#pragma once

#include "device/kernel.hpp"
#include "metrics/common/resize_taps.hpp"

namespace vmaf {
namespace kernels {

// `taps` per direction: 1 nearest, 2 bilinear, 4 bicubic, 9 lanczos4. sample(x, y) returns source samples.
template <class C, class Sample>
VMAF_DEVICE_FN float resized_sample(Global<const ResizeTaps> across, Global<const ResizeTaps> down, int taps,
                                    const Sample &sample) {
    if (taps == 1) return sample(C::load(across->index), C::load(down->index));
    float value = 0.0f, weights = 0.0f;
    for (int j = 0; j < taps; j++) {
        const int row = C::load(down->index + j);
        const float from_row = C::load(down->weight + j);
        for (int i = 0; i < taps; i++) {
            const float weight = from_row * C::load(across->weight + i);
            value = value + weight * sample(C::load(across->index + i), row);
            weights = weights + weight;
        }
    }
    return taps == 9 ? C::divide(value, weights) : value;
}

} // namespace kernels
} // namespace vmaf
