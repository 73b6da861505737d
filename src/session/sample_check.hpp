// Samples above the depth that the picture states: 10-bit data aligned to the top of 16 bits, or the wrong depth. What
// metrics make of them depends on the instruction set, so they see none.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "picture/picture.hpp"

namespace vmaf {

enum class SampleOwner { reference, distorted };

class SampleRangeError : public Error {
  public:
    SampleRangeError(const std::string &sentence, unsigned frame, SampleOwner owner, unsigned plane, unsigned value)
        : Error(EINVAL, sentence), frame(frame), owner(owner), plane(plane), value(value) {}

    unsigned frame;
    SampleOwner owner;
    unsigned plane, value; // of the first such sample, row by row
};

// Throws SampleRangeError for a sample above the depth in one of `planes` (one bit each). Pictures in device memory are
// not looked at.
void require_samples_in_range(const Picture &picture, unsigned planes, SampleOwner owner, unsigned frame, Isa isa,
                              Parallel &parallel);

// All bits that samples in rows begin..end have.
using BitsOfRows = std::uint16_t(const PlaneView<std::uint16_t> &plane, int begin, int end);
BitsOfRows bits_of_rows;
BitsOfRows *pick_bits_of_rows(Isa isa);

} // namespace vmaf
