// Sections 8 and 9: window counts, c-values, pooling.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "metrics/cambi/cambi_stages.hpp"
#include "system/c_locale.hpp"

namespace vmaf::cambi {

namespace {

// N(k) for every column of the current row: of(k)[x] counts the masked-in pixels of level k inside the window centred
// on column x. A pixel that enters or leaves the window rows changes the counts of the 2r+1 columns around it.
class WindowCounts {
  public:
    // For rows from `begin` on.
    WindowCounts(const Canvas &canvas, int radius, const Setup &setup, int begin, std::uint16_t *counts)
        : canvas_(canvas), radius_(radius), columns_(std::min(std::max(canvas.width, radius), canvas.full_width)),
          rows_(std::min(std::max(canvas.height, radius), canvas.full_height)), stride_(canvas.width),
          lowest_(setup.lowest_level()), highest_(setup.highest_level()), counts_(counts) {
        std::fill_n(counts, stride_ * (highest_ - lowest_ + 1), std::uint16_t(0));
        for (int y = std::max(begin - radius, 0); y < std::min(begin + radius, rows_); y++) change_row(y, 1);
        if (begin - radius - 1 >= 0) change_row(begin - radius - 1, 1); // leaves at the first move
    }

    // Call it for y = begin, begin + 1, ... in sequence.
    void move_to(int y) {
        if (y + radius_ < rows_) change_row(y + radius_, 1);
        if (y - radius_ - 1 >= 0) change_row(y - radius_ - 1, -1);
    }

    const std::uint16_t *of(int level) const { return counts_ + (level - lowest_) * stride_; }

  private:
    void change_row(int y, int change) {
        const std::uint16_t *const image = canvas_.image_row(y);
        const std::uint8_t *const mask = canvas_.mask_row(y);
        for (int x = 0; x < columns_; x++) {
            const int level = image[x];
            if (!mask[x] || level < lowest_ || level > highest_) continue;
            const int first = std::max(x - radius_, 0), last = std::min(x + radius_, canvas_.width - 1);
            std::uint16_t *const counts = counts_ + (level - lowest_) * stride_;
            for (int i = first; i <= last; i++) counts[i] = std::uint16_t(counts[i] + change);
        }
    }

    const Canvas &canvas_;
    int radius_, columns_, rows_;
    std::ptrdiff_t stride_;
    int lowest_, highest_; // levels counted
    std::uint16_t *counts_;
};

// c of a masked-in pixel of level v in column x.
float c_value(const WindowCounts &counts, int v, int x, const Setup &setup, const float *reciprocal) {
    const int p0 = counts.of(v)[x];
    float c = 0.0f;
    for (int d = 1; d <= setup.steps; d++) {
        if (v > setup.limits[std::size_t(d)] || v + setup.steps + d <= setup.dark_limit) continue;
        const int q = std::max(counts.of(v + d)[x], counts.of(v - d)[x]);
        c = std::max(c, float(kWeights[std::size_t(d)] * p0 * q) * reciprocal[p0 + q]);
    }
    return c;
}

// Hoare's FIND, descending. Its exact exchanges matter, because the sum uses the resulting order.
void partition_largest(std::span<float> values, std::ptrdiff_t k) {
    const auto value = [&](std::ptrdiff_t i) -> float & { return values[std::size_t(i)]; };
    std::ptrdiff_t left = 0, right = std::ssize(values) - 1;
    while (left < right) {
        const float pivot = value(k);
        std::ptrdiff_t i = left, j = right;
        do {
            while (value(i) > pivot) i++;
            while (value(j) < pivot) j--;
            if (i <= j) std::swap(value(i++), value(j--));
        } while (i <= j);
        if (j < k) left = i;
        if (k < i) right = j;
    }
}

} // namespace

const std::array<float, kReciprocals> &reciprocals() {
    static const auto table = [] {
        const CLocale c_locale;
        std::array<float, kReciprocals> list{};
        for (std::size_t i = 1; i < list.size(); i++) {
            std::array<char, 32> text{};
            std::snprintf(text.data(), text.size(), "%.9g", 1.0 / double(i));
            list[i] = std::strtof(text.data(), nullptr);
        }
        return list;
    }();
    return table;
}

std::size_t scalar_counts_bytes(const Setup &setup, int width) {
    if (!setup.any_query()) return 0;
    return sizeof(std::uint16_t) * std::size_t(width) * std::size_t(setup.highest_level() - setup.lowest_level() + 1);
}

std::size_t scalar_c_values(const Canvas &canvas, int radius, const Setup &setup, int begin, int end, std::byte *memory,
                            float *c, Wanted) {
    const std::size_t pixels = std::size_t(canvas.width) * std::size_t(end - begin);
    if (!setup.any_query()) {
        std::fill_n(c, pixels, 0.0f);
        return pixels;
    }
    const float *const reciprocal = reciprocals().data();
    WindowCounts counts(canvas, radius, setup, begin, reinterpret_cast<std::uint16_t *>(memory));
    for (int y = begin; y < end; y++) {
        counts.move_to(y);
        const std::uint16_t *const image = canvas.image_row(y);
        const std::uint8_t *const mask = canvas.mask_row(y);
        for (int x = 0; x < canvas.width; x++, c++) {
            const int v = image[x];
            const bool asks = mask[x] && v >= setup.lowest_query && v <= setup.highest_query;
            *c = asks ? c_value(counts, v, x, setup, reciprocal) : 0.0f;
        }
    }
    return pixels;
}

std::ptrdiff_t pooled_count(std::size_t values, double topk) {
    const auto n = std::ptrdiff_t(values);
    return std::clamp<std::ptrdiff_t>(int(topk * double(n)), 1, n);
}

std::optional<double> scalar_pool(std::span<float> c_values, std::size_t pixels, double topk) {
    if (c_values.size() < pixels) return std::nullopt;
    const std::ptrdiff_t k = pooled_count(c_values.size(), topk);
    if (k < std::ssize(c_values)) partition_largest(c_values, k);
    double sum = 0.0;
    for (const float c : c_values.first(std::size_t(k))) sum += double(c);
    return sum / double(k);
}

} // namespace vmaf::cambi
