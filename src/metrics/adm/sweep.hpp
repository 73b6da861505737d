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
#include "metrics/reference_halves.hpp"
#include "picture/picture.hpp"

namespace vmaf::adm {

// Plans for one format that differ in options: the wavelets are made once, everything after them for each.
using Variants = std::span<const Plan *const>;

// The wavelets of a reference picture, kept for all encodes of it: details by scale and band, one row under another.
class Wavelets final : public ReferenceHalf {
  public:
    explicit Wavelets(const Plan &plan);

    Bands<std::int16_t> first_row(int row);
    Bands<std::int32_t> later_row(std::size_t scale, int row);
    FrameSums denominators; // and nothing else

  private:
    template <class T> struct Details {
        std::array<AlignedArray<T>, kBands> bands;
        std::ptrdiff_t pitch = 0; // rows have margins

        Details() = default;
        explicit Details(const Window &window);
        Bands<T> row(int y);
    };
    Details<std::int16_t> first_;
    std::array<Details<std::int32_t>, kScales> later_;
};

// What a run has of them: to be made, or made by the run of another encode.
struct WaveletUse {
    Wavelets *wavelets = nullptr; // null: nothing is kept
    bool are_made = false;
};

class Sweep {
  public:
    // Share `part` of `parts`. The plans must outlive the sweep. `with_tiles`: of one variant; begin_tiles() precedes
    // every run.
    Sweep(Variants variants, const RowFunctions &functions, int part = 0, int parts = 1, bool with_tiles = false);
    ~Sweep();
    Sweep(Sweep &&) noexcept;

    // Where the sums of tiles are to be added. Both must outlive the runs.
    void begin_tiles(const TileGrid &grid, std::span<Tile> tiles);
    // Adds the share's sums, by variant; without denominators where wavelets are made. T: the samples' type.
    template <class T>
    void run(const PlaneView<T> &ref, const PlaneView<T> &dist, std::span<FrameSums> sums,
             const WaveletUse &reference = {});

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf::adm
