#include "metrics/adm/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>

#include "base/error.hpp"

namespace vmaf::adm {

namespace {

int ceil_log2(int n) {
    int k = 0;
    while ((std::int64_t(1) << k) < n) k++;
    return k;
}

bool is_default_viewing(const Options &o) { return std::fabs(o.norm_view_dist * o.ref_display_height - 3240.0) < 1e-8; }

Factors factors_of(const Options &o, int scale) {
    const float r = samples_per_degree(o.norm_view_dist, o.ref_display_height);
    if (o.csf_mode == 0) return watson_factors(scale, r);
    if (o.csf_mode == 1) return barten_factors(scale, r, o.csf_scale, o.csf_diag_scale);
    return blended_factors(o.csf_mode, scale, o.norm_view_dist, o.ref_display_height);
}

// 3.7: weights that do not fit keep their low bits.
std::array<std::uint32_t, kBands> weights_of(const Options &o, int scale, Factors f) {
    const auto fixed = [](float factor, int bits) { return std::int64_t(std::ldexp(double(factor), bits)); };
    if (scale > 0) {
        const auto edges = std::uint32_t(fixed(f.edges, 32)), diagonal = std::uint32_t(fixed(f.diagonal, 32));
        return {edges, edges, diagonal};
    }
    if (is_default_viewing(o) && o.csf_mode == 0) return {36453, 36453, 49417};
    const std::uint32_t edges = std::uint16_t(fixed(f.edges, 21)), diagonal = std::uint16_t(fixed(f.diagonal, 23));
    return {edges, edges, diagonal};
}

float cube_root(float x) { return std::pow(x, 1.0f / 3.0f); }

// Of a normal number. Maps need many.
double power_of_two(int exponent) { return std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52); }

} // namespace

Options read_options(const OptionValues &v) {
    return {
        .debug = v.flag("debug"),
        .skip_aim = v.flag("adm_skip_aim"),
        .skip_scale0 = v.flag("adm_skip_scale0"),
        .csf_scale = v.real("adm_csf_scale"),
        .csf_diag_scale = v.real("adm_csf_diag_scale"),
        .dlm_weight = v.real("adm_dlm_weight"),
        .enhn_gain_limit = v.real("adm_enhn_gain_limit"),
        .norm_view_dist = v.real("adm_norm_view_dist"),
        .noise_weight = v.real("adm_noise_weight"),
        .min_val = v.real("adm_min_val"),
        .ref_display_height = v.integer("adm_ref_display_height"),
        .csf_mode = v.integer("adm_csf_mode"),
    };
}

std::array<Window, kScales> scale_windows(int width, int height) {
    std::array<Window, kScales> all{};
    for (Window &w : all) {
        w.in_width = width, w.in_height = height;
        w.width = width = (width + 1) / 2;
        w.height = height = (height + 1) / 2;
        w.left = int(w.width * 0.1 - 0.5), w.right = w.width - w.left;
        w.top = int(w.height * 0.1 - 0.5), w.bottom = w.height - w.top;
    }
    return all;
}

Plan make_plan(const Options &options, const PictureFormat &format) {
    Plan plan{options, int(format.width), int(format.height), int(format.bits), {}};
    const auto windows = scale_windows(plan.width, plan.height);
    for (int s = 0; s < kScales; s++) {
        ScalePlan &p = plan.scale[std::size_t(s)];
        const Window &w = p.window = windows[std::size_t(s)];
        p.factors = factors_of(options, s);
        const double edges = std::pow(double(p.factors.edges), 3.0);
        p.factor_cubes = {edges, edges, std::pow(double(p.factors.diagonal), 3.0)};
        p.weight = weights_of(options, s, p.factors);
        const int columns = ceil_log2(w.width);
        if (s == 0) {
            p.den_row_shift = std::max(0, ceil_log2(w.area()) - 20);
            p.num_term_shift = {columns - 4, columns - 4, columns - 3};
        } else {
            p.den_square_shift = s == 2 ? 30 : 31;
            p.den_term_shift = ceil_log2(w.right - w.left);
            p.den_row_shift = ceil_log2(w.bottom - w.top);
            p.num_term_shift = {columns, columns, columns};
        }
        p.num_row_shift = ceil_log2(w.height);
    }
    return plan;
}

bool have_equal_weights(const Plan &a, const Plan &b) {
    for (std::size_t s = 0; s < kScales; s++)
        if (a.scale[s].weight != b.scale[s].weight) return false;
    return true;
}

bool measure_alike(const Plan &a, const Plan &b) {
    return have_equal_weights(a, b) && a.options.enhn_gain_limit == b.options.enhn_gain_limit &&
           a.options.skip_aim == b.options.skip_aim && a.options.skip_scale0 == b.options.skip_scale0;
}

ScaleSums &ScaleSums::operator+=(const ScaleSums &other) {
    for (std::size_t b = 0; b < kBands; b++) {
        den[b] += other.den[b];
        num[b] += other.num[b];
        aim[b] += other.aim[b];
    }
    return *this;
}

