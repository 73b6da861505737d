// Estimates scores between and beyond measured quality values, with their uncertainty.
#pragma once

#include <optional>
#include <vector>

#include "adapters/adapter.hpp"

namespace vmaf::tune {

struct QualityPoint {
    double q = 0, score = 0;
};

// Along a knob the scores of bounded metrics are nearly linear in -(101 - s)^0.6, from 98 down to 30; others are
// unchanged. (The search of 9.3 uses a logarithm, which is straighter near the top.)
double straightened(double score, bool bounded_by_100);
double score_from_straight(double g, bool bounded_by_100);

// How fast a straightened score falls with q for unknown content: the mean over clips of several kinds
// (bench/tune_accuracy.py), per unit of the knob. Negative if higher q is worse.
double typical_slope(const Adapter &adapter);

// A curve through measured points; from one point a line with the given slope, and such lines beyond the ends.
class ScoreCurve {
  public:
    ScoreCurve(std::vector<QualityPoint> points, bool bounded_by_100, double slope); // at least one point
    double score_at(double q) const;
    // The q between `low` and `high` with this score; empty if there is none.
    std::optional<double> q_at(double score, double low, double high) const;
    const std::vector<QualityPoint> &points() const { return points_; } // ascending q, each once

    // The curve's error at points left out of the fit: the root mean square, and the distance in q over which it
    // occurred. Empty for fewer than three points.
    struct Doubt {
        double error = 0, distance = 0; // of straightened scores
    };
    std::optional<Doubt> doubt() const;

  private:
    double straight_at(double q) const;
    std::vector<QualityPoint> points_;
    std::vector<double> q_, g_;
    bool is_bounded_;
    double slope_;
};

// Split conformal prediction: an interval that contains at least 1 - alpha of held-out residuals (tune.md 12.9). The
// type-7 quantile of absolute residuals at min(1, ceil((n + 1)(1 - alpha)) / n); empty without residuals.
std::optional<double> conformal_half_width(std::vector<double> residuals, double alpha);

} // namespace vmaf::tune
