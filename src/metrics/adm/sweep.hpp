// One pass over the rows of a pair of pictures: scale 0 makes one row from four picture rows and hands its A row to
// scale 1, and so on. No plane is stored; a sweep needs a few lines per scale and stays in the cache.
//
// A sweep covers a share of the scored rows of every scale. Several sweeps over disjoint shares, added up, are the
// frame: that is how one frame is split over threads.
#pragma once

#include <memory>
#include <span>

#include "metrics/adm/plan.hpp"
#include "metrics/adm/rows.hpp"
#include "metrics/adm/tile_sums.hpp"
#include "picture/picture.hpp"

namespace vmaf::adm {

// Plans for one format that differ in options: the wavelets are made once, everything after them for each.
using Variants = std::span<const Plan *const>;

class Sweep {
  public:
    // Share `part` of `parts`. The plans must outlive the sweep. `with_tiles`: of one variant; begin_tiles() precedes
    // every run.
    Sweep(Variants variants, const RowFunctions &functions, int part = 0, int parts = 1, bool with_tiles = false);
    ~Sweep();
    Sweep(Sweep &&) noexcept;

    // Where the sums of tiles are to be added. Both must outlive the runs.
    void begin_tiles(const TileGrid &grid, std::span<Tile> tiles);
    // Adds the share's sums, by variant. T: the samples' type.
    template <class T> void run(const PlaneView<T> &ref, const PlaneView<T> &dist, std::span<FrameSums> sums);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf::adm
