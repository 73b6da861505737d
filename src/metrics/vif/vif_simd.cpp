// The vector strips of `vif`: the integers of vif_scalar.cpp. Four rows at a time, from a ring of row pairs:
//   - a row pair holds, for every column, the samples of rows 2p and 2p + 1 side by side in one 32-bit lane, so that
//     one multiply-add of 16-bit pairs does two taps of the vertical filter; likewise the horizontal filter with
//     columns 2q and 2q + 1;
//   - multiplications are signed: all 16-bit data are stored less 32768 (bytes less 128). As the taps sum to 65536,
//     filtered sums then miss 2^31, which goes into the start values or is harmless (32-bit sums wrap around);
//   - columns are in segment order (vif_segments-inl.hpp);
//   - what follows the vertical filter is in vif_pipeline-inl.hpp (AVX-512) and vif_statistics-inl.hpp (others).
// docs/development/vif-speed.md has the proofs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/aligned.hpp"
#include "metrics/vif/vif_strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/vif/vif_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_dot-inl.hpp"
#include "metrics/vif/vif_filter-inl.hpp"
#include "metrics/vif/vif_pipeline-inl.hpp"
#include "metrics/vif/vif_segments-inl.hpp"
#include "metrics/vif/vif_statistics-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Of lambdas that must not become calls: their vectors stay in registers.
#undef VMAF_VIF_INLINE
#define VMAF_VIF_INLINE HWY_ATTR __attribute__((always_inline))

// Order of the channels of the ring; of bytes, products have no lower halves.
enum RingChannel { kRef, kDist, kRefRef, kDistDist, kRefDist, kRefRefLow, kDistDistLow, kRefDistLow };
constexpr int kRingChannels = 8, kRingChannelsOfBytes = 5;

constexpr int kGroup = 4;              // rows per pass
constexpr int kMaxHalo = 4;            // vectors before and after a row
constexpr int kSlack = 2;              // further vectors after it that may be read
constexpr int kRingPairs = 10;         // row pairs that four rows of the longest filter see
constexpr int kNextStep = 2 * kVector; // in rows of the next scale: reference and distorted side by side

constexpr int row_vectors(int vectors) { return vectors + 2 * kMaxHalo + kSlack; }

// What strips of all depths share. `Derived` has enter_pair(pair) and vertical_pass<statistics>(y).
template <int Scale, class Dot, class Derived> class StripFilter {
  public:
    StripSums run() { return strip_.half_kept ? run_with<true>() : run_with<false>(); }

  protected:
    static constexpr bool kHasNext = Scale + 1 < kScales;
    static constexpr int kNext = kHasNext ? Scale + 1 : Scale;

    StripFilter(const Strip &strip, std::byte *memory, int channels)
        : strip_(strip), segments_(strip.images.width), borders_(segments_), next_borders_(segments_),
          channels_(channels), pitch_(2 * segments_.vectors * kVector), row_pitch_(row_vectors(segments_.vectors)),
          ring_(reinterpret_cast<std::int16_t *>(memory)), rows_(ring_ + kRingPairs * channels_ * pitch_),
          next_rows_(rows_ + kGroup * row_pitch_ * kStep),
          statistics_(reinterpret_cast<std::byte *>(next_rows_ + 2 * row_pitch_ * kNextStep)) {}

    // Vectors of the even and of the odd columns of a row pair take turns.
    std::int16_t *ring_row(int pair, int channel) const {
        return ring_ + ((pair + kRingPairs) % kRingPairs * channels_ + channel) * pitch_;
    }
    std::int16_t *row(int i) const { return rows_ + (i * row_pitch_ + kMaxHalo) * kStep; }
    std::int16_t *next_row(int i) const { return next_rows_ + (i * row_pitch_ + kMaxHalo) * kNextStep; }

    // Rows 2 pair and 2 pair + 1 of the reference and of the distorted image.
    template <class T> struct RowPairs { const T *ref_a, *ref_b, *dist_a, *dist_b; };
    template <class T> RowPairs<T> sample_rows(int pair) const {
        const ScaleImages &images = strip_.images;
        const auto at = [&](const void *image, std::ptrdiff_t stride, int y) {
            const int inside = reflect(y, images.height);
            return reinterpret_cast<const T *>(static_cast<const std::byte *>(image) + inside * stride);
        };
        return {at(images.ref, images.ref_stride, 2 * pair), at(images.ref, images.ref_stride, 2 * pair + 1),
                at(images.dist, images.dist_stride, 2 * pair), at(images.dist, images.dist_stride, 2 * pair + 1)};
    }
    // What rows a and b have in the left (right) one of two columns, side by side.
    static HWY_INLINE VU16 left_pairs(VU16 a, VU16 b) {
        return hn::OddEven(hn::BitCast(DU16(), hn::ShiftLeft<16>(hn::BitCast(DU32(), b))), a);
    }
    static HWY_INLINE VU16 right_pairs(VU16 a, VU16 b) {
        return hn::OddEven(b, hn::BitCast(DU16(), hn::ShiftRight<16>(hn::BitCast(DU32(), a))));
    }

    const Strip &strip_;
    Segments segments_;

  private:
    // `Kept`: what depends on the reference alone is there already.
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

    // Even columns of the filtered row, for reference and distorted at once.
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
    int channels_, pitch_, row_pitch_; // a channel's elements of a row pair; vectors of a filtered row

  private:
    std::int16_t *ring_, *rows_, *next_rows_;
    std::byte *statistics_;
};

