#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"

#include <algorithm>
#include <cmath>

#include "device/plain_arithmetic.hpp"

namespace vmaf::ssimulacra2 {

namespace {

using Formula = kernels::Ssimulacra2<PlainArithmetic>;

// The samples of all signals at one position; zero outside the row.
std::array<float, kSignals> signals_at(const float *x1, const float *x2, int position, int width) {
    if (position < 0 || position >= width) return {};
    const float a = x1[position], b = x2[position];
    return {a, b, a * a, b * b, a * b};
}

template <int Signals> void blur_row(const RowGroup &group, int y) {
    const float *const x1 = group.xyb_row(0, y), *const x2 = group.xyb_row(1, y);
    const int width = group.width;
    std::array<float *, Signals> out;
    for (int s = 0; s < Signals; s++) out[std::size_t(s)] = group.blurred_row(s, y);
    std::array<Formula::Recursion, Signals> recursions{};
    for (int entering = 0; entering < width + kBlurAhead; entering++) {
        const auto right = signals_at(x1, x2, entering, width);
        const auto left = signals_at(x1, x2, entering - kBlurSpan, width);
        const int t = entering - kBlurAhead;
        for (std::size_t s = 0; s < Signals; s++) {
            const float blurred = recursions[s].step(left[s] + right[s]);
            if (t >= 0) out[s][t] = blurred;
        }
    }
}

void add(NormSums &sums, double value) {
    sums.sum += value;
    sums.sum_of_fourth += Formula::fourth_power(value);
}

// One step of the vertical blur. The rows of the last outputs and of the previous ones swap at every step.
void blur_columns(const RowGroup &group, int signal, int entering, float *out) {
    const float *const right = group.input_row(signal, entering);
    const float *const left = group.input_row(signal, entering - kBlurSpan);
    const float *last[kPoles];
    float *before[kPoles]; // becomes the last output
    for (int k = 0; k < kPoles; k++) {
        float *const pair = group.state(signal) + 2 * k * group.stride;
        last[k] = pair + (entering % 2) * group.stride;
        before[k] = pair + (1 - entering % 2) * group.stride;
    }
    for (int x = 0; x < group.width; x++) {
        const float sum = left[x] + right[x];
        float o[kPoles];
        for (std::size_t k = 0; k < kPoles; k++) {
            o[k] = (kBlurGain[k] * sum - kBlurPole[k] * last[k][x]) - before[k][x];
            before[k][x] = o[k];
        }
        out[x] = (o[0] + o[1]) + o[2];
    }
}

void add_structure(const std::array<const float *, kSignals> &blurred, int width, NormSums &sums) {
    NormSums local = sums;
    for (int x = 0; x < width; x++)
        add(local, Formula::structure(blurred[kMean1][x], blurred[kMean2][x], blurred[kSquare1][x],
                                      blurred[kSquare2][x], blurred[kProduct][x]));
    sums = local;
}

void add_edges(const float *x1, const float *m1, const float *x2, const float *m2, int width, NormSums &artifact,
               NormSums &lost_detail) {
    NormSums more = artifact, less = lost_detail;
    for (int x = 0; x < width; x++) {
        const double v = Formula::edge_change(x1[x], m1[x], x2[x], m2[x]);
        add(more, Formula::above_zero(v));
        add(less, Formula::above_zero(-v));
    }
    artifact = more;
    lost_detail = less;
}

} // namespace

YuvMatrix yuv_matrix(int index) {
    const bool bt601 = index == 1 || index == 3, full_range = index >= 2;
    const float kr = bt601 ? 0.299f : 0.2126f;
    const float kg = bt601 ? 0.587f : 0.7152f;
    const float kb = bt601 ? 0.114f : 0.0722f;
    return {
        .rv = 2.0f * (1.0f - kr),
        .bu = 2.0f * (1.0f - kb),
        .gu = -(2.0f * kb * (1.0f - kb)) / kg,
        .gv = -(2.0f * kr * (1.0f - kr)) / kg,
        .y_offset = full_range ? 0.0f : 16.0f / 255.0f,
        .y_scale = full_range ? 1.0f : 255.0f / 219.0f,
        .c_scale = full_range ? 1.0f : 255.0f / 224.0f,
    };
}

int chroma_position(int luma, int luma_size, int chroma_size) {
    return kernels::ssimulacra2_chroma(luma, luma_size, chroma_size);
}

const std::array<EotfStep, 1024> &eotf_table() {
    static const auto table = [] {
        const auto eotf = [](int i) {
            const double v = double(i) / 1023.0;
            return float(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
        };
        std::array<EotfStep, 1024> steps{};
        for (int i = 0; i < 1024; i++) steps[std::size_t(i)] = {eotf(i), eotf(std::min(i + 1, 1023)) - eotf(i)};
        return steps;
    }();
    return table;
}

namespace {

EotfStep eotf_step(int i) {
    static const EotfStep *const table = eotf_table().data();
    return table[i];
}

} // namespace

float to_linear(float value) { return Formula::to_linear(value, eotf_step); }

float cube_root(float x) { return Formula::cube_root(x); }

namespace {

template <class T> void linear_row(const YuvRow<T> &in, const YuvMatrix &m, const Rows &rgb, int width) {
    for (int x = 0; x < width; x++) {
        const int c = in.columns[x];
        const auto linear = Formula::linear(float(in.y[x]) * in.scale, float(in.u[c]) * in.scale,
                                            float(in.v[c]) * in.scale, m, eotf_step);
        for (std::size_t n = 0; n < 3; n++) rgb[n][x] = linear.v[n];
    }
}

void xyb_row(const ConstRows &rgb, const Rows &xyb, int width) {
    for (int i = 0; i < width; i++) {
        const auto pixel = Formula::xyb({{rgb[0][i], rgb[1][i], rgb[2][i]}});
        for (std::size_t n = 0; n < 3; n++) xyb[n][i] = pixel.v[n];
    }
}

void halve_rows(const float *top, const float *bottom, float *out, int width) {
    for (int x = 0; x < width; x += 2) {
        const int right = std::min(x + 1, width - 1);
        out[x / 2] = (((top[x] + top[right]) + bottom[x]) + bottom[right]) * 0.25f;
    }
}

void blur_rows(const RowGroup &group) {
    for (int y = group.first; y < std::min(group.first + group.count, group.height); y++) {
        if (group.signals == kEdgeSignals)
            blur_row<kEdgeSignals>(group, y);
        else
            blur_row<kSignals>(group, y);
    }
}

void score_rows(const RowGroup &group, const Needs &needs, MapSums &sums) {
    for (int entering = group.first; entering < group.first + group.count; entering++) {
        std::array<const float *, kSignals> blurred{};
        for (int s = 0; s < group.signals; s++) {
            float *const out = group.outputs + s * group.stride;
            blur_columns(group, s, entering, out);
            blurred[std::size_t(s)] = out;
        }
        const int y = entering - kBlurAhead;
        if (y < 0) continue;
        if (needs.structure) add_structure(blurred, group.width, sums.structure);
        if (needs.edges())
            add_edges(group.xyb_row(0, y), blurred[kMean1], group.xyb_row(1, y), blurred[kMean2], group.width,
                      sums.artifact, sums.lost_detail);
    }
}

} // namespace

const ColourFunctions scalar_colour = {linear_row<std::uint8_t>, linear_row<std::uint16_t>, xyb_row, halve_rows};
const BlurFunctions scalar_blur = {0, blur_rows, score_rows};

} // namespace vmaf::ssimulacra2
