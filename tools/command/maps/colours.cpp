#include "maps/colours.hpp"

#include <algorithm>
#include <cmath>

namespace vmaf::cli {

Rgb heat_colour(double badness) {
    // From black through violet and orange to pale yellow.
    constexpr std::array<Rgb, 9> kStops = {{{0, 0, 4},
                                            {31, 12, 72},
                                            {85, 15, 109},
                                            {136, 34, 106},
                                            {186, 54, 85},
                                            {227, 89, 51},
                                            {249, 140, 10},
                                            {249, 201, 50},
                                            {252, 255, 164}}};
    const double at = std::clamp(badness, 0.0, 1.0) * (kStops.size() - 1);
    const std::size_t stop = std::min(std::size_t(at), kStops.size() - 2);
    Rgb colour{};
    for (std::size_t c = 0; c < 3; c++)
        colour[c] =
            std::uint8_t(std::lround(kStops[stop][c] + (at - double(stop)) * (kStops[stop + 1][c] - kStops[stop][c])));
    return colour;
}

double ScoreRange::badness(double score) const {
    if (std::isnan(score)) return 0;
    return std::clamp((good - score) / (good - bad), 0.0, 1.0);
}

ScoreRange range_of(std::string_view score, bool is_model) {
    if (is_model) return {100, 0};
    const auto is = [&](std::string_view stem) { return score.starts_with(stem); };
    if (is("psnr") || is("float_psnr")) return {50, 20};
    if (is("cambi")) return {0, 20};
    if (is("ciede")) return {65, 25};
    if (is("integer_aim") || is("aim")) return {0, 1};
    return {1, 0};
}

} // namespace vmaf::cli