double den_unit(const ScalePlan &plan, int scale, int row_shift) {
    constexpr std::array<int, kScales> kBits = {18, 32, 27, 23};
    return power_of_two(kBits[std::size_t(scale)] - (scale == 0 ? row_shift : row_shift + plan.den_term_shift));
}

double num_unit(const ScalePlan &plan, int scale, std::size_t band, int row_shift) {
    constexpr std::array<int, kScales> kBits = {52, 45, 39, 36};
    const int bits = scale == 0 && band == 2 ? 57 : kBits[std::size_t(scale)];
    return power_of_two(bits - plan.num_term_shift[band] - row_shift);
}

ScaleValues pooled_values(const ScalePlan &plan, double weighted_area, const BandValues &bands) {
    const float noise = cube_root(float(weighted_area));
    std::array<float, kBands> den{}, num{}, aim{};
    for (std::size_t b = 0; b < kBands; b++) {
        den[b] = cube_root(float(bands.den[b] * plan.factor_cubes[b])) + noise;
        num[b] = cube_root(bands.num[b]) + noise;
        aim[b] = cube_root(bands.aim[b]) + 0.0f;
    }
    const auto add = [](const std::array<float, kBands> &x) { return (x[0] + x[1]) + x[2]; };
    return {add(num), add(den), add(aim)};
}

FrameScores frame_scores(const Plan &plan, const FrameSums &sums) {
    std::array<ScaleValues, kScales> values;
    for (int s = plan.options.skip_scale0 ? 1 : 0; s < kScales; s++) {
        const ScalePlan &scale = plan.scale[std::size_t(s)];
        const ScaleSums &of_scale = sums[std::size_t(s)];
        BandValues bands;
        for (std::size_t b = 0; b < kBands; b++) {
            bands.den[b] = double(of_scale.den[b]) / den_unit(scale, s, scale.den_row_shift);
            const double unit = num_unit(scale, s, b, scale.num_row_shift);
            const auto pooled = [&](std::int64_t sum) {
                return s == 0 ? float(double(sum) / unit) : float(sum) / float(unit);
            };
            bands.num[b] = pooled(of_scale.num[b]);
            bands.aim[b] = pooled(of_scale.aim[b]);
        }
        values[std::size_t(s)] = pooled_values(scale, scale.window.area() * plan.options.noise_weight, bands);
    }
    return combined_scores(plan.options, values, std::int64_t(plan.width) * plan.height);
}

FrameScores combined_scores(const Options &options, const std::array<ScaleValues, kScales> &values,
                            std::int64_t pixels) {
    FrameScores out{};
    double num = 0, den = 0, aim = 0;
    for (std::size_t s = 0; s < kScales; s++) {
        const ScaleValues &v = values[s];
        out.num_scale[s] = double(v.num), out.den_scale[s] = double(v.den);
        out.scale[s] = out.num_scale[s] / out.den_scale[s];
        num += double(v.num), den += double(v.den), aim += double(v.aim);
    }
    const double limit = 1e-10 * double(pixels) / (1920.0 * 1080.0);
    if (num < limit) num = 0;
    if (den < limit) den = 0;
    out.num = num, out.den = den;
    out.adm2 = den == 0 ? 1 : num / den;
    out.aim = den == 0 ? 0 : aim / den;
    const double weight = options.dlm_weight;
    const double mix = out.adm2 * weight + (1 - out.aim) * (1 - weight);
    out.adm3 = mix > options.min_val ? mix : options.min_val;
    return out;
}

void check_settings(const Options &options, const PictureFormat &format) {
    if (int(format.width) < kSmallestSide || int(format.height) < kSmallestSide)
        throw invalid("feature 'adm' needs pictures of at least 17x17 samples; these have " +
                      std::to_string(format.width) + "x" + std::to_string(format.height));
    if (options.norm_view_dist * options.ref_display_height < 3240.0)
        throw invalid("feature 'adm': adm_norm_view_dist times adm_ref_display_height must be at least 3240 (3 times "
                      "1080); choose a larger distance or display");
}

void store_sums(const FrameSums &sums, FrameResult &result) {
    std::size_t i = 0;
    for (const ScaleSums &s : sums)
        for (std::size_t b = 0; b < kBands; b++) {
            result.values[i++] = std::bit_cast<double>(s.den[b]);
            result.values[i++] = std::bit_cast<double>(s.num[b]);
            result.values[i++] = std::bit_cast<double>(s.aim[b]);
        }
}

FrameSums load_sums(const FrameResult &result) {
    FrameSums sums;
    std::size_t i = 0;
    for (ScaleSums &s : sums)
        for (std::size_t b = 0; b < kBands; b++) {
            s.den[b] = std::bit_cast<std::uint64_t>(result.values[i++]);
            s.num[b] = std::bit_cast<std::int64_t>(result.values[i++]);
            s.aim[b] = std::bit_cast<std::int64_t>(result.values[i++]);
        }
    return sums;
}

} // namespace vmaf::adm
