#include "curves/rate_curve.hpp"

#include <algorithm>
#include <cmath>

#include "curves/bd_rate.hpp"

namespace vmaf::tune {

std::vector<RatePoint> rising(std::vector<RatePoint> points) {
    std::sort(points.begin(), points.end(), [](const RatePoint &a, const RatePoint &b) {
        return a.kbps != b.kbps ? a.kbps < b.kbps : a.score > b.score;
    });
    std::vector<RatePoint> result;
    for (const RatePoint &p : points)
        if (p.kbps > 0 && (result.empty() || p.score > result.back().score)) result.push_back(p);
    return result;
}

namespace {

// Over the score: the logarithm of the rate, or q.
std::optional<double> between(const std::vector<RatePoint> &points, double score, bool wants_q) {
    if (points.size() < 2 || score < points.front().score || score > points.back().score) return std::nullopt;
    std::vector<double> scores, values;
    for (const RatePoint &p : points) {
        scores.push_back(p.score);
        values.push_back(wants_q ? p.q : std::log(p.kbps));
    }
    return MonotoneCubic(scores, values)(score);
}

struct Doubt {
    std::size_t at = 0; // number of the point among the rising ones
    double error = 0;
};

// The point that the others foretell worst, among those whose neighbours reach into the scores of interest.
Doubt largest_doubt(const std::vector<RatePoint> &points, double low, double high) {
    Doubt worst;
    for (std::size_t i = 1; i + 1 < points.size(); i++) {
        if (points[i + 1].score < low || points[i - 1].score > high) continue;
        std::vector<RatePoint> others = points;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const auto foretold = between(others, points[i].score, false);
        // The gap is twice as wide as any that is left: errors of a cubic fall with at least its square.
        const double error = foretold ? std::fabs(std::exp(*foretold) / points[i].kbps - 1) / 4 : 0;
        if (error > worst.error) worst = {i, error};
    }
    return worst;
}

} // namespace

std::optional<double> RateCurve::rate_at(double score) const {
    const auto log_rate = between(rising(points), score, false);
    return log_rate ? std::optional(std::exp(*log_rate)) : std::nullopt;
}

double RateCurve::q_at(double score) const { return between(rising(points), score, true).value_or(points.front().q); }

double RateCurve::error(double low, double high) const { return largest_doubt(rising(points), low, high).error; }

double RateCurve::least_certain_q(double low, double high) const {
    const std::vector<RatePoint> sorted = rising(points);
    const std::size_t at = largest_doubt(sorted, low, high).at;
    if (at == 0) return sorted.front().q;
    // The wider of the two gaps beside it.
    const double before = std::fabs(sorted[at].q - sorted[at - 1].q),
                 after = std::fabs(sorted[at + 1].q - sorted[at].q);
    return before > after ? (sorted[at].q + sorted[at - 1].q) / 2 : (sorted[at].q + sorted[at + 1].q) / 2;
}

} // namespace vmaf::tune
