// Sums of integers over the threads of a block; totals must be below 2^60.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// Adds the values of all threads to a sum in shared memory, complete after the next barrier.
template <class C> VMAF_DEVICE_FN void add_to_shared(C &c, Shared<u64> sum, u64 own) {
    own = group_sum_wide(c, own);
    if (c.thread % C::kGroup == 0) C::shared_add(sum, own);
}

// Returns the sum over all threads to the first thread, 0 to the others. `sums`: a word per group.
template <int kThreads, class C> VMAF_DEVICE_FN u64 block_sum(C &c, Shared<u64> sums, u64 own) {
    own = group_sum_wide(c, own);
    if (c.thread % C::kGroup == 0) sums[c.thread / C::kGroup] = own;
    c.barrier();
    if (c.thread != 0) return 0;
    u64 total = 0;
    for (int i = 0; i < kThreads / C::kGroup; i++) total += sums[i];
    return total;
}

} // namespace kernels
} // namespace vmaf
