// Rate and score of one size of picture, and what lies between the measured points.
#pragma once

#include <optional>
#include <vector>

#include "curves/hull.hpp"

namespace vmaf::tune {

inline constexpr double kCurveError = 0.03; // of the rate, to which curves are known before rungs are chosen

struct RateCurve {
    std::vector<RatePoint> points; // of one size, in any order

    // By a monotone curve through the points; nothing outside them.
    std::optional<double> rate_at(double score) const;
    double q_at(double score) const;

    // Where a score lies roughly, by lines through the points nearest to it, also beyond them (score_curve.hpp says in
    // which scale). From a single point with the slopes that `like` has there; nothing where there are no slopes.
    std::optional<RatePoint> rough_at(double score, bool bounded_by_100, const RateCurve &like) const;
    // What one per cent of the rate is worth around a score; 0 where the curve does not tell.
    double score_of_percent(double score) const;

    // How wrong the curve is at points left out of the fit, between two scores: the largest part of the rate.
    double error(double low, double high) const;
    double least_certain_q(double low, double high) const; // where one more point tells most
};

// The targets at which one of several sizes may be the best, as far as rough curves tell: nothing where it is unable to
// reach any, or another size clearly needs less. `q` goes from the best quality to the worst.
struct ScoreRange {
    double low = 0, high = 0;
};
struct KnobRange {
    double best = 0, worst = 0;
};
std::optional<ScoreRange> wanted_scores(const std::vector<RateCurve> &sizes, std::size_t size,
                                        const std::vector<double> &targets, bool bounded_by_100, const KnobRange &q);

// Points that need more rate and give more score than all before.
std::vector<RatePoint> rising(std::vector<RatePoint> points);

} // namespace vmaf::tune
