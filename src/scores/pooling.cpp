#include "scores/pooling.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace vmaf {

double pool(std::span<const double> values, Pooling method) {
    if (method < Pooling::min || method > Pooling::harmonic_mean)
        throw invalid("unknown pooling method " + std::to_string(static_cast<int>(method)));
    unsigned count = 0;
    double sum = 0, inverse_sum = 0, min = 0, max = 0;
    for (const double x : values) {
        if (count == 0 || x < min) min = x;
        if (count == 0 || x > max) max = x;
        count++;
        sum += x;
        inverse_sum += 1.0 / (x + 1.0);
    }
    switch (method) {
    case Pooling::min: return min;
    case Pooling::max: return max;
    case Pooling::mean: return sum / count;
    default: return count / inverse_sum - 1.0;
    }
}

double percentile(std::vector<double> values, double p) {
    for (const double value : values)
        if (std::isnan(value)) return value; // no order, no percentile
    const auto position = static_cast<std::size_t>(std::floor(p * static_cast<double>(values.size()) / 100));
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::min(position, values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

} // namespace vmaf
