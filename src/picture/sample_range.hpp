// Samples above the depth that a picture states: 10-bit data aligned to the top of 16 bits, or the wrong depth.
#pragma once

#include <cstdint>
#include <string>

#include "picture/picture.hpp"

namespace vmaf {

// The first one of a plane, row by row.
struct SampleAbove {
    unsigned bits; // the depth
    unsigned plane, x, y, value;
    bool is_aligned_high; // all samples of the plane have their bits at the top of 16
};

// "luma sample of 1024 at column 3, row 4, above 1023, the largest of 10 bits; " and the likely cause.
std::string describe(const SampleAbove &sample);

// Of a plane that has one.
SampleAbove first_above(const PlaneView<std::uint16_t> &plane, unsigned number, unsigned bits);

} // namespace vmaf
