// Times several ways of doing the same work. They take turns, so that a disturbance hits all of them, and the best time
// of each counts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/cpu.hpp"

namespace vmaf::bench {

struct Contender {
    Isa isa;
    std::function<void()> work;
    unsigned lanes = 1; // threads that share the work
};

// Best seconds of one call, in the order given. Every contender runs at least `min_rounds` times, until `budget`
// seconds are spent. Processor time of this thread counts, or the clock on the wall where several threads share a work.
std::vector<double> best_times(const std::vector<Contender> &contenders, double budget, int min_rounds = 3);

// One line of the result.
struct Timing {
    std::string name, isa;
    unsigned width, height, bits;
    double ns_per_pixel; // of the luma plane
    double ratio;        // scalar time / this time
    unsigned lanes;
    double speedup; // against one lane on the same instruction set
};

} // namespace vmaf::bench
