// Frame rates and aspect ratios as containers state them.
#pragma once

#include <cstdint>
#include <string>

namespace vmaf {

struct Fraction {
    std::int64_t num = 0, den = 1;

    double value() const { return den ? static_cast<double>(num) / static_cast<double>(den) : 0; }
    std::string text() const { // "30000/1001", "25"
        return den == 1 ? std::to_string(num) : std::to_string(num) + "/" + std::to_string(den);
    }
    bool operator==(const Fraction &) const = default;
};

} // namespace vmaf
