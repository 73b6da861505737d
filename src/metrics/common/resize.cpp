#include "metrics/common/resize.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.hpp"

namespace vmaf {

namespace {

// Mirrored once about the first or the last sample.
int fold(int position, int length) {
    if (position < 0) return -position;
    return position > length - 1 ? 2 * (length - 1) - position : position;
}

// Keys' kernel with a = -0.75.
float cubic_kernel(float t) {
    constexpr float a = -0.75f;
    t = std::fabs(t);
    if (t < 1.0f) return (((a + 2.0f) * t - (a + 3.0f)) * t) * t + 1.0f;
    if (t < 2.0f) return (((t - 5.0f) * t + 8.0f) * t - 4.0f) * a;
    return 0.0f;
}

float lanczos4_kernel(float t) {
    constexpr double pi = std::numbers::pi, a = 4.0;
    if (t == 0.0f) return 1.0f;
    if (!(t > -4.0f && t < 4.0f)) return 0.0f;
    const double x = t;
    return float(((a * std::sin(pi * x)) * std::sin((pi * x) / a)) / (((pi * pi) * x) * x));
}

// Samples per axis required for a single reflection.
int smallest_source(ResizeMethod method) {
    switch (method) {
    case ResizeMethod::nearest: return 1;
    case ResizeMethod::bilinear: return 2;
    case ResizeMethod::bicubic: return 3;
    case ResizeMethod::lanczos4: return 6;
    }
    return 1;
}

} // namespace

ResizeMethod resize_method(std::string_view metric, std::string_view option, std::string_view name) {
    if (name == "nearest") return ResizeMethod::nearest;
    if (name == "bilinear") return ResizeMethod::bilinear;
    if (name == "bicubic") return ResizeMethod::bicubic;
    if (name == "lanczos4") return ResizeMethod::lanczos4;
    throw invalid("feature '" + std::string(metric) + "': option '" + std::string(option) + "' cannot be '" +
                  std::string(name) + "'; it takes nearest, bilinear, bicubic or lanczos4");
}

Resizer::Taps Resizer::taps_at(int position, int out_length, int in_length) const {
    const float ratio = float(in_length) / float(out_length);
    Taps taps{};
    if (method_ == ResizeMethod::nearest) {
        taps.index[0] = int(float(position) * ratio);
        return taps;
    }
    const float centre = float((double(position) + 0.5) * double(ratio) - 0.5);
    if (method_ == ResizeMethod::bilinear) {
        taps.index[0] = fold(int(std::floor(centre)), in_length);
        taps.index[1] = fold(int(std::ceil(centre)), in_length);
        // Measured from the folded neighbour: left of sample 0 this extrapolates (a quirk).
        taps.weight[1] = centre - float(taps.index[0]);
        taps.weight[0] = 1.0f - taps.weight[1];
        return taps;
    }
    const bool cubic = method_ == ResizeMethod::bicubic;
    const int first = cubic ? -1 : -4, count = cubic ? 4 : 9;
    const int origin = int(std::floor(centre));
    const float offset = centre - float(origin);
    for (int i = 0; i < count; i++) {
        const float distance = float(first + i) - offset;
        taps.index[i] = fold(origin + first + i, in_length);
        taps.weight[i] = cubic ? cubic_kernel(distance) : lanczos4_kernel(distance);
    }
    return taps;
}

Resizer::Resizer(int in_width, int in_height, int out_width, int out_height, ResizeMethod method)
    : same_size_(in_width == out_width && in_height == out_height), method_(method) {
    if (same_size_) return;
    const int smallest = smallest_source(method);
    if (std::min(in_width, in_height) < smallest || out_width < 1 || out_height < 1)
        throw invalid("cannot scale " + std::to_string(in_width) + "x" + std::to_string(in_height) + " to " +
                      std::to_string(out_width) + "x" + std::to_string(out_height) + ": the source needs at least " +
                      std::to_string(smallest) + " samples per side, the result at least 1");
    columns_.reserve(std::size_t(out_width));
    rows_.reserve(std::size_t(out_height));
    for (int x = 0; x < out_width; x++) columns_.push_back(taps_at(x, out_width, in_width));
    for (int y = 0; y < out_height; y++) rows_.push_back(taps_at(y, out_height, in_height));
}

void Resizer::bilinear_row(const PlaneView<float> &in, const Taps &vertical, float *out) const {
    const float *upper = in.row(vertical.index[0]), *lower = in.row(vertical.index[1]);
    const float from_upper = vertical.weight[0], from_lower = vertical.weight[1];
    for (const Taps &column : columns_) {
        const int left = column.index[0], right = column.index[1];
        const float from_left = column.weight[0], from_right = column.weight[1];
        *out++ = (from_upper * from_left) * upper[left] + (from_upper * from_right) * upper[right] +
                 (from_lower * from_left) * lower[left] + (from_lower * from_right) * lower[right];
    }
}

template <int Count, bool Normalise>
void Resizer::kernel_row(const PlaneView<float> &in, const Taps &vertical, float *out) const {
    for (const Taps &column : columns_) {
        float value = 0.0f, weights = 0.0f;
        for (int j = 0; j < Count; j++) {
            const float *samples = in.row(vertical.index[j]);
            for (int i = 0; i < Count; i++) {
                const float weight = column.weight[i] * vertical.weight[j];
                value += samples[column.index[i]] * weight;
                if constexpr (Normalise) weights += weight;
            }
        }
        *out++ = Normalise ? value / weights : value;
    }
}

void Resizer::row(const PlaneView<float> &in, int y, float *out) const {
    if (same_size_) {
        std::copy_n(in.row(y), in.width, out);
        return;
    }
    const Taps &vertical = rows_[std::size_t(y)];
    switch (method_) {
    case ResizeMethod::nearest: {
        const float *samples = in.row(vertical.index[0]);
        for (const Taps &column : columns_) *out++ = samples[column.index[0]];
        break;
    }
    case ResizeMethod::bilinear: bilinear_row(in, vertical, out); break;
    case ResizeMethod::bicubic: kernel_row<4, false>(in, vertical, out); break;
    case ResizeMethod::lanczos4: kernel_row<9, true>(in, vertical, out); break;
    }
}

void Resizer::plane(const PlaneView<float> &in, FloatPlane &out) const {
    for (int y = 0; y < out.height(); y++) row(in, y, out.row(y));
}

} // namespace vmaf
