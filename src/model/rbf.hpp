// The sums of an RBF regressor for many inputs at once: cells of a map (models.md 2.3).
#pragma once

#include <cstddef>

#include "cpu/cpu.hpp"

namespace vmaf {

inline constexpr std::size_t kRbfBatch = 16; // inputs come in multiples of it

struct RbfBatch {
    const double *inputs; // [feature][input], aligned
    std::size_t input_stride, input_count;
    const double *components; // [feature][vector]
    std::size_t component_stride, features;
    const double *coefficients;
    std::size_t vectors;
    double gamma;
    double *sums; // of each input, aligned
};

// Sum over the vectors of coefficient * exp(-gamma * squared distance), in their order; std::exp to the last bit.
using RbfSums = void(const RbfBatch &batch);
RbfSums *pick_rbf_sums(Isa isa);

} // namespace vmaf
