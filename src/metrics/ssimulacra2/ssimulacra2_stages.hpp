// Sections 3 to 9, row by row. The functions here are the scalar reference; every operation rounds by itself, and the
// order of operations is part of the definition.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "metrics/ssimulacra2/ssimulacra2_norms.hpp"

namespace vmaf::ssimulacra2 {

// Section 3: from samples to R'G'B'.
struct YuvMatrix {
    float rv, bu, gu, gv;             // chroma weights
    float y_offset, y_scale, c_scale; // range expansion
};
YuvMatrix yuv_matrix(int index); // 0..3, as the option yuv_matrix

// Section 3: the chroma sample of a luma position along one axis.
int chroma_position(int luma, int luma_size, int chroma_size);

// Section 4: E[i] and E[i+1] - E[i], side by side.
struct EotfStep {
    float value, rise;
};
const std::array<EotfStep, 1024> &eotf_table();
float to_linear(float value);

float cube_root(float x); // section 5

// Three rows of one picture: R, G, B or X, Y, B.
using Rows = std::array<float *, 3>;
using ConstRows = std::array<const float *, 3>;

// Samples of one row and how to read them.
template <class T> struct YuvRow {
    const T *y, *u, *v;
    const int *columns; // chroma position of each luma column
    float scale;        // 1 / (2^bits - 1)
};
template <class T> void linear_row(const YuvRow<T> &in, const YuvMatrix &matrix, const Rows &rgb, int width);

void xyb_row(const ConstRows &rgb, const Rows &xyb, int width);                // section 6
void halve_rows(const float *top, const float *bottom, float *out, int width); // section 7; width of the input

// Section 8. A sample enters the filter at its own position plus kBlurAhead and counts again when it leaves
// kBlurSpan samples later; the output at the position of the sample that entered kBlurAhead samples ago is complete.
inline constexpr int kBlurAhead = 4, kBlurSpan = 10;
inline constexpr int kPoles = 3;
inline constexpr std::array<float, kPoles> kBlurGain = {
    std::bit_cast<float>(0x3d627d42u), std::bit_cast<float>(0xbd70febdu), std::bit_cast<float>(0x3c5444a5u)};
inline constexpr std::array<float, kPoles> kBlurPole = {
    std::bit_cast<float>(0xbff37871u), std::bit_cast<float>(0xbf967918u), std::bit_cast<float>(0xa50d3132u)};

// What is blurred of a channel: both pictures, their squares, their product. The first two do for the edge maps.
enum Signal { kMean1, kMean2, kSquare1, kSquare2, kProduct, kSignals };
inline constexpr int kEdgeSignals = 2;

// Rows of one channel that travel together through blur and maps. Rows lie in rings of kRing rows; a row of the picture
// is found by its number modulo kRing.
inline constexpr int kGroup = 16, kRing = 32;
static_assert(kRing >= kGroup + kBlurSpan);

struct RowGroup {
    int width, height;                // of the scale
    int first, count;                 // rows entering the vertical blur; those from `height` on are zero
    int signals;                      // kEdgeSignals or kSignals
    std::ptrdiff_t stride;            // of all rows
    std::array<const float *, 2> xyb; // rings of both pictures
    float *blurred;                   // rings of the horizontal blur, one per signal
    float *states;                    // of the vertical blur: 2 * kPoles rows per signal, zero before the first group
    float *outputs;                   // room for kSignals * kGroup rows
    const float *zeros;               // a row

    const float *xyb_row(int picture, int y) const { return xyb[std::size_t(picture)] + (y % kRing) * stride; }
    float *blurred_row(int signal, int y) const { return blurred + (signal * kRing + y % kRing) * stride; }
    // As the vertical blur sees them: zero outside the picture.
    const float *input_row(int signal, int y) const { return y >= 0 && y < height ? blurred_row(signal, y) : zeros; }
    float *state(int signal) const { return states + signal * 2 * kPoles * stride; }
};

// The horizontal blur of the group's rows.
void blur_rows(const RowGroup &group);
// The vertical blur of these rows, and sections 9's maps of the rows that it completes.
void score_rows(const RowGroup &group, const Needs &needs, MapSums &sums);

} // namespace vmaf::ssimulacra2
