// Sections 3 to 9, row by row: every operation rounds separately, and the order of operations is part of the
// definition.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu/cpu.hpp"
#include "metrics/ssimulacra2/ssimulacra2_formula.hpp"
#include "metrics/ssimulacra2/ssimulacra2_norms.hpp"

namespace vmaf::ssimulacra2 {

using kernels::EotfStep;
using kernels::YuvMatrix;
YuvMatrix yuv_matrix(int index); // 0..3, as in the option yuv_matrix

// Section 3: the chroma sample of a luma position along one axis.
int chroma_position(int luma, int luma_size, int chroma_size);

const std::array<EotfStep, 1024> &eotf_table(); // section 4
float to_linear(float value);

float cube_root(float x); // section 5

// Section 6: the shares of R, G, B that each kind of cone absorbs.
inline constexpr std::array<std::array<float, 3>, 3> kAbsorption = {{
    {0.30f, (1.0f - 0.30f) - 0.078f, 0.078f},
    {0.23f, (1.0f - 0.23f) - 0.078f, 0.078f},
    {0.24342268924547819f, 0.20476744424496821f, (1.0f - 0.24342268924547819f) - 0.20476744424496821f},
}};
inline constexpr float kAbsorptionBias = 0.0037930732552754493f;
inline constexpr float kRootOfBias = std::bit_cast<float>(0x3e1fb27bu); // cube_root(kAbsorptionBias)

// Three rows of one picture: R, G, B or X, Y, B.
using Rows = std::array<float *, 3>;
using ConstRows = std::array<const float *, 3>;

// The samples of a row and how to read them.
template <class T> struct YuvRow {
    const T *y, *u, *v;
    const int *columns; // chroma position of each luma column
    int columns_each;   // luma columns per chroma column: 1 or 2, or 0 if they vary
    float scale;        // 1 / (2^bits - 1)
};
template <class T> using LinearRow = void(const YuvRow<T> &in, const YuvMatrix &matrix, const Rows &rgb, int width);

// Section 8
using kernels::kBlurAhead, kernels::kBlurSpan;
inline constexpr int kPoles = kernels::kBlurPoles;
inline constexpr std::array<float, kPoles> kBlurGain = {std::bit_cast<float>(kernels::blur_gain(0)),
                                                        std::bit_cast<float>(kernels::blur_gain(1)),
                                                        std::bit_cast<float>(kernels::blur_gain(2))};
inline constexpr std::array<float, kPoles> kBlurPole = {std::bit_cast<float>(kernels::blur_pole(0)),
                                                        std::bit_cast<float>(kernels::blur_pole(1)),
                                                        std::bit_cast<float>(kernels::blur_pole(2))};

// The blurred signals of a channel: both pictures, their squares, their product. Edge maps need only the first two.
enum Signal { kMean1, kMean2, kSquare1, kSquare2, kProduct, kSignals };
inline constexpr int kEdgeSignals = 2;

// A piece of one channel: some columns of some rows during blur and maps. Vector code processes strips of columns down
// the picture, so that a strip's data stays in the cache; scalar code takes whole rows, because it sums the maps in
// pixel order. All rows here begin at the strip's first column. Rows are in rings; a picture's row is at its number
// modulo kRing.
inline constexpr int kGroup = 16, kRing = kGroup + kBlurSpan;
inline constexpr int kTile = 64; // columns whose maps vector code makes together

struct RowGroup {
    int width, height;                // of the scale
    int left, columns;                // the strip
    int first, count;                 // rows entering the vertical blur; those from `height` on are zero
    int signals;                      // kEdgeSignals or kSignals
    std::ptrdiff_t stride;            // of all rows
    std::array<const float *, 2> xyb; // rings of both pictures, kBlurAhead columns wider than the strip
    int xyb_ring;                     // rows per ring, at least kRing
    float *blurred;                   // rings of the horizontal blur, one per signal
    float *states;                    // of the vertical blur: 2 * kPoles rows per signal, zero before the first group
    float *carry;                     // of the horizontal blur, between strips: kCarryFloats
    float *outputs;                   // room for output_floats()
    const float *zeros;               // a row of zeros

    const float *xyb_row(int picture, int y) const { return xyb[std::size_t(picture)] + (y % xyb_ring) * stride; }
    float *blurred_row(int signal, int y) const { return blurred + (signal * kRing + y % kRing) * stride; }
    // Input of the vertical blur: zero outside the picture.
    const float *input_row(int signal, int y) const { return y >= 0 && y < height ? blurred_row(signal, y) : zeros; }
    float *state(int signal) const { return states + signal * 2 * kPoles * stride; }
};
inline std::size_t output_floats(std::ptrdiff_t stride) {
    return std::size_t(kSignals) * std::max(std::size_t(stride), std::size_t(kGroup * kTile));
}
// Per row: the recursions of all signals, and the samples of both pictures that have not left the filter.
inline constexpr int kCarryFloats = kGroup * (kSignals * 2 * kPoles + 2 * kBlurSpan);

// Row operations. Rows of floats may be written up to their padding.
struct ColourFunctions {
    LinearRow<std::uint8_t> *linear_row8; // sections 3 and 4
    LinearRow<std::uint16_t> *linear_row16;
    void (*xyb_row)(const ConstRows &rgb, const Rows &xyb, int width);                // section 6
    void (*halve_rows)(const float *top, const float *bottom, float *out, int width); // section 7; input's width
};
extern const ColourFunctions scalar_colour;
const ColourFunctions &pick_colour(Isa isa);

struct BlurFunctions {
    int strip;                                // columns per strip, even; 0: whole rows
    void (*blur_rows)(const RowGroup &group); // section 8, horizontal
    // Section 8, vertical, and section 9 for the rows that it completes.
    void (*score_rows)(const RowGroup &group, const Needs &needs, MapSums &sums);
};
extern const BlurFunctions scalar_blur;
const BlurFunctions &pick_blur(Isa isa);

} // namespace vmaf::ssimulacra2
