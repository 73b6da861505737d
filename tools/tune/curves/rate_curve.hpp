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

    // How wrong the curve is at points left out of the fit, between two scores: the largest part of the rate.
    double error(double low, double high) const;
    double least_certain_q(double low, double high) const; // where one more point tells most
};

// Points that need more rate and give more score than all before.
std::vector<RatePoint> rising(std::vector<RatePoint> points);

} // namespace vmaf::tune
