// `fast`: a few cheap probes of a short piece, a curve through them, and one check of the whole (tune.md 12.10).
#pragma once

#include "curves/score_curve.hpp"

namespace vmaf::tune {

// Whether the points determine the target: one of them is there, or two close ones enclose it.
bool is_located(const ScoreCurve &curve, double target, bool bounded_by_100);

} // namespace vmaf::tune
