// The row operations of `float_adm`, as a table of functions: one set in plain C++ (the specification), one per vector
// target. Every operation rounds as in adm.md 4 and sums keep their order, so all sets give the same bits. Ranges and
// margins: see rows.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/cpu.hpp"
#include "device/plain_arithmetic.hpp"
#include "metrics/adm/float_adm_formula.hpp"
#include "metrics/adm/sweep_parts.hpp"

namespace vmaf::adm {

// 4.4
inline constexpr std::array<float, 4> kFloatLow = {kernels::float_adm_low(0), kernels::float_adm_low(1),
                                                   kernels::float_adm_low(2), kernels::float_adm_low(3)};
inline constexpr std::array<float, 4> kFloatHigh = {kernels::float_adm_high(0), kernels::float_adm_high(1),
                                                    kernels::float_adm_high(2), kernels::float_adm_high(3)};

inline float refined_reciprocal(float d) { return kernels::FloatAdm<PlainArithmetic>::refined_reciprocal(d); }

// 4.7; doubles.
inline constexpr double kNeighbourFactor = 0.0333333351, kCentreFactor = 0.0666666701;

// Weighted magnitudes |c| of a component's row, and their contribution to the thresholds around them (4.7).
struct FloatMask {
    In<float> magnitude, neighbour;
};

struct FloatRowFunctions {
    // Elements [from, to) of rows stored one column late and folded. `high` may be null.
    void (*vertical)(const Rows<float> &rows, int from, int to, float *low, float *high);
    // Band A (unless `approx` is null) for [approx_from, approx_to), stored one column late; details (if `high` is set)
    // for [from, to). Output j uses elements 2j .. 2j+3 of the lines.
    void (*horizontal)(const float *low, const float *high, int approx_from, int approx_to, float *approx, int from,
                       int to, const Bands<float> &details);
    void (*decouple)(const In<float> &o, const In<float> &t, int from, int to, double gain_limit, const Bands<float> &r,
                     const Bands<float> &a);
    // |factor * v|
    void (*magnitudes)(const In<float> &v, const std::array<float, kBands> &factor, int from, int to,
                       const Bands<float> &out);
    void (*neighbours)(const In<float> &magnitude, int from, int to, const Bands<float> &out);
    // How far magnitudes exceed the thresholds of the other component's rows above, at and below.
    void (*excess)(const In<float> &magnitude, const std::array<FloatMask, 3> &mask, int from, int to,
                   const Bands<float> &out);
    // Sums of cubes from left to right (4.6). Overwrites the values.
    std::array<float, kBands> (*cube_sums)(const Bands<float> &values, int from, int to);
};

const FloatRowFunctions &scalar_float_rows();
const FloatRowFunctions &float_rows_for(Isa isa);

} // namespace vmaf::adm
