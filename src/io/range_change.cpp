#include "io/range_change.hpp"

#include <algorithm>
#include <cmath>

namespace vmaf {

namespace {

std::uint16_t rounded(double value, unsigned bits) {
    return static_cast<std::uint16_t>(
        std::clamp(std::floor(value + 0.5), 0.0, std::ldexp(1.0, static_cast<int>(bits)) - 1));
}

} // namespace

// ITU-T H.273: limited range is 219 (luma) and 224 (chroma) steps of 2^(n-8) around black and grey.
RangeTables range_tables(RangeChange change, unsigned bits) {
    RangeTables tables;
    if (change == RangeChange::none) return tables;
    const double step = std::ldexp(1.0, static_cast<int>(bits) - 8), top = std::ldexp(1.0, static_cast<int>(bits)) - 1;
    const double grey = std::ldexp(1.0, static_cast<int>(bits) - 1);
    const bool narrows = change == RangeChange::full_to_limited;
    for (unsigned i = 0; i < 1u << bits; i++) {
        const double v = i;
        tables.luma.push_back(
            rounded(narrows ? v * 219 * step / top + 16 * step : (v - 16 * step) * top / (219 * step), bits));
        tables.chroma.push_back(
            rounded(narrows ? (v - grey) * 224 * step / top + grey : (v - grey) * top / (224 * step) + grey, bits));
    }
    return tables;
}

} // namespace vmaf
