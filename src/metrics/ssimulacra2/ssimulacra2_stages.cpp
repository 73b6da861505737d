#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"

#include <algorithm>
#include <cmath>

namespace vmaf::ssimulacra2 {

namespace {

// One recursion of the blur for one line.
struct Pole {
    float last = 0, before = 0;

    float step(float sum, float gain, float pole) {
        const float output = (gain * sum - pole * last) - before;
        before = last;
        last = output;
        return output;
    }
};

struct Recursion {
    Pole poles[kPoles];

    float step(float sum) {
        const float o0 = poles[0].step(sum, kBlurGain[0], kBlurPole[0]);
        const float o1 = poles[1].step(sum, kBlurGain[1], kBlurPole[1]);
        const float o2 = poles[2].step(sum, kBlurGain[2], kBlurPole[2]);
        return (o0 + o1) + o2;
    }
};

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
    std::array<Recursion, Signals> recursions;
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
    const double square = value * value;
    sums.sum += value;
    sums.sum_of_fourth += square * square;
}

// One step of the vertical blur. The rows of the last outputs and of those before change places at every step.
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
    constexpr float kC2 = 0.0009f;
    NormSums local = sums;
    for (int x = 0; x < width; x++) {
        const float m1 = blurred[kMean1][x], m2 = blurred[kMean2][x];
        const float nm = 1.0f - (m1 - m2) * (m1 - m2);
        const float ns = 2.0f * (blurred[kProduct][x] - m1 * m2) + kC2;
        const float ds = ((blurred[kSquare1][x] - m1 * m1) + (blurred[kSquare2][x] - m2 * m2)) + kC2;
        add(local, std::max(1.0 - (double(nm) * double(ns)) / double(ds), 0.0));
    }
    sums = local;
}

void add_edges(const float *x1, const float *m1, const float *x2, const float *m2, int width, NormSums &artifact,
               NormSums &lost_detail) {
    NormSums more = artifact, less = lost_detail;
    for (int x = 0; x < width; x++) {
        const double e1 = std::fabs(double(x1[x]) - double(m1[x]));
        const double e2 = std::fabs(double(x2[x]) - double(m2[x]));
        const double v = (1.0 + e2) / (1.0 + e1) - 1.0;
        add(more, std::max(v, 0.0));
        add(less, std::max(-v, 0.0));
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
    if (chroma_size == luma_size) return luma;
    if (2 * chroma_size == luma_size) return luma >> 1;
    return std::min(int(std::int64_t{luma} * chroma_size / luma_size), chroma_size - 1);
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

float to_linear(float value) {
    static const EotfStep *const table = eotf_table().data();
    if (value <= 0.0f) return 0.0f;
    if (value >= 1.0f) return 1.0f;
    const float t = value * 1023.0f;
    const int i = int(t);
    return table[i].value + table[i].rise * (t - float(i));
}

float cube_root(float x) {
    if (x <= 0.0f) return 0.0f;
    constexpr float kThird = 1.0f / 3.0f;
    float y = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) / 3 + 0x2a5137a0u);
    for (int step = 0; step < 2; step++) y = (2.0f * y + x / (y * y)) * kThird;
    return y;
}

namespace {

template <class T> void linear_row(const YuvRow<T> &in, const YuvMatrix &m, const Rows &rgb, int width) {
    for (int x = 0; x < width; x++) {
        const int c = in.columns[x];
        const float yn = (float(in.y[x]) * in.scale - m.y_offset) * m.y_scale;
        const float un = (float(in.u[c]) * in.scale - 0.5f) * m.c_scale;
        const float vn = (float(in.v[c]) * in.scale - 0.5f) * m.c_scale;
        rgb[0][x] = to_linear(yn + m.rv * vn);
        rgb[1][x] = to_linear((yn + m.gu * un) + m.gv * vn);
        rgb[2][x] = to_linear(yn + m.bu * un);
    }
}

void xyb_row(const ConstRows &rgb, const Rows &xyb, int width) {
    for (int i = 0; i < width; i++) {
        const float r = rgb[0][i], g = rgb[1][i], b = rgb[2][i];
        const auto response = [&](const std::array<float, 3> &share) {
            return cube_root(share[0] * r + share[1] * g + share[2] * b + kAbsorptionBias) - kRootOfBias;
        };
        const float l = response(kAbsorption[0]), m = response(kAbsorption[1]), s = response(kAbsorption[2]);
        const float x0 = 0.5f * (l - m);
        const float y0 = 0.5f * (l + m);
        xyb[0][i] = x0 * 14.0f + 0.42f;
        xyb[1][i] = y0 + 0.01f;
        xyb[2][i] = (s - y0) + 0.55f;
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

const ColourKernels scalar_colour = {linear_row<std::uint8_t>, linear_row<std::uint16_t>, xyb_row, halve_rows};
const BlurKernels scalar_blur = {0, blur_rows, score_rows};

} // namespace vmaf::ssimulacra2
