// Shared by strips of all depths: the ring of row pairs, rows after the vertical filter, the next scale. Include it
// inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_STRIP_FILTER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_STRIP_FILTER_INL_HPP
#undef VMAF_VIF_STRIP_FILTER_INL_HPP
#else
#define VMAF_VIF_STRIP_FILTER_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/vif/vif_filter-inl.hpp"
#include "metrics/vif/vif_looped_filter-inl.hpp"
#include "metrics/vif/vif_pipeline-inl.hpp"
#include "metrics/vif/vif_ring-inl.hpp"
#include "metrics/vif/vif_segments-inl.hpp"
#include "metrics/vif/vif_statistics-inl.hpp"
#include "metrics/vif/vif_strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// For lambdas that must be inlined, so that their vectors stay in registers.
#undef VMAF_VIF_INLINE
#define VMAF_VIF_INLINE HWY_ATTR __attribute__((always_inline))

constexpr int kGroup = 4;              // rows per pass
constexpr int kMaxHalo = 4;            // vectors before and after a row
constexpr int kSlack = 2;              // more vectors after it that may be read
constexpr int kNextStep = 2 * kVector; // in rows of the next scale: reference and distorted interleaved

constexpr int row_vectors(int vectors) { return vectors + 2 * kMaxHalo + kSlack; }

