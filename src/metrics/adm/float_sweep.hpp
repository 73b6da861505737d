// One pass over the rows of a pair of pictures for `float_adm`; see sweep.hpp.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "metrics/adm/float_rows.hpp"
#include "metrics/adm/sweep_parts.hpp"
#include "metrics/metric.hpp"
#include "metrics/real_tiles.hpp"
#include "picture/picture.hpp"

namespace vmaf::adm {

// Inputs of the work on pixels.
struct FloatPlan {
    int width, height, bits;
    bool skip_scale0, bypass_masking;
    double gain_limit, exponent;
    std::array<std::array<float, kBands>, kScales> factor; // F of 4.7
};

// Sums of a scale's rows. Added from top to bottom once complete, whichever thread made them.
struct FloatRowSums {
    using PerBand = std::array<float, kBands>;
    std::vector<PerBand> den, num, aim; // per row
};
using FloatFrameSums = std::array<FloatRowSums, kScales>;
FloatFrameSums make_float_sums(int width, int height);

// Over the window's rows, from top to bottom.
FloatRowSums::PerBand total(const std::vector<FloatRowSums::PerBand> &rows, const Window &window);
// Root of the frame's sums, plus the noise floor; the three bands added (4.6).
float pooled(FloatRowSums::PerBand sums, double coefficients, double exponent, double noise_weight);

// Sums of a scale's tiles: den, num and aim per band, with their numbers of coefficients.
inline constexpr std::size_t kFloatTileWords = 3 * kBands * 2;
// The coefficients of a scale along a side.
inline RealTiles::Axis float_tile_axis(int scale, int samples) { return {samples, std::int64_t(2) << scale, 1, 0}; }

void store_scale(std::size_t scale, const ScaleValues &values, FrameResult &result);

class FloatSweep {
  public:
    // Share `part` of `parts` of the scored rows, or with tiles of all rows. The plan must outlive the sweep.
    FloatSweep(const FloatPlan &plan, const FloatRowFunctions &functions, int part = 0, int parts = 1,
               bool with_tiles = false);
    ~FloatSweep();
    FloatSweep(FloatSweep &&) noexcept;

    // Computes the rows of the share. `tiles`: empty, or one per
    // scale.
    template <class T>
    void run(const PlaneView<T> &ref, const PlaneView<T> &dist, FloatFrameSums &sums, std::span<RealTiles> tiles = {});

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf::adm
