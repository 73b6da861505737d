// Polynomial, knots and rectification after the regressor (models.md 1.4, 2.4).
#pragma once

#include <optional>
#include <vector>

namespace vmaf {

struct Knot {
    double x = 0, y = 0;
};

struct ScoreTransform {
    bool enabled = false;
    std::optional<double> p0, p1, p2;
    std::vector<Knot> knots;
    bool out_lte_in = false, out_gte_in = false;

    double apply(double score) const;
};

} // namespace vmaf