// Strips of 16-bit samples; those of scale 0 are shifted to 16 bits.
template <int Scale, class Dot> class WordStrip : public StripFilter<Scale, Dot, WordStrip<Scale, Dot>> {
    using Base = StripFilter<Scale, Dot, WordStrip<Scale, Dot>>;
    using Base::ring_row, Base::row, Base::next_row, Base::row_pitch_, Base::segments_, Base::strip_, Base::kNext;

  public:
    WordStrip(const Strip &strip, std::byte *memory) : Base(strip, memory, kRingChannels) {}

    template <bool Kept> HWY_NOINLINE void enter_pair(int pair) {
        const auto rows = this->template sample_rows<std::uint16_t>(pair);
        const int shift = int(16 - strip_.images.bits);
        for (int first = 0; first < segments_.vectors; first += kLanes) {
            VU32 blocks[4][kLanes];
            load_block(rows.ref_a, segments_, first, shift, blocks[0]);
            load_block(rows.ref_b, segments_, first, shift, blocks[1]);
            load_block(rows.dist_a, segments_, first, shift, blocks[2]);
            load_block(rows.dist_b, segments_, first, shift, blocks[3]);
            const int count = std::min(kLanes, segments_.vectors - first);
            for (int i = 0; i < count; i++) {
                const DU16 du;
                const VU16 ra = hn::BitCast(du, blocks[0][i]), rb = hn::BitCast(du, blocks[1][i]);
                const VU16 da = hn::BitCast(du, blocks[2][i]), db = hn::BitCast(du, blocks[3][i]);
                const std::ptrdiff_t at = 2 * (first + i) * kVector;
                enter<Kept>(pair, at, this->left_pairs(ra, rb), this->left_pairs(da, db));
                enter<Kept>(pair, at + kVector, this->right_pairs(ra, rb), this->right_pairs(da, db));
            }
        }
    }

    // m1, m2, rr, dd, rd of rows y ... y + 3, ready for the horizontal filter, and rows y / 2 and y / 2 + 1 of the next
    // scale; without statistics only the latter.
    template <bool Statistics, bool Kept> HWY_NOINLINE void vertical_pass(int y) {
        const D16 d;
        const TapVectors<Scale> taps;
        const TapVectors<kNext> next_taps;
        const std::ptrdiff_t pitch = row_pitch_ * kStep, next_pitch = row_pitch_ * kNextStep;
        for (int channel = Kept ? kDist : kRef; channel <= kDist; channel++) {
            const RingLoad ring(*this, y, channel);
            std::int16_t *const out = row(0) + channel * kVector, *const next_out = next_row(0) + channel * kVector;
            for (int j = 0; j < segments_.vectors; j++) {
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                const Sums start(kRounding);
                Sums sums = Filter<Scale>::kHalved ? Sums(0) : start;
                Sums next = Filter<kNext>::kHalved ? Sums(0) : start;
                sample_sums<Statistics, 0>(taps, next_taps, load, sums, next);
                if constexpr (Statistics)
                    for (int i = 0; i < kGroup; i++) {
                        const V32(&s)[2] = sums.at[i / 2][i % 2], first = start.at[0][0][0];
                        const V16 packed = pack_upper(ended_with<Scale>(s[0], first), ended_with<Scale>(s[1], first));
                        hn::Store(packed, d, out + i * pitch + j * kStep);
                    }
                if constexpr (Base::kHasNext)
                    for (int i = 0; i < 2; i++) {
                        const V32(&s)[2] = next.at[i][0], first = start.at[0][0][0];
                        const V16 packed = pack_upper(ended_with<kNext>(s[0], first), ended_with<kNext>(s[1], first));
                        hn::Store(packed, d, next_out + i * next_pitch + j * kNextStep);
                    }
            }
        }
        if constexpr (!Statistics) return;
        for (int i = Kept; i < 3; i++) {
            const RingLoad ring(*this, y, kRefRef + i), low_ring(*this, y, kRefRefLow + i);
            std::int16_t *const out = row(0) + (kRR + 2 * i) * kVector;
            for (int j = 0; j < segments_.vectors; j++) {
                const auto load_low = [&](int m, int s) HWY_ATTR { return low_ring.at(m, j, s); };
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                Sums sums = upper_halves(filtered<Dot, 2>(taps, load_low, Sums(kOffset + kRounding)));
                sums = filtered<Dot, 2>(taps, load, sums);
                for (int r = 0; r < kGroup; r++) {
                    const V32 even = sums.at[r / 2][r % 2][0], odd = sums.at[r / 2][r % 2][1];
                    std::int16_t *const to = out + r * pitch + j * kStep;
                    hn::Store(pack_upper(even, odd), d, to);
                    hn::Store(flip_sign(pack_lower(even, odd)), d, to + kVector);
                }
            }
        }
    }

  private:
    template <bool Kept> HWY_INLINE void enter(int pair, std::ptrdiff_t at, VU16 r, VU16 d) const {
        const auto store = [&](int channel, VU16 v) HWY_ATTR {
            hn::Store(flip_sign(hn::BitCast(D16(), v)), D16(), ring_row(pair, channel) + at);
        };
        if (!Kept) store(kRef, r);
        store(kDist, d);
        if (!strip_.statistics) return;
        if (!Kept) store(kRefRef, hn::MulHigh(r, r));
        store(kDistDist, hn::MulHigh(d, d));
        store(kRefDist, hn::MulHigh(r, d));
        if (!Kept) store(kRefRefLow, hn::Mul(r, r));
        store(kDistDistLow, hn::Mul(d, d));
        store(kRefDistLow, hn::Mul(r, d));
    }

    // Loads from the ring for outputs at row y on: vector j of the row pairs around it.
    class RingLoad {
      public:
        HWY_INLINE RingLoad(const WordStrip &strip, int y, int channel) {
            for (int m = 0; m <= Filter<Scale>::kPairs; m++)
                rows_[m] = strip.ring_row(y / 2 - Filter<Scale>::kHalo + m, channel);
        }
        HWY_INLINE V16 at(int m, int j, int parity) const {
            return hn::Load(D16(), rows_[m] + (2 * j + parity) * kVector);
        }

      private:
        const std::int16_t *rows_[Filter<Scale>::kPairs + 1];
    };

    // Samples under this scale's filter and, every other row, under the next one's, which is shorter.
    template <bool Statistics, int M, class Load>
    static HWY_INLINE void sample_sums(const TapVectors<Scale> &taps, const TapVectors<kNext> &next_taps,
                                       const Load &load, Sums &sums, Sums &next) {
        if constexpr (M <= Filter<Scale>::kPairs) {
            const V16 stream0 = load(M, 0), stream1 = load(M, 1);
            if constexpr (Statistics) {
                multiply_add<Dot, M, 0, 0>(taps, stream0, stream1, sums);
                multiply_add<Dot, M, 0, 1>(taps, stream0, stream1, sums);
                multiply_add<Dot, M - 1, 1, 0>(taps, stream0, stream1, sums);
                multiply_add<Dot, M - 1, 1, 1>(taps, stream0, stream1, sums);
            }
            if constexpr (Base::kHasNext) {
                constexpr int n = M - (Filter<Scale>::kHalo - Filter<kNext>::kHalo);
                multiply_add<Dot, n, 0, 0>(next_taps, stream0, stream1, next);
                multiply_add<Dot, n - 1, 1, 0>(next_taps, stream0, stream1, next);
            }
            sample_sums<Statistics, M + 1>(taps, next_taps, load, sums, next);
        }
    }
};