// Shared by strips of all depths. `Derived` has enter_pair(pair) and vertical_pass<statistics>(y).
template <int Scale, class Dot, class Derived> class StripFilter : protected Ring {
  public:
    StripSums run() { return strip_.half_kept ? run_with<true>() : run_with<false>(); }

  protected:
    static constexpr bool kHasNext = Scale + 1 < kScales;
    static constexpr int kNext = kHasNext ? Scale + 1 : Scale;

    StripFilter(const Strip &strip, std::byte *memory, int channels)
        : Ring(strip, memory, channels), borders_(segments_), next_borders_(segments_),
          row_pitch_(row_vectors(segments_.vectors)), rows_(ring_ + kRingPairs * channels_ * pitch_),
          next_rows_(rows_ + kGroup * row_pitch_ * kStep),
          statistics_(reinterpret_cast<std::byte *>(next_rows_ + 2 * row_pitch_ * kNextStep)) {}

    std::int16_t *row(int i) const { return rows_ + (i * row_pitch_ + kMaxHalo) * kStep; }
    std::int16_t *next_row(int i) const { return next_rows_ + (i * row_pitch_ + kMaxHalo) * kNextStep; }

    // Prefetches the rows that the next group enters, for images in memory. Entering reads a row in as many places as
    // there are segments, which hardware does not foresee.
    template <class T> class RowsAhead {
        static constexpr int kLine = 64, kRows = 8;
        static constexpr int kVectors = std::max(1, kLine / int(kVector * sizeof(T))); // of columns, in a line

      public:
        // Of the group at row y.
        RowsAhead(const StripFilter &filter, int y) {
            for (int p = 0; p < 2; p++) {
                const RowPairs<T> rows = filter.template sample_rows<T>((y + kGroup) / 2 + Filter<Scale>::kHalo + p);
                const T *const all[] = {rows.ref_a, rows.ref_b, rows.dist_a, rows.dist_b};
                std::copy_n(all, 4, rows_ + 4 * p);
            }
        }
        // The j-th part of them, where j counts vectors of column pairs.
        HWY_INLINE void prefetch(int j) const {
            HWY_UNROLL(8)
            for (int i = 0; i < kRows / kVectors; i++)
                __builtin_prefetch(rows_[j % kVectors * (kRows / kVectors) + i] + j * kVector, 0, 2);
        }

      private:
        const T *rows_[kRows];
    };
#if HWY_TARGET == HWY_WASM
    // The vertical pass of all depths. `HasLow`: products have lower halves.
    template <bool Statistics, bool Kept, bool HasLow> HWY_NOINLINE void looped_vertical_pass(int y) {
        const std::int16_t *pairs[Filter<Scale>::kPairs + 1];
        for (int m = 0; m <= Filter<Scale>::kPairs; m++) pairs[m] = ring_row(y / 2 - Filter<Scale>::kHalo + m, 0);
        for (int group = 0; group < segments_.vectors; group += 2) {
            const int j = std::max(0, std::min(group, segments_.vectors - 2));
#pragma clang loop unroll(disable)
            for (int i = 0; i < 2; i++) {
#pragma clang loop unroll(disable)
                for (int channel = Kept ? kDist : kRef; channel <= kDist; channel++)
                    looped_samples<Statistics>(pairs + i, i, j, channel);
                if constexpr (!Statistics) continue;
#pragma clang loop unroll(disable)
                for (int product = Kept; product < 3; product++) looped_product<HasLow>(pairs + i, i, j, product);
            }
        }
    }
    // Rows 2i and 2i + 1, and row i of the next scale: of vectors j and j + 1.
    template <bool Statistics>
    HWY_INLINE void looped_samples(const std::int16_t *const *pairs, int i, int j, int channel) const {
        constexpr std::uint32_t starts[] = {kRounding, kRounding, kRounding, kRounding};
        const std::ptrdiff_t at = 2 * j * kVector + channel * pitch_;
        const auto store = [&](const V32(&sums)[4], std::int16_t *to, int step) HWY_ATTR {
            hn::Store(pack_upper(sums[0], sums[1]), D16(), to);
            hn::Store(pack_upper(sums[2], sums[3]), D16(), to + step);
        };
        if constexpr (Statistics) {
            const auto sums = filtered_in_loop<Dot, Scale, 2>(EveryRow{pairs, at}, starts);
            for (int e = 0; e < 2; e++) store(sums.at[e], row(2 * i + e) + j * kStep + channel * kVector, kStep);
        }
        if constexpr (kHasNext) {
            const auto rows = pairs + (Filter<Scale>::kHalo - Filter<kNext>::kHalo);
            const auto sums = filtered_in_loop<Dot, kNext, 1>(EveryRow{rows, at}, starts);
            store(sums.at[0], next_row(i) + j * kNextStep + channel * kVector, kNextStep);
        }
    }
    template <bool HasLow>
    HWY_INLINE void looped_product(const std::int16_t *const *pairs, int i, int j, int product) const {
        constexpr std::uint32_t starts[4] = {}, low = kOffset + kRounding;
        const std::ptrdiff_t at = 2 * j * kVector + (kRefRef + product) * pitch_;
        auto sums = filtered_in_loop<Dot, Scale, 2>(EveryRow{pairs, at}, starts);
        if constexpr (HasLow) {
            const EveryRow rows{pairs, at + (kRefRefLow - kRefRef) * pitch_};
            const auto low_sums = filtered_in_loop<Dot, Scale, 2>(rows, {low, low, low, low});
            for (int e = 0; e < 2; e++)
                for (int s = 0; s < 4; s++) sums.at[e][s] = hn::Add(sums.at[e][s], upper_halves(low_sums.at[e][s]));
        }
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 2; k++) {
                const V32 even = sums.at[e][2 * k], odd = sums.at[e][2 * k + 1];
                std::int16_t *const to = row(2 * i + e) + (j + k) * kStep + (kRR + 2 * product) * kVector;
                hn::Store(pack_upper(even, odd), D16(), to);
                hn::Store(flip_sign(pack_lower(even, odd)), D16(), to + kVector);
            }
    }
