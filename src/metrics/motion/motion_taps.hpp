// The blur of the fixed-point motion (motion.md 2.3), for the CPU and devices. The taps sum to 65536.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

VMAF_DEVICE_FN constexpr int motion_tap(int distance) { // from the centre
    return distance == 0 ? 26386 : distance == 1 ? 16004 : 3571;
}

} // namespace kernels
} // namespace vmaf
