// The filters of vif (vif.md 2.3), for the CPU and devices. Each sums to 65536.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

VMAF_DEVICE_FN constexpr int vif_radius(int scale) { return 8 >> scale; }

// By distance from the centre.
template <int S> VMAF_DEVICE_FN constexpr u32 vif_tap(int k) {
    return S == 0   ? (k == 0   ? 7784
                       : k == 1 ? 7455
                       : k == 2 ? 6547
                       : k == 3 ? 5274
                       : k == 4 ? 3896
                       : k == 5 ? 2640
                       : k == 6 ? 1640
                       : k == 7 ? 935
                                : 489)
           : S == 1 ? (k == 0   ? 14692
                       : k == 1 ? 12590
                       : k == 2 ? 7925
                       : k == 3 ? 3663
                                : 1244)
           : S == 2 ? (k == 0   ? 26386
                       : k == 1 ? 16004
                                : 3571)
                    : (k == 0 ? 43728 : 10904);
}

} // namespace kernels
} // namespace vmaf