// Strips of bytes, at scale 0. The ring has samples less 128 and their products less 1, so that the sum of two numbers
// still fits 16 bits: mirrored rows are added before they are multiplied. The same sums serve the next scale's filter.
template <class Dot> class ByteStrip : public StripFilter<0, Dot, ByteStrip<Dot>> {
    using Base = StripFilter<0, Dot, ByteStrip<Dot>>;
    using Base::pitch_, Base::ring_row, Base::row, Base::next_row, Base::row_pitch_, Base::segments_, Base::strip_;

  public:
    ByteStrip(const Strip &strip, std::byte *memory) : Base(strip, memory, kRingChannelsOfBytes) {}

    template <bool Kept> HWY_NOINLINE void enter_pair(int pair) {
        const auto rows = this->template sample_rows<std::uint8_t>(pair);
        const DU16 du;
        std::int16_t *const out = ring_row(pair, 0);
        for (int first = 0; first < segments_.vectors; first += 2 * kLanes) {
            VU32 blocks[4][kLanes];
            load_block(rows.ref_a, segments_, first, blocks[0]);
            load_block(rows.ref_b, segments_, first, blocks[1]);
            load_block(rows.dist_a, segments_, first, blocks[2]);
            load_block(rows.dist_b, segments_, first, blocks[3]);
            const int count = std::min(2 * kLanes, segments_.vectors - first);
            for (int i = 0; i < count; i += 2) {
                const VU16 ra = hn::BitCast(du, blocks[0][i / 2]), rb = hn::BitCast(du, blocks[1][i / 2]);
                const VU16 da = hn::BitCast(du, blocks[2][i / 2]), db = hn::BitCast(du, blocks[3][i / 2]);
                std::int16_t *const to = out + 2 * (first + i) * kVector;
                enter<Kept>(to, this->left_pairs(ra, rb), this->left_pairs(da, db));
                if (i + 1 < count) enter<Kept>(to + 2 * kVector, this->right_pairs(ra, rb), this->right_pairs(da, db));
            }
        }
    }

    // As WordStrip's. The results of one channel are packed and stored between the multiply-adds of the next one.
    template <bool Statistics, bool Kept> HWY_NOINLINE void vertical_pass(int y) {
        const D16 d16;
        const std::int16_t *pairs[kRingPairs];
        for (int m = 0; m < kRingPairs; m++) pairs[m] = ring_row(y / 2 - 4 + m, 0);
        const std::ptrdiff_t pitch = row_pitch_ * kStep, next_pitch = row_pitch_ * kNextStep;
        const V32 start = hn::Set(D32(), std::int32_t(kProductStart)), half = hn::Set(D32(), 128);
        for (int j = 0; j < segments_.vectors; j++) {
            V32 r[2][kGroup], d[2][kGroup], p[2][kGroup], held[2][kGroup], next[2][2], unused[2];
            std::int16_t *const out = row(0) + j * kStep, *const next_out = next_row(0) + j * kNextStep;
            const auto nothing = [](int) HWY_ATTR {};
            const auto samples = [&](int channel, int e, V32(&sums)[kGroup], const auto &between) VMAF_VIF_INLINE {
                for (V32 &v : sums) v = half;
                next[e][0] = next[e][1] = half;
                folded<Statistics, true>(pairs, (2 * j + e) * kVector + channel * pitch_, sums, next[e], between);
            };
            // The reference's own sums are also part of its products with the distorted picture.
            const auto kept_samples = [&](int e) VMAF_VIF_INLINE {
                for (V32 &v : r[e]) v = half;
                folded<true, false>(pairs, (2 * j + e) * kVector + kRef * pitch_, r[e], unused, nothing);
            };
            const auto products = [&](int channel, int e, const auto &between) VMAF_VIF_INLINE {
                folded<true, false>(pairs, (2 * j + e) * kVector + channel * pitch_, p[e], unused, between);
            };
            const auto store_samples = [&](int channel, const V32(&s)[2][kGroup]) VMAF_VIF_INLINE {
                return [&, channel](int i) VMAF_VIF_INLINE {
                    if constexpr (Statistics)
                        hn::Store(pack_middle(s[0][i], s[1][i]), d16, out + i * pitch + channel * kVector);
                    if (i < 2)
                        hn::Store(pack_middle(next[0][i], next[1][i]), d16,
                                  next_out + i * next_pitch + channel * kVector);
                };
            };
            const auto store_products = [&](int channel) VMAF_VIF_INLINE {
                return [&, channel](int i) VMAF_VIF_INLINE {
                    std::int16_t *const to = out + i * pitch + channel * kVector;
                    hn::Store(pack_upper(held[0][i], held[1][i]), d16, to);
                    hn::Store(flip_sign(pack_lower(held[0][i], held[1][i])), d16, to + kVector);
                };
            };
            const auto hold = [&]() VMAF_VIF_INLINE {
                HWY_UNROLL(2)
                for (int e = 0; e < 2; e++) HWY_UNROLL(4)
                for (int i = 0; i < kGroup; i++) held[e][i] = p[e][i];
            };
            const auto begin_square = [&](int e, const V32(&s)[2][kGroup]) VMAF_VIF_INLINE {
                HWY_UNROLL(4)
                for (int i = 0; i < kGroup; i++) p[e][i] = hn::Add(hn::ShiftLeft<8>(s[e][i]), start);
            };
            const auto begin_product = [&](int e) VMAF_VIF_INLINE {
                HWY_UNROLL(4)
                for (int i = 0; i < kGroup; i++) p[e][i] = hn::Add(hn::ShiftLeft<7>(hn::Add(r[e][i], d[e][i])), start);
            };
            const auto store_all = [&](const auto &store) VMAF_VIF_INLINE {
                HWY_UNROLL(4)
                for (int i = 0; i < kGroup; i++) store(i);
            };
            if constexpr (!Kept) {
                samples(kRef, 0, r[0], nothing);
                samples(kRef, 1, r[1], nothing);
            }
            if constexpr (!Statistics) {
                if constexpr (!Kept) store_all(store_samples(kM1, r));
                samples(kDist, 0, d[0], nothing);
                samples(kDist, 1, d[1], nothing);
                store_all(store_samples(kM2, d));
            } else {
                if constexpr (Kept) {
                    kept_samples(0);
                    kept_samples(1);
                    samples(kDist, 0, d[0], nothing);
                } else {
                    begin_square(0, r);
                    products(kRefRef, 0, store_samples(kM1, r));
                    begin_square(1, r);
                    products(kRefRef, 1, nothing);
                    hold();
                    samples(kDist, 0, d[0], store_products(kRR));
                }
                samples(kDist, 1, d[1], nothing);
                begin_square(0, d);
                products(kDistDist, 0, store_samples(kM2, d));
                begin_square(1, d);
                products(kDistDist, 1, nothing);
                hold();
                begin_product(0);
                products(kRefDist, 0, store_products(kDD));
                begin_product(1);
                products(kRefDist, 1, nothing);
                hold();
                store_all(store_products(kRD));
            }
        }
    }

  private:
    // Two bytes of each row in a 32-bit lane: two columns.
    template <bool Kept> HWY_INLINE void enter(std::int16_t *to, VU16 r, VU16 d) const {
        const VU16 low = hn::Set(DU16(), 255);
        enter_column<Kept>(to, hn::And(r, low), hn::And(d, low));
        enter_column<Kept>(to + kVector, hn::ShiftRight<8>(r), hn::ShiftRight<8>(d));
    }
    template <bool Kept> HWY_INLINE void enter_column(std::int16_t *to, VU16 ref, VU16 dist) const {
        const D16 d16;
        const V16 middle = hn::Set(d16, 128), minus_one = hn::Set(d16, -1);
        const V16 r = hn::Sub(hn::BitCast(d16, ref), middle), d = hn::Sub(hn::BitCast(d16, dist), middle);
        hn::Store(r, d16, to);
        hn::Store(d, d16, to + pitch_);
        if (!strip_.statistics) return;
        if (!Kept) hn::Store(hn::Add(hn::Mul(r, r), minus_one), d16, to + kRefRef * pitch_);
        hn::Store(hn::Add(hn::Mul(d, d), minus_one), d16, to + kDistDist * pitch_);
        hn::Store(hn::Add(hn::Mul(r, d), minus_one), d16, to + kRefDist * pitch_);
    }

    // sum F R R = sum F (R'R' - 1) + 2^16 + 2^8 sum F R' + 2^30 with R' = R - 128; sum F R' has 128 added for its own
    // rounding. Less 2^31, so that the upper half comes out as a signed number. Likewise R D with 2^7 (R' + D').
    static constexpr std::uint32_t kProductStart = 0x10000u - 0x8000u + 0x40000000u - 0x80000000u;

    // Taps for sums of mirrored rows: [k] for distances (2k, 2k - 1) and, for odd rows, (2k - 1, 2k); [0] is the
    // centre.
    struct Tap {
        std::uint32_t lanes[HWY_TARGET == HWY_AVX3 ? 1 : kLanes];
        constexpr void set(int even, int odd) {
            for (std::uint32_t &lane : lanes) lane = std::uint32_t(even) | std::uint32_t(odd) << 16;
        }
    };
    struct alignas(64) Taps {
        Tap even[5], odd[5], next[3];
        constexpr Taps() : even(), odd(), next() {
            const auto f = [](int d) { return int(kTaps[0][std::size_t(8 + d)]); };
            const auto g = [](int d) { return int(kTaps[1][std::size_t(4 + d)]); };
            for (int k = 1; k <= 4; k++) even[k].set(f(2 * k), f(2 * k - 1)), odd[k].set(f(2 * k - 1), f(2 * k));
            even[0].set(f(0), 0), odd[0].set(0, f(0));
            for (int k = 1; k <= 2; k++) next[k].set(g(2 * k), g(2 * k - 1));
            next[0].set(g(0), 0);
        }
    };
    static constexpr Taps kFoldedTaps{};

    static HWY_INLINE void add(V32 &sum, V16 data, const Tap &tap) {
#if HWY_TARGET == HWY_AVX3
        if constexpr (std::is_same_v<Dot, vmaf::HWY_NAMESPACE::Vnni>) {
            __asm__ volatile("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum.raw) : "v"(data.raw), "m"(tap.lanes[0]));
            return;
        }
        sum = Dot::dot(sum, data, hn::BitCast(D16(), hn::Set(D32(), std::int32_t(tap.lanes[0]))));
#else
        sum = Dot::dot(sum, data, hn::BitCast(D16(), hn::Load(DU32(), tap.lanes)));
#endif
        compute_now(sum);
    }

    // Four rows of one channel; `at` is the place of a vector in the ring. Outermost rows first, so that few vectors
    // are live. `between` is called with 0 to 3.
    template <bool This, bool Next, class Between>
    static HWY_INLINE void folded(const std::int16_t *const (&pairs)[kRingPairs], std::ptrdiff_t at, V32 (&s)[kGroup],
                                  V32 (&next)[2], const Between &between) {
        const Taps *taps = &kFoldedTaps;
        __asm__ volatile("" : "+r"(taps)); // from memory: registers have no room for them
        const Taps &t = *taps;
        const auto load = [&](int m) VMAF_VIF_INLINE { return hn::Load(D16(), pairs[m] + at); };
        // (row 2m, row 2m - 1)
        const auto mirror = [](V16 p, V16 before) VMAF_VIF_INLINE { return hn::OddEven(before, p); };
        const auto both = [](V16 a, V16 b) VMAF_VIF_INLINE { return hn::Add(a, b); };
        // p0 ... p9 are the row pairs 4 before to 5 after that of the first row, q the mirrored ones.
        const V16 p2 = load(2), p7 = load(7);
        if constexpr (This) {
            const V16 p0 = load(0), p1 = load(1), p8 = load(8), p9 = load(9);
            add(s[0], both(p0, mirror(p8, p7)), t.even[4]);
            add(s[1], both(mirror(p1, p0), p8), t.odd[4]);
            add(s[2], both(p1, mirror(p9, p8)), t.even[4]);
            add(s[3], both(mirror(p2, p1), p9), t.odd[4]);
        }
        between(0);
        const V16 p3 = load(3), p6 = load(6), q3 = mirror(p3, p2), q7 = mirror(p7, p6);
        if constexpr (This) {
            const V16 p1 = load(1), p8 = load(8);
            add(s[0], both(p1, q7), t.even[3]);
            add(s[1], both(mirror(p2, p1), p7), t.odd[3]);
            add(s[2], both(p2, mirror(p8, p7)), t.even[3]);
            add(s[3], both(q3, p8), t.odd[3]);
        }
        between(1);
        const V16 p4 = load(4), p5 = load(5), q4 = mirror(p4, p3), q6 = mirror(p6, p5);
        const V16 a0 = both(p2, q6), a2 = both(p3, q7);
        if constexpr (This) {
            add(s[0], a0, t.even[2]);
            add(s[1], both(q3, p6), t.odd[2]);
            add(s[2], a2, t.even[2]);
            add(s[3], both(q4, p7), t.odd[2]);
        }
        if constexpr (Next) add(next[0], a0, t.next[2]), add(next[1], a2, t.next[2]);
        between(2);
        const V16 q5 = mirror(p5, p4), b0 = both(p3, q5), b2 = both(p4, q6);
        if constexpr (This) {
            add(s[0], b0, t.even[1]);
            add(s[1], both(q4, p5), t.odd[1]);
            add(s[2], b2, t.even[1]);
            add(s[3], both(q5, p6), t.odd[1]);
        }
        if constexpr (Next) add(next[0], b0, t.next[1]), add(next[1], b2, t.next[1]);
        between(3);
        if constexpr (This) {
            add(s[0], p4, t.even[0]);
            add(s[1], p4, t.odd[0]);
            add(s[2], p5, t.even[0]);
            add(s[3], p5, t.odd[0]);
        }
        if constexpr (Next) add(next[0], p4, t.next[0]), add(next[1], p5, t.next[0]);
    }
};

template <class Dot> StripSums run_strip_with(const Strip &strip, std::byte *memory) {
    switch (strip.scale) {
    case 0:
        if (strip.images.bits == 8) return ByteStrip<Dot>(strip, memory).run();
        return WordStrip<0, Dot>(strip, memory).run();
    case 1: return WordStrip<1, Dot>(strip, memory).run();
    case 2: return WordStrip<2, Dot>(strip, memory).run();
    default: return WordStrip<3, Dot>(strip, memory).run();
    }
}

StripSums run_strip(const Strip &strip, std::byte *memory) {
    return run_strip_with<vmaf::HWY_NAMESPACE::MulThenAdd>(strip, memory);
}
#if HWY_TARGET == HWY_AVX3
StripSums run_strip_vnni(const Strip &strip, std::byte *memory) {
    return run_strip_with<vmaf::HWY_NAMESPACE::Vnni>(strip, memory);
}
#endif

// Narrower scales have segments shorter than the filter's halo.
bool wide_enough(int scale, int width) {
    const int halo = (kTapCount[std::size_t(scale)] / 2 + 1) / 2;
    return Segments(width).vectors >= halo;
}

std::size_t scratch_bytes(int width) {
    const int vectors = Segments(width).vectors;
    const std::size_t ring = std::size_t(kRingPairs * kRingChannels * 2 * vectors * kVector);
    const std::size_t rows = std::size_t(row_vectors(vectors) * (kGroup * kStep + 2 * kNextStep));
    return (ring + rows) * sizeof(std::int16_t) + RowStatistics<0, vmaf::HWY_NAMESPACE::MulThenAdd>::kScratchBytes +
           TileRuns::scratch_bytes(vectors);
}

std::size_t half_row(int width) { return half_row_elements(Segments(width)); }

constexpr StripCode kCode = {run_strip, wide_enough, scratch_bytes, half_row, logarithms};
#if HWY_TARGET == HWY_AVX3
constexpr StripCode kCodeVnni = {run_strip_vnni, wide_enough, scratch_bytes, half_row, logarithms};
#endif

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::vif {

const StripCode *pick_strip_code(Isa isa) {
    static constexpr SimdTable<const StripCode> kTable = {.scalar = nullptr,
                                                          VMAF_VECTOR_VERSIONS(kCode) VMAF_VNNI_VERSION(kCodeVnni)};
    return kTable.pick(isa);
}

} // namespace vmaf::vif
#endif
