#include "metrics/ssim/box_mean.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace vmaf {

namespace {

// One reflection is not enough if a side is below factor / 2; such samples never reach a score (7.1).
int inside(int i, int n) { return std::clamp(mirrored(i, n), 0, n - 1); }

} // namespace

BoxMean::BoxMean(int width, int factor) : width_(width), factor_(factor) {}

void BoxMean::reduce(const FloatRows &in, FloatPlane &out, Parallel &parallel) {
    const unsigned tasks = parallel.threads();
    while (column_sums_.size() < tasks) column_sums_.emplace_back(std::size_t(width_ + 2 * factor_));
    const auto rows = [&](unsigned i) { return int(std::int64_t(out.height()) * i / tasks); };
    parallel.run(tasks, [&](unsigned i) {
        const auto with_sums = [&](auto *sums) {
            using Sum = std::remove_pointer_t<decltype(sums)>;
            if (in.bits() == 8)
                reduce_rows<std::uint8_t, Sum>(in, out, rows(i), rows(i + 1), sums);
            else
                reduce_rows<std::uint16_t, Sum>(in, out, rows(i), rows(i + 1), sums);
        };
        if (std::has_single_bit(unsigned(factor_)))
            with_sums(reinterpret_cast<std::uint32_t *>(column_sums_[i].data()));
        else
            with_sums(column_sums_[i].data());
    });
}

// Every product is rounded to f32; their sum is exact, so its order is free. If the factor is a power of two, the
// products are exact too and integers suffice (7.3).
template <class T, class Sum>
void BoxMean::reduce_rows(const FloatRows &in, FloatPlane &out, int first, int last, Sum *sums) {
    constexpr bool integers = std::is_integral_v<Sum>;
    const float to_8_bits = 1.0f / float(1 << (in.bits() - 8));
    const float weight = 1.0f / float(factor_ * factor_);
    const int before = factor_ / 2, width = in.width();
    Sum *const columns = sums + before;
    for (int y = first; y < last; y++) {
        for (int v = 0; v < factor_; v++) {
            const T *row = in.samples<T>(inside(y * factor_ - before + v, in.height()));
            const auto weighted = [=](T sample) {
                if constexpr (integers)
                    return Sum(sample);
                else
                    return Sum(float(sample) * to_8_bits * weight);
            };
            if (v == 0)
                for (int x = 0; x < width; x++) columns[x] = weighted(row[x]);
            else
                for (int x = 0; x < width; x++) columns[x] += weighted(row[x]);
        }
        for (int x = -before; x < 0; x++) columns[x] = columns[inside(x, width)];
        for (int x = width; x < width + factor_; x++) columns[x] = columns[inside(x, width)];
        float *const reduced = out.row(y);
        for (int x = 0; x < out.width(); x++) {
            Sum sum = 0;
            for (int u = 0; u < factor_; u++) sum += sums[x * factor_ + u];
            reduced[x] = integers ? float(sum) * (to_8_bits * weight) : float(sum);
        }
    }
}

} // namespace vmaf
