// `float_psnr`: luma PSNR on the 8-bit scale (fidelity.md 3).
#pragma once

#include <cstdint>

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_psnr_metric;

namespace psnr {

struct PeakAndCeiling {
    double peak, ceiling; // ceiling in dB
};

// The table of fidelity.md 3; also for float_ansnr.
PeakAndCeiling peak_and_ceiling(unsigned bits);

// Sum of the squares of 16-bit errors in units of 2^-16, each square rounded to single precision; in raster order,
// which matters only above 2^53.
using RoundedSquaredError = double(const PlaneView<std::uint16_t> &ref, const PlaneView<std::uint16_t> &dist);
RoundedSquaredError rounded_squared_error;
RoundedSquaredError *pick_rounded_squared_error(Isa isa);

constexpr double on_8_bit_scale(double squared_error, unsigned bits) {
    return squared_error / double(1u << (2 * (bits - 8)));
}

} // namespace psnr

} // namespace vmaf
