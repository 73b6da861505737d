// What metrics make of samples above the depth that a picture states depends on the instruction set, so they see none.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "picture/picture.hpp"
#include "picture/sample_range.hpp"

namespace vmaf {

enum class SampleOwner { reference, distorted };

// EINVAL; the sentence names the frame, the sample and the likely cause.
Error sample_above_depth(unsigned frame, SampleOwner owner, const SampleAbove &sample);

// Such pictures can have samples above their depth: 8 and 16 bits fill what they are stored in.
inline bool has_room_above_depth(const PictureFormat &format) { return format.bits > 8 && format.bits < 16; }

// Throws sample_above_depth() for a sample above the depth in one of `planes` (one bit each) of a picture in host
// memory. Devices look themselves (sample_check_device.hpp).
void require_samples_in_range(const Picture &picture, unsigned planes, SampleOwner owner, unsigned frame, Isa isa,
                              Parallel &parallel);

// All bits that samples in rows begin..end have.
using BitsOfRows = std::uint16_t(const PlaneView<std::uint16_t> &plane, int begin, int end);
BitsOfRows bits_of_rows;
BitsOfRows *pick_bits_of_rows(Isa isa);

} // namespace vmaf
