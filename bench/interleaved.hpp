// Times several implementations of the same work. They alternate, so that a disturbance hits all of them, and the best
// time of each counts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/cpu.hpp"

namespace vmaf::bench {

struct Contender {
    Isa isa;
    std::function<void()> work;
    unsigned lanes = 1; // threads sharing the work
};

// The best seconds per call, in the given order. Every contender runs at least `min_rounds` times, until `budget`
// seconds are spent. Measures processor time of this thread, or wall time if several threads share the work.
std::vector<double> best_times(const std::vector<Contender> &contenders, double budget, int min_rounds = 3);

// A line of the result.
struct Timing {
    std::string name, isa;
    unsigned width, height, bits;
    double ns_per_pixel; // of the luma plane
    double ratio;        // scalar time / this time
    unsigned lanes;
    double speedup; // relative to one lane on the same instruction set
};

} // namespace vmaf::bench
