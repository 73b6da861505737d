#include "metrics/common/float_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "metrics/common/reflect.hpp"

namespace vmaf {

std::vector<float> gaussian_taps(int length, float sigma) {
    std::vector<float> taps(static_cast<std::size_t>(length));
    const double s = sigma;
    // Dividing by the density's factor instead of multiplying is a quirk, visible only in the last bits.
    const float factor = float(1 / (s * std::sqrt(2 * std::numbers::pi)));
    float sum = 0.0f;
    for (int i = 0; i < length; i++) {
        const double x = double(i - (length - 1) / 2);
        const float density = float(std::exp((((-0.5 * x) / s) * x) / s));
        taps[std::size_t(i)] = density / factor;
        sum += taps[std::size_t(i)];
    }
    for (float &tap : taps) tap /= sum;
    return taps;
}

int gaussian_length(int level, float kernel_scale) {
    const float base = float((1 << (4 - level)) + 1);
    int length = int(std::ceil(base * kernel_scale));
    if (length % 2 == 0) length++;
    return std::max(length, 3);
}

bool kernel_scale_allowed(float scale) {
    constexpr auto allowed = std::to_array<float>(
        {1.0f,        1.0f / 2.0f, 3.0f / 2.0f,  2.0f,         2.0f / 3.0f, 24.0f / 10.0f, 360.0f / 97.0f,
         4.0f / 3.0f, 3.5f / 3.0f, 3.75f / 3.0f, 4.25f / 3.0f, 5.0f / 3.0f, 3.0f,          1.0f / 2.25f,
         1.4746f,     1.54f,       1.6f,         1.06667f,     0.711111f,   0.740740f,     1.111111f});
    return std::any_of(allowed.begin(), allowed.end(),
                       [=](float value) { return double(std::fabs(scale - value)) < 1e-3; });
}

void filter_rows(const float *const *rows, std::span<const float> taps, int width, float *sums) {
    constexpr int kBlock = 32; // columns whose sums stay in registers
    for (int left = 0; left < width; left += kBlock) {
        const int count = std::min(kBlock, width - left);
        std::array<float, kBlock> acc{};
        for (std::size_t k = 0; k < taps.size(); k++) {
            const float *samples = rows[k] + left;
            const float tap = taps[k];
            if (count == kBlock)
                for (int x = 0; x < kBlock; x++) acc[std::size_t(x)] += tap * samples[x];
            else
                for (int x = 0; x < count; x++) acc[std::size_t(x)] += tap * samples[x];
        }
        std::copy_n(acc.begin(), count, sums + left);
    }
}

void vertical_pass(const PlaneView<float> &in, std::span<const float> taps, int centre, float *sums) {
    std::array<const float *, kMaxFilterTaps> rows;
    const int radius = int(taps.size()) / 2;
    for (int k = 0; k < int(taps.size()); k++) rows[std::size_t(k)] = in.row(reflect(centre - radius + k, in.height));
    filter_rows(rows.data(), taps, in.width, sums);
}

void extend_line(float *line, int width, int radius) {
    for (int i = 1; i <= radius; i++) {
        line[-i] = line[reflect(-i, width)];
        line[width - 1 + i] = line[reflect(width - 1 + i, width)];
    }
}

namespace {

// Blocks of outputs whose sums stay in registers.
template <int Step> void horizontal_blocks(const float *line, std::span<const float> taps, int out_width, float *out) {
    constexpr int kBlock = 32;
    for (int left = 0; left < out_width; left += kBlock) {
        const int count = std::min(kBlock, out_width - left);
        std::array<float, kBlock> acc{};
        for (std::size_t k = 0; k < taps.size(); k++) {
            const float *samples = line + left * Step + std::ptrdiff_t(k);
            const float tap = taps[k];
            if (count == kBlock)
                for (int x = 0; x < kBlock; x++) acc[std::size_t(x)] += tap * samples[x * Step];
            else
                for (int x = 0; x < count; x++) acc[std::size_t(x)] += tap * samples[x * Step];
        }
        std::copy_n(acc.begin(), count, out + left);
    }
}

} // namespace

void horizontal_pass(const float *line, std::span<const float> taps, int step, int out_width, float *out) {
    line -= taps.size() / 2;
    if (step == 1) return horizontal_blocks<1>(line, taps, out_width, out);
    if (step == 2) return horizontal_blocks<2>(line, taps, out_width, out);
    for (int x = 0; x < out_width; x++) {
        float sum = 0.0f;
        for (std::size_t k = 0; k < taps.size(); k++) sum += taps[k] * line[x * step + std::ptrdiff_t(k)];
        out[x] = sum;
    }
}

FloatFilter::FloatFilter(std::vector<float> taps, int width)
    : taps_(std::move(taps)), left_(round_up<int>(int(taps_.size()) / 2, kAlignment / sizeof(float))),
      line_(std::size_t(left_ + width) + taps_.size() / 2) {}

void FloatFilter::row(const PlaneView<float> &in, int y, int step, int out_width, float *out) {
    float *line = line_.data() + left_;
    vertical_pass(in, taps_, y * step, line);
    extend_line(line, in.width, int(taps_.size()) / 2);
    horizontal_pass(line, taps_, step, out_width, out);
}

void FloatFilter::plane(const PlaneView<float> &in, int step, FloatPlane &out) {
    for (int y = 0; y < out.height(); y++) row(in, y, step, out.width(), out.row(y));
}

} // namespace vmaf
