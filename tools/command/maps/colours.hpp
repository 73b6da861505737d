// Colours of heat maps: dark where nothing is wrong, bright where it is bad. Lightness grows evenly, so that they are
// read without telling colours apart.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vmaf::cli {

using Rgb = std::array<std::uint8_t, 3>;

// From 0 (good) to 1 (bad).
Rgb heat_colour(double badness);

// What a score's map shows: `good` is dark, `bad` bright; what lies beyond is as these.
struct ScoreRange {
    double good, bad;

    double badness(double score) const; // 0 to 1; not a number: 0
    bool is_worse(double a, double b) const { return good > bad ? a < b : a > b; }
};
// `is_model`: 100 to 0; features have ranges of their own (maps.md 6).
ScoreRange range_of(std::string_view score, bool is_model);

} // namespace vmaf::cli
