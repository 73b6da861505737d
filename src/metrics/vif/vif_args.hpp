// Shared by the device kernels of vif: arguments, borders and the sums of a block.
#pragma once

#include "device/kernel.hpp"
#include "metrics/vif/vif_pixel_kernel.hpp"
#include "metrics/vif/vif_taps.hpp"

namespace vmaf {
namespace kernels {

template <class Input, int kLimitCount = 1> struct VifArgs {
    static constexpr int kLimits = kLimitCount;
    Input in;
    ScratchPlanes<u16> next; // not read at scale 3
    Global<u64> sums;        // of frame 0: numL, denL, numN, denN of this scale, then numL under further limits
    u64 sums_stride;         // between frames
    Global<const u16> log_table;
    Global<const Words4> matrix_taps; // vif_matrix_taps.hpp; only read by devices with byte matrices
    VifGainLimits<kLimits> limits;
    int width, height;
    int bits; // of the samples
};

// Reflects once without repeating the edge, then clamps: for lengths above the radius, whose farther positions are
// never read.
VMAF_DEVICE_FN int vif_reflect(int i, int n) {
    i = i < 0 ? -i : i;
    const int j = 2 * (n - 1) - i;
    i = i < j ? i : j;
    return i > 0 ? i : 0;
}

// Adds the terms of a block's threads to its frame's sums. `group_sums`: vif_sums(kLimits) words per group.
VMAF_DEVICE_FN constexpr int vif_sums(int limits) { return 3 + limits; }
template <int kThreads, class C, int kLimits>
VMAF_DEVICE_FN void vif_add_up(C &c, Shared<u64> group_sums, Global<u64> sums, const VifTerms<kLimits> &terms) {
    constexpr int kGroups = kThreads / C::kGroup;
    u32 num_log[kLimits];
    VMAF_UNROLL
    for (int n = 0; n < kLimits; n++) num_log[n] = c.group_sum(terms.num_log[n]);
    const u32 den_log = c.group_sum(terms.den_log);
    const u32 den_flat = c.group_sum(terms.den_flat);
    // Below 2^37 per thread: in two parts that cannot overflow.
    const u64 num_flat = c.group_sum(static_cast<u32>(terms.num_flat) & 0xffffff) +
                         (static_cast<u64>(c.group_sum(static_cast<u32>(terms.num_flat >> 24))) << 24);
    if (c.thread % C::kGroup == 0) {
        const int group = c.thread / C::kGroup;
        group_sums[group] = num_log[0];
        group_sums[kGroups + group] = den_log;
        group_sums[2 * kGroups + group] = num_flat;
        group_sums[3 * kGroups + group] = den_flat;
        VMAF_UNROLL
        for (int n = 1; n < kLimits; n++) group_sums[(3 + n) * kGroups + group] = num_log[n];
    }
    c.barrier();
    if (c.thread < vif_sums(kLimits)) {
        u64 sum = 0;
        for (int i = 0; i < kGroups; i++) sum += group_sums[c.thread * kGroups + i];
        if (sum) c.atomic_add(sums + c.thread, sum);
    }
}

} // namespace kernels
} // namespace vmaf
