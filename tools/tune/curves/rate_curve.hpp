// Rate and score at one picture size, interpolated between measured points.
#pragma once

#include <optional>
#include <vector>

#include "curves/hull.hpp"

namespace vmaf::tune {

inline constexpr double kCurveError =
    0.03; // relative error of the rate, up to which curves are known before rungs are chosen

struct RateCurve {
    std::vector<RatePoint> points; // of one size, in any order

    // From a monotone curve through the points; empty outside them.
    std::optional<double> rate_at(double score) const;
    double q_at(double score) const;

    // A rough estimate for a score, by lines through the closest points, also beyond them (scale: score_curve.hpp).
    // From a single point with the local slopes of `like`; empty without slopes.
    std::optional<RatePoint> rough_at(double score, bool bounded_by_100, const RateCurve &like) const;
    // The score that one percent of the rate is worth near a score; 0 if the curve does not show it.
    double score_of_percent(double score) const;

    // The curve's error at points left out of the fit, between two scores: the largest relative error of the rate.
    double error(double low, double high) const;
    double least_certain_q(double low, double high) const; // where another point helps most
};

// The targets at which one of several sizes may be best, according to rough curves: empty if it cannot reach any, or
// another size clearly needs less. `q` goes from best to worst quality.
struct ScoreRange {
    double low = 0, high = 0;
};
struct KnobRange {
    double best = 0, worst = 0;
};
std::optional<ScoreRange> wanted_scores(const std::vector<RateCurve> &sizes, std::size_t size,
                                        const std::vector<double> &targets, bool bounded_by_100, const KnobRange &q);

} // namespace vmaf::tune
