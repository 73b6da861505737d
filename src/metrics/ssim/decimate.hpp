// The 9x9 low-pass and decimation by two between the scales of `float_ms_ssim` (fidelity.md 8.2).
#pragma once

#include <array>
#include <vector>

#include "base/aligned.hpp"
#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "metrics/ssim/float_rows.hpp"
#include "metrics/ssim/narrow.hpp"
#include "metrics/ssim/ssim_formula.hpp"

namespace vmaf {

inline constexpr int kLowPassRadius = 4;

// The symmetric low-pass by distance from the centre: [|v|][|u|].
inline constexpr std::array<std::array<float, kLowPassRadius + 1>, kLowPassRadius + 1> kLowPass = [] {
    std::array<std::array<float, kLowPassRadius + 1>, kLowPassRadius + 1> taps{};
    for (int v = 0; v <= kLowPassRadius; v++)
        for (int u = 0; u <= kLowPassRadius; u++) taps[std::size_t(v)][std::size_t(u)] = kernels::low_pass_tap(v, u);
    return taps;
}();

inline int decimated(int size) { return (size + 1) / 2; }

// Sums of a row under the low-pass rows it meets: distances 0, 2, 4 for rows at even positions, 1, 3 at odd ones.
using RowSums = std::array<double *, 3>;

struct DecimateFunctions {
    // `row` has kLowPassRadius samples before its first one and enough after it for `columns` outputs, two samples
    // apart.
    void (*row_sums)(const float *row, int columns, bool odd, const RowSums &sums, double *scratch);
    // Adds the nine row sums of an output row, top to bottom.
    void (*add_rows)(const std::array<const double *, 9> &sums, int columns, float *out);
    static std::size_t scratch_size(int columns) { return 8 * std::size_t(round_up(columns + 64, 64)); }
};

extern const DecimateFunctions decimate_scalar;
const DecimateFunctions &decimate_functions(Isa isa);

class Decimator {
  public:
    Decimator(int width, Isa isa); // of the widest image
    // `out` has decimated() sizes.
    void decimate(const FloatRows &in, FloatPlane &out, Parallel &parallel);

  private:
    static constexpr int kRing = 16; // rows whose sums are kept; at least 9
    static std::size_t slot(int position) { return std::size_t(position & (kRing - 1)); }

    struct Worker {
        Worker(int width, bool narrow);
        AlignedArray<float> samples, padded;
        AlignedArray<double> sums, scratch;
        std::array<RowSums, kRing> ring;
        // Where sums of f32 suffice: those sums, and per block whether they suffice and whether the others exist too.
        AlignedArray<float> narrow_sums;
        std::array<std::array<float *, 3>, kRing> narrow_ring;
        std::array<std::vector<std::uint8_t>, kRing> fits, made;
    };
    void decimate_rows(Worker &worker, const FloatRows &in, FloatPlane &out, int first, int last) const;
    void narrow_decimate_rows(Worker &worker, const FloatRows &in, FloatPlane &out, int first, int last) const;
    const float *padded_row(Worker &worker, const FloatRows &in, int position) const;

    const DecimateFunctions &functions_;
    const NarrowDecimation &narrow_;
    int width_;
    std::vector<Worker> workers_;
};

} // namespace vmaf
