// The operands of vif_matrix_kernel.hpp that do not depend on pictures: the taps in each lane, and the start values of
// sums.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "metrics/vif/vif_matrix_kernel.hpp"

namespace vmaf::vif {

// [kVifMatrixTaps][32 lanes].
inline std::vector<kernels::Words4> matrix_taps() {
    using kernels::u32;
    // Byte 0 or 1 of the tap at a distance, of the filter of scale 0 or 1.
    const auto tap = [](int scale, int distance, int byte) -> u32 {
        const int k = distance < 0 ? -distance : distance;
        if (k > kernels::vif_radius(scale)) return 0;
        return (scale ? kernels::vif_tap<1>(k) : kernels::vif_tap<0>(k)) >> (8 * byte) & 255;
    };
    std::vector<kernels::Words4> out(kernels::kVifMatrixTaps * 32);
    for (int lane = 0; lane < 32; lane++) {
        const int g = lane / 4, t = lane % 4;
        const auto at = [&](int i) -> auto & { return out[static_cast<std::size_t>(32 * i + lane)].v; };
        for (int q = 0; q < 4; q++) {
            for (int i = 0; i < 4; i++) {
                const int shift = 8 * i;
                // Down: rows g and g + 8 of results (q & 1), 32 rows of samples from eight above (q / 2).
                const int row = 4 * t + i + 16 * (q / 2);
                for (int byte = 0; byte < 2; byte++) at(byte)[q] |= tap(0, row - (g + 8 * (q & 1) + 8), byte) << shift;
                at(2)[q] |= tap(1, row - (2 * g + 8), q & 1) << shift; // both bytes in one matrix: rows are every other
                // Across: columns 8 to 15 and 16 to 23 of 32; low bytes, then high ones (q / 2).
                const int column = 4 * t + i + 16 * (q & 1);
                at(3)[q] |= tap(0, column - (8 + g), q / 2) << shift;
                at(4)[q] |= tap(0, column - (16 + g), q / 2) << shift;
                at(5)[q] |= tap(1, column - (8 + 2 * g), q / 2) << shift;
            }
            at(6)[q] = 128;
            at(7)[q] = q < 2 ? 128 : 0;
            at(8)[q] = 32768;
        }
    }
    return out;
}

} // namespace vmaf::vif
