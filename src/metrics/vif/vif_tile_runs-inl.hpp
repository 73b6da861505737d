// Per target: sums over the pixels of rows in segment order, of a whole strip and of its tiles (maps.md 2). Include it
// inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_TILE_RUNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_TILE_RUNS_INL_HPP
#undef VMAF_VIF_TILE_RUNS_INL_HPP
#else
#define VMAF_VIF_TILE_RUNS_INL_HPP
#endif

#include <algorithm>
#include <numeric>
#include <optional>

#include "metrics/vif/vif_segments-inl.hpp"
#include "metrics/vif/vif_strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Sums over pixels per lane; noise as the sums of the numbers, modulo 2^32, and of their upper halves. 32 bits suffice
// for 2^15 pixels: logarithms are below 2^15 (vif.md 2.7), halves of noise below 2^16.
struct LaneSums {
    V32 den, num, above, noise_low, noise_high;
};

// The sums of all lanes over any number of pixels.
class LaneTotals {
    static constexpr int kWords = kLanes / 2;
    struct alignas(64) Total {
        std::int64_t words[kWords] = {};

        HWY_INLINE void add(V32 v) {
            const hn::RepartitionToWide<D32> d;
            const hn::Half<D32> half;
            const auto sum =
                hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, v)), hn::PromoteTo(d, hn::UpperHalf(half, v)));
            hn::Store(hn::Add(hn::Load(d, words), sum), d, words);
        }
        std::int64_t sum() const { return std::accumulate(words, words + kWords, std::int64_t{0}); }
    };

  public:
    HWY_INLINE void add(const LaneSums &sums) {
        den_.add(sums.den);
        num_.add(sums.num);
        above_.add(sums.above);
        noise_rest_.add(hn::Sub(sums.noise_low, hn::ShiftLeft<16>(sums.noise_high)));
        noise_high_.add(sums.noise_high);
    }
    HWY_INLINE void add_second(V32 num) { second_num_.add(num); }
    StripSums total(std::int64_t pixels) const {
        const std::int64_t noise = (noise_high_.sum() << 16) + noise_rest_.sum();
        return {{num_.sum(), den_.sum(), noise, pixels - above_.sum()}, second_num_.sum()};
    }

  private:
    Total den_, num_, second_num_, above_, noise_rest_, noise_high_;
};

// Cuts vectors into runs where a lane enters another tile, so that each lane of a run is in one tile.
class TileRuns {
    static constexpr int kWords = 5;
    static constexpr int kMostPixels = 1 << 16; // per lane; unsigned, the lower halves of noise fit

  public:
    static constexpr std::size_t scratch_bytes(int vectors) {
        return std::size_t(vectors) * (kWords * kLanes + 1) * sizeof(std::int32_t);
    }
    TileRuns(const Strip &strip, const Segments &segments, std::byte *scratch)
        : segments_(segments), sums_(reinterpret_cast<std::int32_t *>(scratch)),
          ends_(sums_ + segments.vectors * kWords * kLanes), strip_sums_(strip.tile_sums) {
        if (!strip.tiles) return;
        tiles_.emplace(*strip.tiles, strip.scale);
        std::fill_n(sums_, segments.vectors * (kWords * kLanes + 1), 0);
        for (int tile = 1; tile < tiles_->columns(); tile++)
            ends_[tiles_->first_column(tile) / 2 % segments.vectors] = 1; // edges are even (maps.md 1)
        int longest = 0;
        for (int j = 1, begin = 0; j <= segments.vectors; j++) {
            if (j < segments.vectors && !ends_[j]) continue;
            ends_[count_++] = j;
            longest = std::max(longest, j - begin), begin = j;
        }
        most_rows_ = std::max(1, kMostPixels / (2 * longest));
    }

    bool wanted() const { return tiles_.has_value(); }
    int count() const { return count_; }
    int end(int run) const { return ends_[run]; }

    // Call it in row order.
    void begin_row(int y) {
        const int tile_row = tiles_->row_of(y);
        if (rows_ == most_rows_ || (rows_ > 0 && tile_row != tile_row_)) hand_over();
        tile_row_ = tile_row;
        rows_++;
    }
    HWY_INLINE void add(int run, const LaneSums &sums) {
        const D32 d;
        std::int32_t *const to = sums_ + run * kWords * kLanes;
        const V32 words[kWords] = {sums.den, sums.num, sums.above, sums.noise_low, sums.noise_high};
        for (int w = 0; w < kWords; w++) hn::Store(hn::Add(hn::Load(d, to + w * kLanes), words[w]), d, to + w * kLanes);
    }
    StripSums total() {
        if (rows_ > 0) hand_over();
        return total_;
    }

  private:
    HWY_NOINLINE void hand_over() {
        ScaleSums *const row = strip_sums_ + tile_row_ * tiles_->columns();
        for (int tile = 0; tile < tiles_->columns(); tile++)
            add(row[tile],
                {0, 0, 0, std::int64_t(rows_) * (tiles_->first_column(tile + 1) - tiles_->first_column(tile))});
        for (int lane = 0; lane < kLanes; lane++)
            for (int run = 0, tile = 0; run < count_; run++) {
                const int column = 2 * (lane * segments_.vectors + (run > 0 ? ends_[run - 1] : 0));
                if (column >= segments_.width) break;
                while (tiles_->first_column(tile + 1) <= column) tile++;
                add(row[tile], of_lane(sums_ + run * kWords * kLanes + lane));
            }
        std::fill_n(sums_, count_ * kWords * kLanes, 0);
        rows_ = 0;
    }
    static ScaleSums of_lane(const std::int32_t *words) {
        const auto low = std::uint32_t(words[3 * kLanes]), high = std::uint32_t(words[4 * kLanes]);
        return {words[kLanes], words[0], (std::int64_t(high) << 16) + std::int64_t(std::uint32_t(low - (high << 16))),
                -std::int64_t(words[2 * kLanes])};
    }
    void add(ScaleSums &tile, const ScaleSums &sums) {
        tile += sums;
        total_.first += sums;
    }

    const Segments &segments_;
    std::int32_t *sums_, *ends_; // of runs
    ScaleSums *strip_sums_;
    std::optional<ScaleTiles> tiles_;
    int count_ = 0, most_rows_ = 1, rows_ = 0, tile_row_ = 0;
    StripSums total_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
