// Heat map colours: dark for good, bright for bad. Lightness grows evenly, so the map does not rely on
// hues.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vmaf::cli {

using Rgb = std::array<std::uint8_t, 3>;

// From 0 (good) to 1 (bad).
Rgb heat_colour(double badness);

// The range of a score's map: `good` is dark, `bad` bright; values outside are clamped.
struct ScoreRange {
    double good, bad;

    double badness(double score) const; // 0 to 1; NaN: 0
    bool is_worse(double a, double b) const { return good > bad ? a < b : a > b; }
};
// `is_model`: 100 to 0; each feature has its own range (maps.md 6).
ScoreRange range_of(std::string_view score, bool is_model);

} // namespace vmaf::cli
