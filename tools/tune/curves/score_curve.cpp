#include "curves/score_curve.hpp"

#include <algorithm>
#include <cmath>

#include "curves/bd_rate.hpp"

namespace vmaf::tune {

namespace {

constexpr double kPower = 0.6;

} // namespace

double straightened(double score, bool bounded_by_100) {
    return bounded_by_100 ? -std::pow(101 - std::min(score, 100.0), kPower) : score;
}

double score_from_straight(double g, bool bounded_by_100) {
    return bounded_by_100 ? std::clamp(101 - std::pow(std::max(-g, 1.0), 1 / kPower), 0.0, 100.0) : g;
}

double typical_slope(const Adapter &adapter) {
    switch (adapter.family) {
    case EncoderFamily::x264:
    case EncoderFamily::x265: return -0.45;
    case EncoderFamily::svtav1:
    case EncoderFamily::aom:
    case EncoderFamily::vp9: return -0.2;
    case EncoderFamily::rav1e: return -0.08;
    default: break;
    }
    constexpr double kWholeFall = 16; // over the whole window
    return (adapter.higher_is_better ? kWholeFall : -kWholeFall) /
           std::max(1.0, adapter.search.high - adapter.search.low);
}

ScoreCurve::ScoreCurve(std::vector<QualityPoint> points, bool bounded_by_100, double slope)
    : points_(std::move(points)), is_bounded_(bounded_by_100), slope_(slope) {
    std::ranges::stable_sort(points_, [](const QualityPoint &a, const QualityPoint &b) { return a.q < b.q; });
    points_.erase(std::unique(points_.begin(), points_.end(),
                              [](const QualityPoint &a, const QualityPoint &b) { return a.q == b.q; }),
                  points_.end());
    for (const QualityPoint &p : points_) {
        q_.push_back(p.q);
        g_.push_back(straightened(p.score, is_bounded_));
    }
}

double ScoreCurve::straight_at(double q) const {
    const std::size_t n = q_.size();
    if (q <= q_.front() || q >= q_.back()) {
        const bool below = q <= q_.front();
        double slope = slope_;
        if (n > 1) { // the mean of the local and the typical slope
            const std::size_t a = below ? 0 : n - 2;
            slope = 0.5 * (slope + (g_[a + 1] - g_[a]) / (q_[a + 1] - q_[a]));
        }
        return below ? g_.front() + (q - q_.front()) * slope : g_.back() + (q - q_.back()) * slope;
    }
    return MonotoneCubic(q_, g_)(q);
}

double ScoreCurve::score_at(double q) const { return score_from_straight(straight_at(q), is_bounded_); }

std::optional<double> ScoreCurve::q_at(double score, double low, double high) const {
    const double wish = straightened(score, is_bounded_);
    double a = low, b = high, at_a = straight_at(a) - wish, at_b = straight_at(b) - wish;
    if (at_a == 0) return a;
    if (at_b == 0) return b;
    if ((at_a > 0) == (at_b > 0)) return std::nullopt;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (a + b), there = straight_at(middle) - wish;
        ((there > 0) == (at_a > 0) ? a : b) = middle;
    }
    return 0.5 * (a + b);
}

std::optional<ScoreCurve::Doubt> ScoreCurve::doubt() const {
    if (points_.size() < 3) return std::nullopt;
    Doubt doubt;
    for (std::size_t i = 0; i < points_.size(); i++) {
        std::vector<QualityPoint> others = points_;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const double error = ScoreCurve(others, is_bounded_, slope_).straight_at(q_[i]) - g_[i];
        double nearest = std::fabs(others.front().q - q_[i]);
        for (const QualityPoint &p : others) nearest = std::min(nearest, std::fabs(p.q - q_[i]));
        doubt.error += error * error / double(points_.size());
        doubt.distance += nearest / double(points_.size());
    }
    doubt.error = std::sqrt(doubt.error);
    return doubt;
}

std::optional<double> conformal_half_width(std::vector<double> residuals, double alpha) {
    if (residuals.empty()) return std::nullopt;
    for (double &r : residuals) r = std::fabs(r);
    std::ranges::sort(residuals);
    const auto n = double(residuals.size());
    const double level = std::min(1.0, std::ceil((n + 1) * (1 - alpha)) / n), place = level * (n - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, residuals.size() - 1);
    const double width = residuals[below] + (place - double(below)) * (residuals[above] - residuals[below]);
    return std::clamp(width, 0.0, 100.0);
}

} // namespace vmaf::tune