#endif

  private:
    // `Kept`: everything that depends on the reference alone exists already.
    template <bool Kept> StripSums run_with() {
        constexpr int halo = Filter<Scale>::kHalo;
        RowStatistics<Scale, Dot> statistics(segments_, strip_, statistics_);
        auto &derived = static_cast<Derived &>(*this);
        int entered = strip_.first_row / 2 - halo;
        for (int y = strip_.first_row; y < strip_.end_row; y += kGroup) {
            for (; entered <= y / 2 + 1 + halo; entered++) derived.template enter_pair<Kept>(entered);
            if (!strip_.statistics) {
                derived.template vertical_pass<false, Kept>(y);
                if constexpr (kHasNext) finish_next_scale<Kept>(y);
                continue;
            }
            derived.template vertical_pass<true, Kept>(y);
            if constexpr (kHasNext) finish_next_scale<Kept>(y);
            const int rows = std::min(kGroup, strip_.end_row - y);
            for (int i = 0; i < rows; i++) {
                for (int c : kChannelsOf<Kept>) borders_.extend(row(i) + c * kVector);
                statistics.template add<Kept>(row(i), y + i, half_row(y + i));
            }
        }
        if (strip_.half_to_make) hwy::FlushStream(); // other threads read it
        if (!strip_.statistics) return {};
        return statistics.total(std::int64_t(strip_.end_row - strip_.first_row) * strip_.images.width);
    }

    HalfRow half_row(int y) const {
        const std::ptrdiff_t at = y * std::ptrdiff_t(half_row_elements(segments_));
        return {strip_.half_kept ? strip_.half_kept + at : nullptr,
                strip_.half_to_make ? strip_.half_to_make + at : nullptr};
    }

    // 2.5 for the rows y / 2 and y / 2 + 1 of the next scale, which the vertical pass has begun.
    template <bool Kept> void finish_next_scale(int y) {
        const int rows = std::min({2, (strip_.end_row - y + 1) / 2, strip_.images.height / 2 - y / 2});
        for (int i = 0; i < rows; i++) {
            if (!Kept) next_borders_.extend(next_row(i));
            next_borders_.extend(next_row(i) + kVector);
            next_scale_row<Kept>(next_row(i), y / 2 + i);
        }
    }

    // Even columns of the filtered row, for reference and distorted together.
    template <bool Kept> HWY_NOINLINE void next_scale_row(const std::int16_t *row, int next_y) const {
        constexpr int at_once = HWY_TARGET == HWY_AVX2 ? 2 : 4; // vectors
        const TapVectors<kNext> taps;
        const V32 start = hn::Set(D32(), std::int32_t(kOffset + kRounding));
        VU32 out[2][kLanes];
        for (int first = (segments_.vectors - 1) / kLanes * kLanes; first >= 0; first -= kLanes) {
            for (int i = 0; i < kLanes; i += at_once) {
                const std::int16_t *at[at_once];
                V32 sums[at_once][2];
                HWY_UNROLL(4)
                for (int p = 0; p < at_once; p++) {
                    const int j = std::min(first + i + p, segments_.vectors - 1);
                    at[p] = row + (j - Filter<kNext>::kHalo) * kNextStep;
                    sums[p][0] = sums[p][1] = begun_with<kNext>(start);
                }
                next_scale_taps<0, Kept>(taps, at, sums);
                HWY_UNROLL(4)
                for (int p = 0; p < at_once; p++)
                    for (int s = Kept; s < 2; s++)
                        out[s][i + p] = hn::BitCast(DU32(), upper_halves(ended_with<kNext>(sums[p][s], start)));
            }
            if (!Kept) store_block(out[0], segments_, first, strip_.next_ref + next_y * strip_.next_stride);
            store_block(out[1], segments_, first, strip_.next_dist + next_y * strip_.next_stride);
        }
    }
    template <int M, bool Kept, std::size_t N>
    static HWY_INLINE void next_scale_taps(const TapVectors<kNext> &taps, const std::int16_t *const (&at)[N],
                                           V32 (&sums)[N][2]) {
        if constexpr (M < Filter<kNext>::kPairs) {
            if constexpr (Filter<kNext>::pair(0, M) != 0) {
                HWY_UNROLL(4)
                for (std::size_t p = 0; p < N; p++)
                    for (int s = Kept; s < 2; s++) {
                        const V16 data = hn::Load(D16(), at[p] + M * kNextStep + s * kVector);
                        sums[p][s] = Dot::dot(sums[p][s], data, taps.template get<0, M>());
                        compute_now(sums[p][s]);
                    }
            }
            next_scale_taps<M + 1, Kept>(taps, at, sums);
        }
    }

    Borders<Filter<Scale>::kRadius, Filter<Scale>::kHalo, kStep> borders_;
    Borders<Filter<kNext>::kRadius, Filter<kNext>::kHalo, kNextStep> next_borders_;

  protected:
    int row_pitch_; // vectors of a filtered row

  private:
    std::int16_t *rows_, *next_rows_;
    std::byte *statistics_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
