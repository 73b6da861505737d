// What `adm` derives before any sample: options, geometry, weights (adm.md 1, 2, 3); and the conversion of a frame's
// integer sums to scores. Shared with device code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/adm/csf.hpp"
#include "metrics/metric.hpp"
#include "metrics/options.hpp"
#include "picture/picture.hpp"

namespace vmaf::adm {

inline constexpr int kScales = 4;
inline constexpr int kBands = 3; // detail bands, always in the order H, V, D
inline constexpr int kSmallestSide = 17;

struct Options {
    bool debug, skip_aim, skip_scale0;
    double csf_scale, csf_diag_scale, dlm_weight, enhn_gain_limit, norm_view_dist, noise_weight, min_val;
    int ref_display_height, csf_mode;
};
Options read_options(const OptionValues &values);

// Sizes and scored window of a scale (1).
struct Window {
    int in_width, in_height; // what the scale reads
    int width, height;       // its bands
    int left, right, top, bottom;

    int area() const { return (bottom - top) * (right - left); }
};
std::array<Window, kScales> scale_windows(int width, int height);

// Everything that the integer part of a scale depends on.
struct ScalePlan {
    Window window;
    Factors factors;
    std::array<double, kBands> factor_cubes;
    std::array<std::uint32_t, kBands> weight; // 3.7
    int den_square_shift;                     // q of 3.6 (scales 1..3)
    int den_term_shift, den_row_shift;        // per coefficient (0 at scale 0) and per row
    std::array<int, kBands> num_term_shift;   // c of 3.8
    int num_row_shift;                        // v of 3.8
};

struct Plan {
    Options options;
    int width, height, bits;
    std::array<ScalePlan, kScales> scale;
};
Plan make_plan(const Options &options, const PictureFormat &format);
// For plans of one format: whether a frame's sums are the same.
bool measure_alike(const Plan &a, const Plan &b);
bool have_equal_weights(const Plan &a, const Plan &b);

// Sums of one scale over the window (3.6, 3.8). As integers, they can be made in parts and added in any order.
using RowSums = std::array<std::int64_t, kBands>;
struct ScaleSums {
    std::array<std::uint64_t, kBands> den{};
    std::array<std::int64_t, kBands> num{}, aim{};

    ScaleSums &operator+=(const ScaleSums &other);
    bool operator==(const ScaleSums &) const = default;
};
using FrameSums = std::array<ScaleSums, kScales>;

// Numerator, denominator and additive impairment of a scale.
struct ScaleValues {
    float num = 0.0f, den = 1e-10f, aim = 0.0f; // the values of a skipped scale 0
};

// Converts sums to values (3.6, 3.8): the unit of a sum whose rows were shifted by `row_shift`; sums in units of 1,
// those of den still without the factor.
double den_unit(const ScalePlan &plan, int scale, int row_shift);
double num_unit(const ScalePlan &plan, int scale, std::size_t band, int row_shift);
struct BandValues {
    std::array<double, kBands> den{};
    std::array<float, kBands> num{}, aim{};
};
// `weighted_area`: number of coefficients times the noise's weight.
ScaleValues pooled_values(const ScalePlan &plan, double weighted_area, const BandValues &bands);

struct FrameScores {
    double adm2, aim, adm3;
    std::array<double, kScales> scale;
    double num, den; // totals, and further down debug values
    std::array<double, kScales> num_scale, den_scale;
};
FrameScores frame_scores(const Plan &plan, const FrameSums &sums);
FrameScores combined_scores(const Options &options, const std::array<ScaleValues, kScales> &values,
                            std::int64_t pixels); // 3.11

// Throws Error if the metric cannot score such pictures, or not with these options (3.3, 5).
void check_settings(const Options &options, const PictureFormat &format);

// How sums get from `measure` to `emit`.
void store_sums(const FrameSums &sums, FrameResult &result);
FrameSums load_sums(const FrameResult &result);

// The constant of a rounding shift: half of the dropped range.
constexpr std::int64_t half_of(int shift) { return shift > 0 ? std::int64_t(1) << (shift - 1) : 0; }

} // namespace vmaf::adm
