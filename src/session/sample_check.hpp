// Metrics would score samples above the stated bit depth differently per instruction set, so such pictures are refused.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "picture/picture.hpp"
#include "picture/sample_range.hpp"

namespace vmaf {

enum class SampleOwner { reference, distorted };

// EINVAL; the message names the frame, the sample and the likely cause.
Error sample_above_depth(unsigned frame, SampleOwner owner, const SampleAbove &sample);

// Whether samples can exceed the depth: 8 and 16 bits fill their storage.
inline bool has_room_above_depth(const PictureFormat &format) { return format.bits > 8 && format.bits < 16; }

// Throws sample_above_depth() if one of `planes` (a bit each) of a host picture has a sample above the bit depth.
// Devices check their own pictures (sample_check_device.hpp).
void require_samples_in_range(const Picture &picture, unsigned planes, SampleOwner owner, unsigned frame, Isa isa,
                              Parallel &parallel);

// The bitwise OR of all samples in rows begin..end.
using BitsOfRows = std::uint16_t(const PlaneView<std::uint16_t> &plane, int begin, int end);
BitsOfRows bits_of_rows;
BitsOfRows *pick_bits_of_rows(Isa isa);

} // namespace vmaf
