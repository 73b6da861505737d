// Device kernels of psnr_hvs (fidelity.md 9): two neighbouring threads take a block, one its reference and one its
// distorted samples, and exchange halves of the coefficients. The errors of a plane are summed in their order by
// metrics/common/ordered_sums_kernels.hpp.
#pragma once

#include "device/kernel.hpp"
#include "metrics/psnr_hvs/hvs_formula.hpp"

namespace vmaf {
namespace kernels {

struct HvsArgs {
    FramePlanes ref, dist;
    int pitch;
    int columns, rows; // of blocks
    float csf[64], mask[64];
    FrameArray<float> terms; // 64 for each block
};

template <class C, class Sample> struct HvsErrorsKernel {
    using Args = HvsArgs;
    static constexpr int kThreads = 128, kMinBlocks = 4;
    static constexpr int kTileWidth = kThreads / 2, kTileHeight = 1; // blocks
    static constexpr int kStep = 7;                                  // blocks overlap by one row and column
    struct SharedMemory {
        u32 unused;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int count = a.columns * a.rows, wanted = c.block_x * kTileWidth + c.thread / 2;
        const int k = wanted < count ? wanted : count - 1; // all threads take part in the exchange
        const bool is_dist = c.thread & 1;
        Global<const Sample> samples = static_cast<Global<const Sample>>((is_dist ? a.dist : a.ref).plane[c.frame]) +
                                       static_cast<u64>(k / a.columns * kStep) * static_cast<u64>(a.pitch) +
                                       static_cast<u64>(k % a.columns * kStep);
        int block[64];
        VMAF_UNROLL
        for (int i = 0; i < 8; i++) {
            VMAF_UNROLL
            for (int j = 0; j < 8; j++) block[8 * i + j] = C::load(samples + j);
            samples += a.pitch;
        }
        const float ratio = hvs_variance_ratio<C>(block);
        hvs_transform(block);
        const float own = hvs_masking_threshold<C>(block, a.mask, ratio);
        const int partner = (c.thread % C::kGroup) ^ 1;
        const float other = c.shuffle(own, partner);
        const float ref = is_dist ? other : own, dist = is_dist ? own : other;
        const float threshold = dist > ref ? dist : ref;
        // The upper half of the rows for the reference's thread, the lower half for the other.
        Global<float> terms = a.terms.of(c.frame) + static_cast<u64>(k) * 64 + (is_dist ? 32 : 0);
        VMAF_UNROLL
        for (int i = 0; i < 32; i++) {
            const int theirs = c.shuffle(is_dist ? block[i] : block[32 + i], partner);
            const int mine = is_dist ? block[32 + i] : block[i];
            const float csf = is_dist ? a.csf[32 + i] : a.csf[i], mask = is_dist ? a.mask[32 + i] : a.mask[i];
            const float error = hvs_error<C>(mine, theirs, csf, mask, threshold, i == 0 && !is_dist);
            if (wanted < count) terms[i] = error;
        }
    }
};

template <class C> using hvs_errors_8 = HvsErrorsKernel<C, u8>;
template <class C> using hvs_errors_16 = HvsErrorsKernel<C, u16>;

} // namespace kernels
} // namespace vmaf
