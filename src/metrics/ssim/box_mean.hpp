// The box reduction of `float_ssim` (fidelity.md 7.1).
#pragma once

#include <array>
#include <vector>

#include "base/aligned.hpp"
#include "metrics/metric.hpp"
#include "metrics/ssim/float_rows.hpp"

namespace vmaf {

// Odd sizes gain one column or row with any factor.
inline int box_reduced(int size, int factor) { return size / factor + (size & 1); }

class BoxMean {
  public:
    BoxMean(int width, int factor);
    // `out` has box_reduced() sizes.
    void reduce(const FloatRows &in, FloatPlane &out, Parallel &parallel);

  private:
    template <class T, class Sum>
    void reduce_rows(const FloatRows &in, FloatPlane &out, int first, int last, Sum *sums);

    int width_, factor_;
    std::vector<AlignedArray<double>> column_sums_; // one per thread
};

} // namespace vmaf
