// The one definition of pooling, for the library, documents and vmaf-tune.
#pragma once

#include <span>
#include <vector>

namespace vmaf {

enum class Pooling { unknown = 0, min = 1, max = 2, mean = 3, harmonic_mean = 4 };

// Throws Error for an unknown method. `values` must not be empty.
double pool(std::span<const double> values, Pooling method);

// The value at position floor(p n / 100) of the sorted values; the last one for p = 100. `values` must not be empty. In
// this order whole numbers are exact: 29 / 100 * 100 is less than 29.
double percentile(std::vector<double> values, double p);

} // namespace vmaf
