#include "picture/sample_range.hpp"

namespace vmaf {

std::string describe(const SampleAbove &s) {
    static constexpr const char *kPlanes[] = {"luma", "Cb", "Cr"};
    const std::string cause =
        s.is_aligned_high
            ? "the samples seem to be aligned to the top of 16 bits, as in P010: shift them right by " +
                  std::to_string(16 - s.bits) + " bits"
            : "the stated bit depth is probably wrong, or the samples are not in the low bits of little-endian words";
    return std::string(kPlanes[s.plane]) + " sample of " + std::to_string(s.value) + " at column " +
           std::to_string(s.x) + ", row " + std::to_string(s.y) + ", above " + std::to_string((1u << s.bits) - 1) +
           ", the largest of " + std::to_string(s.bits) + " bits; " + cause;
}

SampleAbove first_above(const PlaneView<std::uint16_t> &plane, unsigned number, unsigned bits) {
    SampleAbove first{.bits = bits, .plane = number, .x = 0, .y = 0, .value = 0, .is_aligned_high = true};
    unsigned all = 0;
    for (int y = 0; y < plane.height; y++)
        for (int x = 0; x < plane.width; x++) {
            const unsigned value = plane.row(y)[x];
            all |= value;
            if (first.value || value >> bits == 0) continue;
            first.x = static_cast<unsigned>(x);
            first.y = static_cast<unsigned>(y);
            first.value = value;
        }
    first.is_aligned_high = (all & ((1u << (16 - bits)) - 1)) == 0;
    return first;
}

} // namespace vmaf
