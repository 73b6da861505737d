// fidelity.md 5 on vectors, with the same bits: products and sums are rounded one by one in the order of the scalar
// code.
#include <algorithm>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/ansnr/ansnr.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ansnr/ansnr_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_ordered_sum-inl.hpp"
#include "metrics/common/float_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::ansnr::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using vmaf::HWY_NAMESPACE::kOrderedRows;
using vmaf::HWY_NAMESPACE::ordered_sums;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

constexpr int kPadding = int(kAlignment / sizeof(float)); // before a row, so that it stays aligned
constexpr int kRing = 2 * kRadius + 1;

int row_stride(int width) { return round_up(width, 2 * kPadding) + 2 * kPadding; }

// A row as floats with kRadius mirrored samples on either side.
template <class T> void float_row(const T *in, int width, unsigned bits, float *out) {
    vmaf::HWY_NAMESPACE::vector_to_float_row(in, width, bits, -128.0f, out);
    for (int i = 1; i <= kRadius; i++) {
        out[-i] = out[mirrored(-i, width)];
        out[width - 1 + i] = out[mirrored(width - 1 + i, width)];
    }
}

// The sums of one distorted row under the three tap rows.
void row_sums(const float *row, int width, float *sums, int stride) {
    const DF d;
    VF taps[kRows][kColumns];
    for (std::size_t v = 0; v < kRows; v++)
        for (std::size_t u = 0; u < kColumns; u++) taps[v][u] = hn::Set(d, kTaps[v][u]);
    for (int x = 0; x < width; x += int(hn::Lanes(d))) {
        VF values[kColumns];
        for (int u = 0; u < kColumns; u++) values[u] = hn::LoadU(d, row + x - kRadius + u);
        for (int v = 0; v < kRows; v++) {
            VF sum = hn::Mul(taps[v][0], values[0]);
            for (int u = 1; u < kColumns; u++) sum = hn::Add(sum, hn::Mul(taps[v][u], values[u]));
            hn::Store(sum, d, sums + v * stride + x);
        }
    }
}

// R * R and (R - D) * (R - D) of one row.
void squares(const float *const ref[3], const float *const sums[5], int width, float *signal, float *noise) {
    const DF d;
    const VF sixteenth = hn::Set(d, 0.0625f);
    const auto column = [&](int x) HWY_ATTR {
        const VF here = hn::LoadU(d, ref[1] + x);
        return hn::Add(hn::Add(hn::LoadU(d, ref[0] + x), hn::Add(here, here)), hn::LoadU(d, ref[2] + x));
    };
    for (int x = 0; x < width; x += int(hn::Lanes(d))) {
        const VF centre = column(x);
        const VF r = hn::Mul(hn::Add(hn::Add(column(x - 1), hn::Add(centre, centre)), column(x + 1)), sixteenth);
        VF distorted = hn::Load(d, sums[0] + x);
        for (int k = 1; k < 5; k++) distorted = hn::Add(distorted, hn::Load(d, sums[k] + x));
        const VF error = hn::Sub(r, distorted);
        hn::Store(hn::Mul(r, r), d, signal + x);
        hn::Store(hn::Mul(error, error), d, noise + x);
    }
}

template <class T>
void row_energies(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end, float *signal,
                  float *noise, std::byte *scratch) {
    const int width = ref.width, height = ref.height, stride = row_stride(width);
    float *const ref_ring = reinterpret_cast<float *>(scratch) + kPadding;
    float *const sum_ring = ref_ring + kRing * stride; // kRows sums for each row
    float *const line = sum_ring + kRing * kRows * stride;
    float *const signals = line + stride, *const noises = signals + kOrderedRows * stride;

    int next = std::max(0, begin - kRadius); // first row that is not in the rings
    for (int top = begin; top < end; top += kOrderedRows) {
        const int rows = std::min(kOrderedRows, end - top);
        for (int y = top; y < top + rows; y++) {
            for (; next < std::min(height, y + kRadius + 1); next++) {
                float_row(ref.row(next), width, bits, ref_ring + next % kRing * stride);
                float_row(dist.row(next), width, bits, line);
                row_sums(line, width, sum_ring + next % kRing * kRows * stride, stride);
            }
            const float *around[3], *sums[5];
            for (int k = 0; k < 5; k++) {
                const int slot = mirrored(y - kRadius + k, height) % kRing;
                sums[k] = sum_ring + (slot * kRows + (k < kRows ? k : 4 - k)) * stride;
                if (k >= 1 && k <= 3) around[k - 1] = ref_ring + slot * stride;
            }
            squares(around, sums, width, signals + (y - top) * stride, noises + (y - top) * stride);
        }
        float results[kOrderedRows];
        ordered_sums(signals, stride, width, results);
        std::copy_n(results, rows, signal + top);
        ordered_sums(noises, stride, width, results);
        std::copy_n(results, rows, noise + top);
    }
}

} // namespace vmaf::ansnr::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::ansnr {

std::size_t scratch_bytes(int width) {
    constexpr std::size_t kRowsInAll = 5 + 5 * kRows + 1 + 2 * 16; // two rings, a line, rows of squares
    return kRowsInAll * sizeof(float) * (round_up(std::size_t(width), kAlignment) + kAlignment);
}

template <class T> RowEnergies<T> *pick_row_energies(Isa isa) {
    static constexpr SimdTable<RowEnergies<T>> kTable = {.scalar = &row_energies<T>,
                                                         VMAF_VECTOR_VERSIONS(row_energies<T>)};
    return kTable.pick(isa);
}
template RowEnergies<std::uint8_t> *pick_row_energies<std::uint8_t>(Isa);
template RowEnergies<std::uint16_t> *pick_row_energies<std::uint16_t>(Isa);

} // namespace vmaf::ansnr
#endif
