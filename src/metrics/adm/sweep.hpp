// One pass over the rows of a pair of pictures: scale 0 makes one row from four picture rows and passes its A row to
// scale 1, and so on. Stores no planes; a sweep needs a few lines per scale and stays in the cache.
//
// A sweep covers a share of the scored rows of every scale. Several sweeps over disjoint shares add up to the frame:
// that is how threads split a frame.
#pragma once

#include <memory>
#include <span>

#include "metrics/adm/plan.hpp"
#include "metrics/adm/rows.hpp"
#include "metrics/adm/tile_sums.hpp"
#include "metrics/reference_halves.hpp"
#include "picture/picture.hpp"

namespace vmaf::adm {

// Plans for one format with different options: the wavelets are made once, everything later for each plan.
using Variants = std::span<const Plan *const>;

// A reference picture's wavelets, kept for all its encodes: details by scale and band, rows stacked.
class Wavelets final : public ReferenceHalf {
  public:
    explicit Wavelets(const Plan &plan);

    Bands<std::int16_t> first_row(int row);
    Bands<std::int32_t> later_row(std::size_t scale, int row);
    FrameSums denominators; // only these are used

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

// A run's use of wavelets: makes them, or uses those of another encode's run.
struct WaveletUse {
    Wavelets *wavelets = nullptr; // null: nothing is kept
    bool are_made = false;
};

class Sweep {
  public:
    // Share `part` of `parts`. The plans must outlive the sweep. `with_tiles`: for one variant; call begin_tiles()
    // before every run.
    Sweep(Variants variants, const RowFunctions &functions, int part = 0, int parts = 1, bool with_tiles = false);
    ~Sweep();
    Sweep(Sweep &&) noexcept;

    // Where to add the sums of tiles. Both must outlive the runs.
    void begin_tiles(const TileGrid &grid, std::span<Tile> tiles);
    // Adds the share's sums per variant, without denominators if the wavelets are made already. T: the samples' type.
    template <class T>
    void run(const PlaneView<T> &ref, const PlaneView<T> &dist, std::span<FrameSums> sums,
             const WaveletUse &reference = {});

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf::adm
