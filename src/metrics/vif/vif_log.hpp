// The logarithm table of vif.md 2.7 as polynomials, exact for all 32768 entries (vif_test.cpp checks each). With z as a
// truncated float, its exponent and the top bits of its fraction give a piece number; the next bits of the fraction are
// the argument w of the piece's polynomial, and:
// T-style logarithm = step * piece number + floor(polynomial) - 2048 * 127. The coefficients result from fitting each
// piece inside its staircase and then searching over their last bits.
#pragma once

#include <cstdint>

namespace vmaf::vif {

// 32 pieces of 64 steps in 16-bit integers: (A + mulhi(x, B - mulhi(x, C))) >> 8, where mulhi is the upper half of the
// product and x is the ten bits below the piece's, shifted left by 6, plus kLogOffset16.
inline constexpr int kLogPieces16 = 32, kLogOffset16 = 8;
alignas(64) inline constexpr std::uint16_t kLog16[3][kLogPieces16] = {
    {125,   7017,  13214, 18756, 23679, 28020, 31808, 35071, 37836, 40130, 41973, 43388, 44394, 45008, 45249, 45130,
     44671, 43884, 42780, 41375, 39679, 37703, 35456, 32952, 30198, 27202, 23971, 20518, 16846, 12965, 8881,  4599},
    {23636, 22916, 22239, 21606, 21011, 20439, 19901, 19390, 18909, 18446, 18009, 17587, 17186, 16803, 16438, 16094,
     15757, 15434, 15127, 14830, 14543, 14268, 14007, 13751, 13504, 13267, 13042, 12818, 12606, 12399, 12198, 12006},
    {361, 336, 314, 300, 289, 268, 255, 241, 231, 219, 211, 200, 190, 180, 174, 169,
     161, 154, 148, 143, 137, 130, 127, 123, 117, 114, 111, 106, 103, 101, 97,  95},
};

// 8 pieces of 256 steps share a polynomial: base + t (c0 + t (c1 + t (c2 + t c3))), t = scale w - 1, every step fused
// and rounded to nearest. Bases are 1.5 * 2^23 plus an integer, so that the last step rounds to one, in its lowest
// bits.
inline constexpr int kSharedPieces = 8, kSharedBias = 0x4b400000; // the bits of 1.5 * 2^23
alignas(32) inline constexpr float kSharedScale[kSharedPieces] = {0x1.e1939ep-1f, 0x1.ae3f6ep-1f, 0x1.855d8cp-1f,
                                                                  0x1.639a3cp-1f, 0x1.47bfa4p-1f, 0x1.2eff7ep-1f,
                                                                  0x1.1ae122p-1f, 0x1.0818cp-1f};
alignas(32) inline constexpr float kSharedBase[kSharedPieces] = {0x1.8p23f + 181, 0x1.8p23f + 258, 0x1.8p23f + 297,
                                                                 0x1.8p23f + 309, 0x1.8p23f + 294, 0x1.8p23f + 270,
                                                                 0x1.8p23f + 217, 0x1.8p23f + 164};
inline constexpr float kSharedSeries[4] = {0x1.715472p+11f, -0x1.71516p+10f, 0x1.ed0d5ap+9f, -0x1.6f19a6p+9f};

} // namespace vmaf::vif
