#include "curves/rate_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curves/bd_rate.hpp"
#include "curves/score_curve.hpp"

namespace vmaf::tune {

namespace {

// Interpolates the logarithm of the rate, or q, over the score.
std::optional<double> between(const std::vector<RatePoint> &points, double score, bool wants_q) {
    if (points.size() < 2 || score < points.front().score || score > points.back().score) return std::nullopt;
    return over_score(points, [&](const RatePoint &p) { return wants_q ? p.q : std::log(p.kbps); })(score);
}

struct Doubt {
    std::size_t at = 0; // index among the rising points
    double error = 0;
};

// The point that the others predict worst, among those whose neighbours reach the scores of interest.
Doubt largest_doubt(const std::vector<RatePoint> &points, double low, double high) {
    Doubt worst;
    for (std::size_t i = 1; i + 1 < points.size(); i++) {
        if (points[i + 1].score < low || points[i - 1].score > high) continue;
        std::vector<RatePoint> others = points;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const auto foretold = between(others, points[i].score, false);
        // The gap is twice as wide as any that remains: errors of a cubic fall at least with its square.
        const double error = foretold ? std::fabs(std::exp(*foretold) / points[i].kbps - 1) / 4 : 0;
        if (error > worst.error) worst = {i, error};
    }
    return worst;
}

} // namespace

std::optional<double> RateCurve::rate_at(double score) const { return rate_at_score(points, score); }

double RateCurve::q_at(double score) const { return between(rising(points), score, true).value_or(points.front().q); }

std::optional<RatePoint> RateCurve::rough_at(double score, bool bounded_by_100, const RateCurve &like) const {
    const auto straight = [&](double x) { return straightened(x, bounded_by_100); };
    const auto nearest_to = [&](std::vector<RatePoint> from) {
        std::ranges::stable_sort(from, [&](const RatePoint &a, const RatePoint &b) {
            return std::fabs(straight(a.score) - straight(score)) < std::fabs(straight(b.score) - straight(score));
        });
        return from;
    };
    const std::vector<RatePoint> own = nearest_to(rising(points)), slopes = nearest_to(rising(like.points));
    const std::vector<RatePoint> &pair = own.size() < 2 ? slopes : own;
    if (own.empty() || pair.size() < 2) return std::nullopt;
    const RatePoint &a = pair[0], &b = pair[1];
    if (a.score == b.score || a.q == b.q) return std::nullopt;
    const double share = (straight(score) - straight(own[0].score)) / (straight(b.score) - straight(a.score));
    RatePoint there = own[0];
    there.q += share * (b.q - a.q);
    there.kbps *= std::pow(b.kbps / a.kbps, share);
    there.score = score;
    return there;
}

double RateCurve::score_of_percent(double score) const {
    const std::vector<RatePoint> sorted = rising(points);
    for (std::size_t i = 1; i < sorted.size(); i++)
        if (sorted[i].score >= score && sorted[i - 1].score <= score)
            return 0.01 * (sorted[i].score - sorted[i - 1].score) / std::log(sorted[i].kbps / sorted[i - 1].kbps);
    return 0;
}

double RateCurve::error(double low, double high) const { return largest_doubt(rising(points), low, high).error; }

double RateCurve::least_certain_q(double low, double high) const {
    const std::vector<RatePoint> sorted = rising(points);
    const std::size_t at = largest_doubt(sorted, low, high).at;
    if (at == 0) return sorted.front().q;
    // The wider of the two neighbouring gaps.
    const double before = std::fabs(sorted[at].q - sorted[at - 1].q),
                 after = std::fabs(sorted[at + 1].q - sorted[at].q);
    return before > after ? (sorted[at].q + sorted[at - 1].q) / 2 : (sorted[at].q + sorted[at + 1].q) / 2;
}

std::optional<ScoreRange> wanted_scores(const std::vector<RateCurve> &sizes, std::size_t size,
                                        const std::vector<double> &targets, bool bounded_by_100, const KnobRange &q) {
    constexpr double kClearly = 1.25, kNever = std::numeric_limits<double>::infinity();
    const double beyond = 0.15 * (q.best - q.worst); // a rough margin
    const auto kbps_at = [&](const RateCurve &curve, double target) {
        const auto there = curve.rough_at(target, bounded_by_100, sizes.front());
        if (!there) return kNever;
        return (beyond > 0 ? there->q <= q.best + beyond : there->q >= q.best + beyond) ? there->kbps : kNever;
    };
    std::optional<ScoreRange> wanted;
    for (const double target : targets) {
        double least = kNever;
        for (const RateCurve &curve : sizes) least = std::min(least, kbps_at(curve, target));
        const double own = kbps_at(sizes[size], target);
        if (std::isinf(least) ? size != 0 : own > kClearly * least)
            continue; // if none reaches a score, the first one tries
        if (!wanted) wanted = {target, target};
        wanted->high = target;
    }
    return wanted;
}

} // namespace vmaf::tune
