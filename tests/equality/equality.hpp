// Fast functions and their scalar twins. A metric registers each function once, in a source beside it; `equality` feeds
// all versions with the same data and compares what they write, `vmaf-bench` times them (docs/development/simd.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/cpu.hpp"
#include "equality/workload.hpp"

namespace vmaf::equality {

using Call = std::function<void()>;

struct Function {
    std::string name; // "motion.blurred_difference"
    // Sets the version of an instruction set up on a workload: takes inputs, outputs and scratch memory from it, always
    // in the same order. What is returned does the work; only that is timed.
    std::function<Call(Workload &, Isa)> prepare;
    int min_width = 1, min_height = 1;
    std::vector<unsigned> depths = {8, 10, 12, 16};
    double tolerance = 0; // relative, for float and double outputs; 0: every bit
};

// Put a constant of this type at namespace scope.
struct Registration {
    explicit Registration(Function function);
};

const std::vector<Function> &registered_functions();

} // namespace vmaf::equality
