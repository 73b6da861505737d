// One pass over the rows of a pair of pictures: scale 0 makes one row from four picture rows and hands its A row to
// scale 1, and so on. No plane is stored; a sweep needs a few lines per scale and stays in the cache.
//
// A sweep covers a share of the scored rows of every scale. Several sweeps over disjoint shares, added up, are the
// frame: that is how one frame is split over threads.
#pragma once

#include <memory>

#include "metrics/adm/plan.hpp"
#include "metrics/adm/rows.hpp"
#include "picture/picture.hpp"

namespace vmaf::adm {

class Sweep {
  public:
    // Share `part` of `parts`. The plan must outlive the sweep.
    Sweep(const Plan &plan, const RowFunctions &functions, int part = 0, int parts = 1);
    ~Sweep();
    Sweep(Sweep &&) noexcept;

    // Adds the share's sums. T: the samples' type.
    template <class T> void run(const PlaneView<T> &ref, const PlaneView<T> &dist, FrameSums &sums);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf::adm
