#include "metrics/adm/csf.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace vmaf::adm {

namespace {

constexpr double kPi = 3.14159265358979323846;

// 2.1
float watson(float amplitude, float orientation, int scale, float r) {
    constexpr float a = 0.495f, k = 0.466f, f0 = 0.401f;
    const float t = float(std::log10(double(2 << scale) * double(f0) * double(orientation) / double(r)));
    const float e = (k * t) * t;
    const float quantisation = float(2.0 * double(a) * std::pow(10.0, double(e)) / double(amplitude));
    return 1.0f / quantisation;
}

// 2.2 at the fixed luminance of 100 cd/m2, with the interpolated parameters given there.
float barten(int scale, float r, double factor) {
    constexpr float q0 = 0.382407725f, q1 = 2.9807415f, q2 = 1.147156f, q3 = 7.25679541f, luminance_term = 30.1219521f;
    constexpr std::array alpha = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f, 0.00255872352306433f};
    constexpr std::array beta = {0.028f, 0.37f, 37.0f, 360.0f};
    const float phi = float(double(r) / double(2 << scale));
    const float a = float(1.0 + std::pow(double(q0 * phi), double(q1)));
    const float b = float(1.0 / std::pow(1.0 - std::exp(-std::pow(double(phi / 7.0f), 2.0)), double(q2)));
    const float n = float(double(q3) / std::pow(double(a * b), 0.5));
    float m = 0.0f;
    for (std::size_t i = 0; i < alpha.size(); i++)
        m = float(double(m) + double(alpha[i]) * std::exp(double(-beta[i] * phi)));
    return float(double((n * m) * luminance_term) * factor);
}

// 2.3
float native(float phi) { return float((0.31 + 0.69 * double(phi)) * std::exp(-0.29 * double(phi))); }

// 2.4. Settings with a viewing distance below 3240 samples are refused earlier, so those rows are omitted.
struct BlendedRow {
    int mode, ref_display_height;
    double norm_view_dist;
    std::array<float, 4> edges, diagonal;
};
constexpr std::array kBlended = {
    BlendedRow{2, 1080, 3.0, {0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}},
    BlendedRow{2, 1080, 5.0, {0.004212f, 0.014809f, 0.029642f, 0.047464f}, {0.000984f, 0.005852f, 0.0146f, 0.027574f}},
    BlendedRow{2, 2160, 1.5, {0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}},
    BlendedRow{2, 2160, 3.0, {0.00226f, 0.01183f, 0.025026f, 0.04295f}, {0.000479f, 0.004302f, 0.011778f, 0.023918f}},
    BlendedRow{2, 2160, 5.0, {0.000092f, 0.004212f, 0.014809f, 0.029642f}, {0.000050f, 0.000984f, 0.005852f, 0.0146f}},
    BlendedRow{2, 720, 5.0, {0.010144f, 0.022561f, 0.040309f, 0.05672f}, {0.003463f, 0.010282f, 0.021839f, 0.034641f}},
    BlendedRow{
        3, 1080, 3.0, {0.011249f, 0.022606f, 0.035930f, 0.045673f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}},
    BlendedRow{
        3, 1080, 5.0, {0.004052f, 0.013939f, 0.026298f, 0.038833f}, {0.000927f, 0.005544f, 0.013415f, 0.024515f}},
    BlendedRow{
        3, 2160, 1.5, {0.011249f, 0.022606f, 0.035930f, 0.045673f}, {0.004097f, 0.010921f, 0.021430f, 0.031313f}},
    BlendedRow{
        3, 2160, 3.0, {0.002166f, 0.011249f, 0.022606f, 0.035930f}, {0.000447f, 0.004097f, 0.010921f, 0.021430f}},
    BlendedRow{
        3, 2160, 5.0, {0.000077f, 0.004052f, 0.013939f, 0.026298f}, {0.000045f, 0.000927f, 0.005544f, 0.013415f}},
    BlendedRow{3, 720, 5.0, {0.009689f, 0.020577f, 0.034162f, 0.044523f}, {0.003302f, 0.009579f, 0.019661f, 0.030318f}},
};

} // namespace

float samples_per_degree(double norm_view_dist, int ref_display_height) {
    return float(norm_view_dist * ref_display_height * kPi / 180.0);
}

Factors watson_factors(int scale, float r) {
    constexpr std::array edges = {0.67234f, 0.41317f, 0.22727f, 0.11792f};
    constexpr std::array diagonal = {0.72709f, 0.49428f, 0.28688f, 0.15214f};
    return {watson(edges[std::size_t(scale)], 1.0f, scale, r), watson(diagonal[std::size_t(scale)], 0.534f, scale, r)};
}

Factors barten_factors(int scale, float r, double edge_scale, double diagonal_scale) {
    return {barten(scale, r, edge_scale), barten(scale, r, diagonal_scale)};
}

Factors native_factors(int scale, float r) {
    const float phi = float(double(r) / double(2 << scale));
    return {native(phi), native(float(double(phi) / 0.7))};
}

Factors blended_factors(int mode, int scale, double norm_view_dist, int ref_display_height) {
    for (const BlendedRow &row : kBlended)
        if (row.mode == mode && row.ref_display_height == ref_display_height && row.norm_view_dist == norm_view_dist)
            return {row.edges[std::size_t(scale)], row.diagonal[std::size_t(scale)]};
    return {-22.0f, -22.0f};
}

} // namespace vmaf::adm
