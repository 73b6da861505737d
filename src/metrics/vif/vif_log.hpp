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

// 8 pieces of 256 steps: c0 + t (c1 + t (c2 + t (c3 + t c4))), t = w - 1 - 2^-4, every step fused and rounded to
// nearest.
inline constexpr int kQuarticPieces = 8;
alignas(64) inline constexpr float kLogQuartic[5][kQuarticPieces] = {
    {0x1.673ff6p+7f, 0x1.f8837p+7f, 0x1.23f782p+8f, 0x1.30c176p+8f, 0x1.271e64p+8f, 0x1.0a82bep+8f, 0x1.bb4accp+7f,
     0x1.4563ep+7f},
    {0x1.5b9ac8p+11f, 0x1.37039ap+11f, 0x1.1964f8p+11f, 0x1.00ecd6p+11f, 0x1.d8be16p+10f, 0x1.b5b90ep+10f,
     0x1.97896ap+10f, 0x1.7d3e7ep+10f},
    {-0x1.472764p+10f, -0x1.05f498p+10f, -0x1.accadap+9f, -0x1.657536p+9f, -0x1.2e8aecp+9f, -0x1.0368e6p+9f,
     -0x1.c1ac4cp+8f, -0x1.8978bcp+8f},
    {0x1.9b634ep+9f, 0x1.267ddap+9f, 0x1.b45cfp+8f, 0x1.4bfcc4p+8f, 0x1.02d748p+8f, 0x1.99898p+7f, 0x1.4bcbe2p+7f,
     0x1.0e6012p+7f},
    {-0x1.1ec88cp+9f, -0x1.82bc3cp+8f, -0x1.f2dc72p+7f, -0x1.585af4p+7f, -0x1.db5d52p+6f, -0x1.803592p+6f,
     -0x1.f99014p+5f, -0x1.48f4f2p+5f},
};

} // namespace vmaf::vif
