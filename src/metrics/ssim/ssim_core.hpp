// Shared by `float_ssim` and `float_ms_ssim` (fidelity.md 6): Gaussian-windowed means and variances of two images, and
// from them the means of luminance, contrast, structure and their product.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "base/aligned.hpp"
#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "metrics/real_tiles.hpp"
#include "metrics/ssim/float_rows.hpp"
#include "metrics/ssim/narrow.hpp"
#include "metrics/ssim/ssim_adder.hpp"
#include "metrics/ssim/ssim_formula.hpp"

namespace vmaf {

inline constexpr int kSsimTaps = kernels::kSsimTapCount;
inline constexpr int kSsimGroup = 16; // rows of terms made at once
inline constexpr int kSsimStrip =
    256; // columns of terms made at once, so that their windowed rows stay in the nearest caches
inline constexpr std::array<float, kSsimTaps> kSsimWindow = [] {
    std::array<float, kSsimTaps> taps{};
    for (int k = 0; k < kSsimTaps; k++) taps[std::size_t(k)] = kernels::ssim_tap(k);
    return taps;
}();
inline constexpr float kSsimC1 = kernels::kSsimConstant1;
inline constexpr float kSsimC2 = kernels::kSsimConstant2;
inline constexpr float kSsimC3 = kSsimC2 / 2;

struct SsimMeans {
    float ssim, luminance, contrast, structure;
};

// The means to compute; others cost nothing and are 0.
struct SsimWanted {
    bool ssim, luminance;
};

// Windowed rows: a, b, a*a, b*b, a*b.
inline constexpr int kSsimChannels = 5;
using SsimRow = std::array<float *, kSsimChannels>;

struct SsimFunctions {
    // One row of each channel from a row pair: reads columns + 10 samples, writes `columns`. `scratch` has
    // scratch_size().
    void (*horizontal)(const float *a, const float *b, int columns, const SsimRow &out, float *scratch);
    // `count` (at most kSsimGroup) rows of terms from 10 + count consecutive rows of each channel. Meanwhile advances
    // `earlier` by about as many terms.
    void (*vertical)(const SsimRow *rows, int columns, int count, const SsimTermRow *terms, SsimAdder &earlier,
                     float *scratch);
    static std::size_t scratch_size(int columns) { return 16 * std::size_t(round_up(columns + 64, 64)); }
};

extern const SsimFunctions ssim_scalar;
const SsimFunctions &ssim_functions(Isa isa);

// From the sums over all positions of width x height images, even if the window does not fit (6.4).
SsimMeans ssim_means(const SsimSums &sums, int width, int height);

// The positions along a side of `samples` that a box mean by `factor` has left. Each belongs to the tile with the
// middle of its window.
RealTiles::Axis ssim_tile_axis(int samples, int factor);

class SsimCore {
  public:
    SsimCore(int width, Isa isa); // for the widest images

    SsimMeans means(const FloatRows &a, const FloatRows &b, SsimWanted wanted, Parallel &parallel);
    // The products at all positions, row by row.
    void each_row(const FloatRows &a, const FloatRows &b, const std::function<void(int y, const double *ssim)> &take);

  private:
    // Terms added in any order, by the bands of one or several threads. Per thread:
    struct TileLane {
        TileLane(int width, const NarrowWindows &narrow);

        AlignedArray<float> carried, windowed, samples, scratch;
        std::vector<std::uint8_t> carried_fit; // per strip
        AlignedArray<double> terms;
        NarrowTermSums sums;
    };
    void add_tiles(TileLane &worker, const FloatRows &a, const FloatRows &b, bool luminance, int first, int count);
    void window_rows(TileLane &worker, const FloatRows &a, const FloatRows &b, int y, int count, int x, int columns,
                     float *out);
    void add_tile_in_doubles(TileLane &worker, float *carried, int columns, int count, bool luminance);
    // False: the order may matter for the last bit of a mean.
    bool unordered_means(const FloatRows &a, const FloatRows &b, bool luminance, Parallel &parallel, SsimMeans &means);

    // What a thread needs to make rows of terms.
    struct Worker {
        Worker(int width, int rows);
        SsimTermRow term_row(int i, SsimWanted wanted);

        std::ptrdiff_t stride;
        AlignedArray<float> carried; // per strip, the windowed rows that the next group needs again
        AlignedArray<float> windowed, samples, scratch, structure;
        AlignedArray<double> ssim, luminance, contrast;
    };
    void band(Worker &worker, const FloatRows &a, const FloatRows &b, SsimWanted wanted, int first, int count,
              SsimAdder *adder);

    const SsimFunctions &functions_;
    const NarrowWindows &narrow_;
    int width_;
    std::vector<Worker> workers_;
    std::vector<TileLane> tile_lanes_;
};

// The decibel scale of both metrics (7.2): at most `most`, which is infinite unless clipped.
double ssim_in_decibels(double ssim, double most);
double ssim_most_decibels(const PictureFormat &format, bool clip);

} // namespace vmaf
