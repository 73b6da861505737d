// The stages' operations on single rows. Each works on `count` neighbouring samples and may read, but not write, beyond
// them.
#pragma once

#include <cstdint>

#include "cpu/cpu.hpp"

namespace vmaf::cambi {

struct RowFunctions {
    // Section 5: to 10 bits.
    void (*widen)(const std::uint8_t *from, std::uint16_t *to, int count);
    void (*convert)(const std::uint16_t *from, std::uint16_t *to, int count, unsigned bits);

    // Section 6: the mean of each sample, its right neighbour and the two below; in place.
    void (*remove_dither)(std::uint16_t *row, const std::uint16_t *below, int count);
    void (*sum_of_four)(const std::uint8_t *row, const std::uint8_t *below, std::uint16_t *to, int count); // 8 bits

    // Section 7: Z, which replaces that of seven rows earlier in `flat` and in the column totals; M, from the sums of
    // seven totals around each pixel, or each second one.
    void (*mark_flat)(const std::uint16_t *row, const std::uint16_t *below, std::uint8_t *flat, std::uint8_t *totals,
                      int count);
    void (*mask)(const std::uint8_t *totals, int threshold, std::uint8_t *mask, int count);
    void (*mask_halved)(const std::uint8_t *totals, int threshold, std::uint8_t *mask, int count);

    // Section 8. `to` may be `from`.
    void (*decimate_image)(const std::uint16_t *from, std::uint16_t *to, int count);
    void (*decimate_mask)(const std::uint8_t *from, std::uint8_t *to, int count);

    // Section 8: the mode of a sample and its neighbours along the row, and of three rows.
    void (*mode_along)(const std::uint16_t *row, std::uint16_t *out, int count);
    void (*mode_across)(const std::uint16_t *above, const std::uint16_t *here, const std::uint16_t *below,
                        std::uint16_t *out, int count);
};

extern const RowFunctions scalar_rows;
const RowFunctions &pick_rows(Isa isa);

} // namespace vmaf::cambi
