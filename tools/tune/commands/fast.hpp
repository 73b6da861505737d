// `fast`: a few cheap probes of a short piece, a curve through them, and one look at the whole (tune.md 12.10).
#pragma once

#include "cli/options.hpp"
#include "curves/score_curve.hpp"

namespace vmaf::tune {

struct FastOptions {
    int trials = 30;
    double time_budget = 300, tolerance = 1.5; // seconds; score units between proxy and whole
    bool smoke = false, verify_full = false;
};

CLI::App *bind_fast(CLI::App &app, Options &options, int &exit_code);
int run_fast(const Options &options, const FastOptions &own);

// Whether the points say where the target lies: one of them is there, or two near ones enclose it.
bool is_located(const ScoreCurve &curve, double target, bool bounded_by_100);

} // namespace vmaf::tune
