// Samples above the stated bit depth: 10-bit data aligned to the top of 16 bits, or a wrong depth.
#pragma once

#include <cstdint>
#include <string>

#include "picture/picture.hpp"

namespace vmaf {

// The first such sample of a plane, row by row.
struct SampleAbove {
    unsigned bits; // the depth
    unsigned plane, x, y, value;
    bool is_aligned_high; // all samples of the plane use the top bits
};

// "luma sample of 1024 at column 3, row 4, above 1023, the largest of 10 bits; ", then the likely cause.
std::string describe(const SampleAbove &sample);

// The plane must contain one.
SampleAbove first_above(const PlaneView<std::uint16_t> &plane, unsigned number, unsigned bits);

} // namespace vmaf
