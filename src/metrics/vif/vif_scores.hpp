// How both versions of VIF report a frame: a score per scale, and with `debug` the sums too.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "metrics/metric.hpp"

namespace vmaf {

struct VifScaleSums {
    double num, den, score;
};

// `names` as in MetricInfo::provides: four scores; the total, its numerator and denominator; those of each scale.
// `sums_of(s)` returns a scale's VifScaleSums.
template <class SumsOf>
void report_vif(std::span<const std::string_view> names, bool skip_scale0, bool debug, unsigned index, ScoreSink &sink,
                SumsOf sums_of) {
    std::array<VifScaleSums, 4> scales{};
    double num = 0.0, den = 0.0;
    for (std::size_t s = 0; s < scales.size(); s++) {
        if (s == 0 && skip_scale0) {
            scales[0] = {0.0, -1.0, 0.0};
        } else {
            scales[s] = sums_of(s);
            num += scales[s].num;
            den += scales[s].den;
        }
        sink.score(names[s], index, scales[s].score);
    }
    if (!debug) return;
    sink.score(names[4], index, den == 0.0 ? 1.0 : num / den);
    sink.score(names[5], index, num);
    sink.score(names[6], index, den);
    for (std::size_t s = 0; s < scales.size(); s++) {
        sink.score(names[7 + 2 * s], index, scales[s].num);
        sink.score(names[8 + 2 * s], index, scales[s].den);
    }
}

} // namespace vmaf
