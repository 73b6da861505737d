#include "model/score_transform.hpp"

#include <cstddef>

namespace vmaf {

namespace {

// The straight line through two knots at x.
double line(const Knot &a, const Knot &b, double x) {
    if (a.y == b.y) return a.y;
    if (a.x == 0) return (b.y - a.y) / b.x * x + a.y;
    const double slope = (b.y - a.y) / (b.x - a.x);
    const double offset = a.y - a.x * slope;
    return slope * x + offset;
}

// At an inner knot the later segment wins; outside, the first and last segments extend. Knots that do not ascend end
// the search (a quirk: the value is then 0 or that of an earlier segment).
double piecewise(const std::vector<Knot> &knots, double x) {
    if (knots.size() <= 1) return x;
    const std::size_t last = knots.size() - 2;
    double result = 0;
    for (std::size_t k = 0; k <= last; k++) {
        const Knot &a = knots[k], &b = knots[k + 1];
        if (!(a.x < b.x && a.y <= b.y)) break;
        if ((a.x <= x && x <= b.x) || (k == 0 && x < a.x) || (k == last && x > b.x)) result = line(a, b, x);
    }
    return result;
}

} // namespace

double ScoreTransform::apply(double score) const {
    double result = score;
    if (p0 || p1 || p2) {
        result = 0;
        if (p0) result += *p0;
        if (p1) result += *p1 * score;
        if (p2) result += (*p2 * score) * score;
    }
    if (!knots.empty()) result = piecewise(knots, result);
    if (out_lte_in && result > score) result = score;
    if (out_gte_in && result < score) result = score;
    return result;
}

} // namespace vmaf
