// Bjontegaard rates: how much more or less bitrate an encoder needs for the same score (tune.md 12.4).
#pragma once

#include <optional>
#include <vector>

#include "curves/hull.hpp"

namespace vmaf::tune {

// A monotone piecewise cubic through points with rising x (PCHIP).
class MonotoneCubic {
  public:
    MonotoneCubic(std::vector<double> x, std::vector<double> y); // at least two points, x strictly ascending
    double operator()(double x) const;
    double low() const { return x_.front(); }
    double high() const { return x_.back(); }
    const std::vector<double> &knots() const { return x_; }

  private:
    std::vector<double> x_, y_, slope_;
};

// Something about points over their score; the score rises.
template <class Value> MonotoneCubic over_score(const std::vector<RatePoint> &rising, Value value) {
    std::vector<double> scores, values;
    for (const RatePoint &p : rising) {
        scores.push_back(p.score);
        values.push_back(value(p));
    }
    return {std::move(scores), std::move(values)};
}

// The bitrate at a score, by a monotone curve through the logarithms; empty outside the points.
std::optional<double> rate_at_score(const std::vector<RatePoint> &points, double score);

// Where the true bitrate is that was interpolated between two measured ones: holds for at least nine in ten.
struct RateInterval {
    double low = 0, high = 0;
};
RateInterval interpolation_interval(double below, double above, double kbps);

struct BdRate {
    double percent = 0;       // more bitrate than the anchor at equal score; negative is better
    double low = 0, high = 0; // scores that both curves reach
};

// A figure over several sources.
struct Spread {
    double mean = 0, deviation = 0; // of a sample; deviation is 0 for one value
    double low = 0, high = 0;
    std::size_t count = 0;
};
Spread spread_of(const std::vector<double> &values);

// Empty if a curve has fewer than four rising points or the two do not overlap.
std::optional<BdRate> bd_rate(const std::vector<RatePoint> &anchor, const std::vector<RatePoint> &test);

} // namespace vmaf::tune
