// `fast`: a few cheap probes of a short piece, a curve through them, and one look at the whole (tune.md 12.10).
#pragma once

#include "curves/score_curve.hpp"

namespace vmaf::tune {

// Whether the points say where the target lies: one of them is there, or two near ones enclose it.
bool is_located(const ScoreCurve &curve, double target, bool bounded_by_100);

} // namespace vmaf::tune
