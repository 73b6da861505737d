// Fast functions and their scalar versions. A metric registers each function once, in a source next to it; `equality`
// runs all versions on the same data and compares their output, `vmaf-bench` times them (docs/development/simd.md).
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
    // Prepares an instruction set's version on a workload: takes inputs, outputs and scratch memory from it, always in
    // the same order. The returned call does the work; only that is timed.
    std::function<Call(Workload &, Isa)> prepare;
    int min_width = 1, min_height = 1;
    std::vector<unsigned> depths = {8, 10, 12, 16};
    double tolerance = 0; // relative, for float and double outputs; 0: every bit
};

// Define a constant of this type at namespace scope.
struct Registration {
    explicit Registration(Function function);
};

const std::vector<Function> &registered_functions();

} // namespace vmaf::equality
