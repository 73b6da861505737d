// The one definition of percentiles, for documents and vmaf-tune.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace vmaf {

// The value at position floor(p n / 100) of the sorted values; the last one for p = 100. `values` must not be empty. In
// this order whole numbers are exact: 29 / 100 * 100 is less than 29.
inline double percentile(std::vector<double> values, double p) {
    for (const double value : values)
        if (std::isnan(value)) return value; // no order, no percentile
    const auto position = static_cast<std::size_t>(std::floor(p * static_cast<double>(values.size()) / 100));
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::min(position, values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

} // namespace vmaf
