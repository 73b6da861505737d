// The vector strips of `vif`: the integers of vif_scalar.cpp. Four rows at a time, from a ring of row pairs:
//   - a row pair holds, for every column, the samples of rows 2p and 2p + 1 side by side in one 32-bit lane, so that
//     one multiply-add of 16-bit pairs does two taps of the vertical filter; likewise the horizontal filter with
//     columns 2q and 2q + 1;
//   - multiplications are signed: all 16-bit data are stored less 32768. As the taps sum to 65536, filtered sums then
//     miss 2^31, which goes into the start values or is harmless (32-bit sums wrap around);
//   - columns are in segment order (vif_segments-inl.hpp).
// docs/development/vif-speed.md has the proofs.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/vif/vif_strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/vif/vif_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_dot-inl.hpp"
#include "metrics/vif/vif_segments-inl.hpp"
#include "metrics/vif/vif_statistics-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Order of the channels of the ring and of the filtered rows. At scale 0 of 8-bit input the low halves of the products
// are zero, so that the ring does without them.
enum Channel { kRef, kDist, kRefRef, kDistDist, kRefDist, kRefRefLow, kDistDistLow, kRefDistLow };
constexpr int kChannels = 8, kChannelsWithoutLow = 5;
constexpr int kToLow = kRefRefLow - kRefRef;

constexpr int kGroup = 4;                             // rows per pass
constexpr int kMaxHalo = 4;                           // vectors before and behind a row
constexpr int kSlack = 2;                             // further vectors behind it that may be read
constexpr int kRingPairs = 10;                        // row pairs that four rows of the longest filter see
constexpr int kColumnsAtOnce = PixelSums::kBatch / 2; // vectors between the horizontal filter and the statistics

// The filter of a scale, its taps in pairs for outputs at even and odd positions.
template <int Scale> struct Filter {
    static constexpr int kRadius = kTapCount[Scale] / 2;
    static constexpr int kHalo = (kRadius + 1) / 2;
    static constexpr int kPairs = 2 * kHalo + 1;
    // One tap of scale 3 needs 16 bits without a sign, but all are even: halves are used, and sums doubled.
    static constexpr bool kHalved = Scale == 3;

    static constexpr int tap(int i) { return i < 0 || i > 2 * kRadius ? 0 : kTaps[Scale][std::size_t(i)] >> kHalved; }
    static constexpr std::uint32_t pair(int parity, int k) {
        const int first = kRadius + 2 * (k - kHalo) - parity;
        return std::uint32_t(tap(first)) | std::uint32_t(tap(first + 1)) << 16;
    }
};

// Sums of 2 positions of 2 parities in 2 streams.
struct Sums {
    V32 at[2][2][2]; // [position][parity][stream]

    HWY_INLINE Sums() {}
    explicit HWY_INLINE Sums(std::uint32_t value) {
        for (auto &position : at)
            for (auto &parity : position)
                for (V32 &stream : parity) stream = hn::Set(D32(), std::int32_t(value));
    }
};

// Pins the place of a computation: GCC would otherwise compute all products of a filter first and spill them, and
// build constants anew inside of loops.
template <class V> HWY_INLINE void compute_now(V &v) {
#if HWY_TARGET == HWY_NEON
    __asm__("" : "+w"(v.raw));
#else
    __asm__("" : "+v"(v.raw));
#endif
}

// The tap pairs of a filter as vectors: in registers where there are 32 of them, else as constants in memory.
template <int Scale> class TapVectors {
  public:
    static constexpr bool kInRegisters = HWY_TARGET != HWY_AVX2;

    HWY_INLINE TapVectors() {
        if constexpr (kInRegisters)
            for (int parity = 0; parity < 2; parity++)
                for (int k = 0; k < Filter<Scale>::kPairs; k++) {
                    pairs_[parity][k] = constant(Filter<Scale>::pair(parity, k));
                    compute_now(pairs_[parity][k]);
                }
    }
    template <int Parity, int K> HWY_INLINE V16 get() const {
        if constexpr (kInRegisters)
            return pairs_[Parity][K];
        else
            return constant(Filter<Scale>::pair(Parity, K));
    }

  private:
    static HWY_INLINE V16 constant(std::uint32_t pair) {
        return hn::BitCast(D16(), hn::Set(D32(), std::int32_t(pair)));
    }
    V16 pairs_[2][kInRegisters ? Filter<Scale>::kPairs : 1];
};

template <class Dot, int K, int Position, int Parity, int Scale>
HWY_INLINE void multiply_add(const TapVectors<Scale> &taps, V16 stream0, V16 stream1, Sums &sums) {
    if constexpr (K >= 0 && K < Filter<Scale>::kPairs) {
        if constexpr (Filter<Scale>::pair(Parity, K) != 0) {
            V32(&at)[2] = sums.at[Position][Parity];
            at[0] = Dot::dot(at[0], stream0, taps.template get<Parity, K>());
            at[1] = Dot::dot(at[1], stream1, taps.template get<Parity, K>());
            compute_now(at[0]);
            compute_now(at[1]);
        }
    }
}

template <class Dot, int Parities, int M, int Scale, class Load>
HWY_INLINE void filter_from(const TapVectors<Scale> &taps, const Load &load, Sums &sums) {
    if constexpr (M <= Filter<Scale>::kPairs) {
        const V16 stream0 = load(M, 0), stream1 = load(M, 1);
        multiply_add<Dot, M, 0, 0>(taps, stream0, stream1, sums);
        if constexpr (Parities == 2) multiply_add<Dot, M, 0, 1>(taps, stream0, stream1, sums);
        multiply_add<Dot, M - 1, 1, 0>(taps, stream0, stream1, sums);
        if constexpr (Parities == 2) multiply_add<Dot, M - 1, 1, 1>(taps, stream0, stream1, sums);
        filter_from<Dot, Parities, M + 1>(taps, load, sums);
    }
}

// start + filtered sums. load(m, stream) is the pair that lies m - kHalo positions from the first output.
template <class Dot, int Parities, int Scale, class Load>
HWY_INLINE Sums filtered(const TapVectors<Scale> &taps, const Load &load, const Sums &start) {
    if constexpr (!Filter<Scale>::kHalved) {
        Sums sums = start;
        filter_from<Dot, Parities, 0>(taps, load, sums);
        return sums;
    } else {
        Sums sums(0);
        filter_from<Dot, Parities, 0>(taps, load, sums);
        for (int p = 0; p < 2; p++)
            for (int e = 0; e < Parities; e++)
                for (int s = 0; s < 2; s++)
                    sums.at[p][e][s] = hn::Add(hn::ShiftLeft<1>(sums.at[p][e][s]), start.at[p][e][s]);
        return sums;
    }
}

HWY_INLINE V32 upper_halves(V32 v) { return hn::BitCast(D32(), hn::ShiftRight<16>(hn::BitCast(DU32(), v))); }

HWY_INLINE Sums upper_halves(const Sums &sums) {
    Sums out;
    for (int p = 0; p < 2; p++)
        for (int e = 0; e < 2; e++)
            for (int s = 0; s < 2; s++) out.at[p][e][s] = upper_halves(sums.at[p][e][s]);
    return out;
}

// Upper (lower) 16 bits of the even and odd columns' sums, side by side.
HWY_INLINE V16 pack_upper(V32 even, V32 odd) {
    return hn::OddEven(hn::BitCast(D16(), odd), hn::BitCast(D16(), upper_halves(even)));
}
HWY_INLINE V16 pack_lower(V32 even, V32 odd) {
    return hn::OddEven(hn::BitCast(D16(), hn::ShiftLeft<16>(odd)), hn::BitCast(D16(), even));
}
HWY_INLINE V16 flip_sign(V16 v) { return hn::Xor(v, hn::Set(D16(), std::int16_t(-32768))); }

// Start values: what the stored offset of 32768 takes from a sum, and rounding at bit 16.
constexpr std::uint32_t kOffset = 0x80000000u, kRounding = 0x8000u;

template <int Scale, class Dot> class StripFilter {
  public:
    StripFilter(const Strip &strip, std::byte *memory)
        : strip_(strip), segments_(strip.images.width), borders_(segments_), next_borders_(segments_),
          pitch_(round_up(segments_.vectors, 2)), row_pitch_(pitch_ + 2 * kMaxHalo + kSlack),
          has_low_(strip.images.bits != 8), channels_(has_low_ ? kChannels : kChannelsWithoutLow),
          ring_(reinterpret_cast<std::int16_t *>(memory)), rows_(ring_ + kRingPairs * channels_ * 2 * pitch_ * kVector),
          moments_(reinterpret_cast<std::uint32_t *>(rows_ + kGroup * kChannels * row_pitch_ * kVector)),
          statistics_(reinterpret_cast<std::int32_t *>(moments_ + kColumnsAtOnce * 10 * kLanes)) {}

    ScaleSums run() {
        constexpr int halo = Filter<Scale>::kHalo;
        ScaleSums sums;
        int entered = strip_.first_row / 2 - halo;
        for (int y = strip_.first_row; y < strip_.end_row; y += kGroup) {
            for (; entered <= y / 2 + 1 + halo; entered++) enter_pair(entered);
            if constexpr (Scale + 1 < kScales) next_scale_rows(y);
            if (!strip_.statistics) continue;
            vertical_pass(y);
            const int rows = std::min(kGroup, strip_.end_row - y);
            PixelSums pixels(strip_.gain_limit, statistics_);
            for (int i = 0; i < rows; i++) row_statistics(i, pixels);
            sums += pixels.total(std::int64_t(rows) * strip_.images.width);
        }
        return sums;
    }

  private:
    // Vector j of the even (0) or odd (1) columns of a row pair.
    std::int16_t *ring_row(int pair, int channel) const {
        return ring_ + ((pair + kRingPairs) % kRingPairs * channels_ + channel) * 2 * pitch_ * kVector;
    }
    std::int16_t *filtered_row(int row, int channel) const {
        return rows_ + ((row * kChannels + channel) * row_pitch_ + kMaxHalo) * kVector;
    }

    // Stores what rows a and b have in two columns of each lane as pairs, for the left and for the right column.
    HWY_INLINE void store_pairs(V16 a, V16 b, std::int16_t *out) const {
        const D16 d;
        const D32 d32;
        a = flip_sign(a);
        b = flip_sign(b);
        const auto down = [&](V16 v) HWY_ATTR { return hn::BitCast(d, upper_halves(hn::BitCast(d32, v))); };
        const auto up = [&](V16 v) HWY_ATTR { return hn::BitCast(d, hn::ShiftLeft<16>(hn::BitCast(d32, v))); };
        hn::Store(hn::OddEven(up(b), a), d, out);
        hn::Store(hn::OddEven(b, down(a)), d, out + kVector);
    }

    template <class T> void enter_pair_of(int pair, int shift) {
        const ScaleImages &images = strip_.images;
        const auto row = [&](const void *image, std::ptrdiff_t stride, int y) {
            const int inside = reflect(y, images.height);
            return reinterpret_cast<const T *>(static_cast<const std::byte *>(image) + inside * stride);
        };
        const T *const ref_a = row(images.ref, images.ref_stride, 2 * pair);
        const T *const ref_b = row(images.ref, images.ref_stride, 2 * pair + 1);
        const T *const dist_a = row(images.dist, images.dist_stride, 2 * pair);
        const T *const dist_b = row(images.dist, images.dist_stride, 2 * pair + 1);
        const D16 d;
        const DU16 du;
        for (int first = 0; first < segments_.vectors; first += kLanes) {
            VU32 blocks[4][kLanes];
            load_block(ref_a, segments_, first, shift, blocks[0]);
            load_block(ref_b, segments_, first, shift, blocks[1]);
            load_block(dist_a, segments_, first, shift, blocks[2]);
            load_block(dist_b, segments_, first, shift, blocks[3]);
            const int count = std::min(kLanes, segments_.vectors - first);
            for (int i = 0; i < count; i++) {
                const VU16 ra = hn::BitCast(du, blocks[0][i]), rb = hn::BitCast(du, blocks[1][i]);
                const VU16 da = hn::BitCast(du, blocks[2][i]), db = hn::BitCast(du, blocks[3][i]);
                const auto store = [&](int channel, VU16 a, VU16 b) HWY_ATTR {
                    store_pairs(hn::BitCast(d, a), hn::BitCast(d, b),
                                ring_row(pair, channel) + 2 * (first + i) * kVector);
                };
                store(kRef, ra, rb);
                store(kDist, da, db);
                if (!strip_.statistics) continue;
                store(kRefRef, hn::MulHigh(ra, ra), hn::MulHigh(rb, rb));
                store(kDistDist, hn::MulHigh(da, da), hn::MulHigh(db, db));
                store(kRefDist, hn::MulHigh(ra, da), hn::MulHigh(rb, db));
                if (!has_low_) continue;
                store(kRefRefLow, hn::Mul(ra, ra), hn::Mul(rb, rb));
                store(kDistDistLow, hn::Mul(da, da), hn::Mul(db, db));
                store(kRefDistLow, hn::Mul(ra, da), hn::Mul(rb, db));
            }
        }
    }

    void enter_pair(int pair) {
        if (strip_.images.bits == 8)
            enter_pair_of<std::uint8_t>(pair, 8);
        else
            enter_pair_of<std::uint16_t>(pair, int(16 - strip_.images.bits));
    }

    // Loads from the ring for outputs at row y on: vector j of the row pairs around it.
    template <int FilterScale> class RingLoad {
      public:
        HWY_INLINE RingLoad(const StripFilter &strip, int y, int channel) {
            for (int m = 0; m <= Filter<FilterScale>::kPairs; m++)
                rows_[m] = strip.ring_row(y / 2 - Filter<FilterScale>::kHalo + m, channel);
        }
        HWY_INLINE V16 at(int m, int j, int parity) const {
            return hn::Load(D16(), rows_[m] + (2 * j + parity) * kVector);
        }

      private:
        const std::int16_t *rows_[Filter<FilterScale>::kPairs + 1];
    };

    // m1, m2, rr, dd, rd of rows y ... y + 3, ready for the horizontal filter.
    void vertical_pass(int y) {
        const D16 d;
        const TapVectors<Scale> taps;
        for (int channel : {kRef, kDist}) {
            const RingLoad<Scale> ring(*this, y, channel);
            std::int16_t *out[kGroup];
            for (int i = 0; i < kGroup; i++) out[i] = filtered_row(i, channel);
            for (int j = 0; j < segments_.vectors; j++) {
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                const Sums sums = filtered<Dot, 2>(taps, load, Sums(kRounding));
                for (int i = 0; i < kGroup; i++)
                    hn::Store(pack_upper(sums.at[i / 2][i % 2][0], sums.at[i / 2][i % 2][1]), d, out[i] + j * kVector);
            }
            for (int i = 0; i < kGroup; i++) borders_.extend(out[i]);
        }
        for (int channel : {kRefRef, kDistDist, kRefDist}) {
            const RingLoad<Scale> ring(*this, y, channel), low_ring(*this, y, has_low_ ? channel + kToLow : channel);
            std::int16_t *high[kGroup], *low[kGroup];
            for (int i = 0; i < kGroup; i++) {
                high[i] = filtered_row(i, channel);
                low[i] = filtered_row(i, channel + kToLow);
            }
            for (int j = 0; j < segments_.vectors; j++) {
                Sums sums(0);
                if (has_low_) {
                    const auto load_low = [&](int m, int s) HWY_ATTR { return low_ring.at(m, j, s); };
                    sums = upper_halves(filtered<Dot, 2>(taps, load_low, Sums(kOffset + kRounding)));
                }
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                sums = filtered<Dot, 2>(taps, load, sums);
                for (int i = 0; i < kGroup; i++) {
                    const V32 even = sums.at[i / 2][i % 2][0], odd = sums.at[i / 2][i % 2][1];
                    hn::Store(pack_upper(even, odd), d, high[i] + j * kVector);
                    hn::Store(flip_sign(pack_lower(even, odd)), d, low[i] + j * kVector);
                }
            }
            for (int i = 0; i < kGroup; i++) {
                borders_.extend(high[i]);
                borders_.extend(low[i]);
            }
        }
    }

    // Moments of two vectors of column pairs, from vector j on, to out[position][parity][5].
    HWY_INLINE void horizontal_pass(const TapVectors<Scale> &taps, int row, int j, std::uint32_t *out) const {
        const D32 d;
        auto *const to = reinterpret_cast<std::int32_t *>(out);
        const auto store = [&](const Sums &sums, int stream, int moment) HWY_ATTR {
            for (int p = 0; p < 2; p++)
                for (int e = 0; e < 2; e++)
                    hn::Store(sums.at[p][e][stream], d, to + ((p * 2 + e) * 5 + moment) * kLanes);
        };
        const auto loader = [&](int channel0, int channel1) HWY_ATTR {
            const std::int16_t *const first0 = filtered_row(row, channel0) + (j - Filter<Scale>::kHalo) * kVector;
            const std::int16_t *const first1 = filtered_row(row, channel1) + (j - Filter<Scale>::kHalo) * kVector;
            return [first0, first1](int m, int s)
                       HWY_ATTR { return hn::Load(D16(), (s == 0 ? first0 : first1) + m * kVector); };
        };
        const Sums means = filtered<Dot, 2>(taps, loader(kRef, kDist), Sums(kOffset));
        store(means, 0, 0);
        store(means, 1, 1);
        for (int channel : {kRefRef, kDistDist, kRefDist}) {
            Sums start(0);
            for (int p = 0; p < 2; p++)
                for (int e = 0; e < 2; e++) start.at[p][e][1] = hn::Set(d, std::int32_t(kOffset + kRounding));
            Sums sums = filtered<Dot, 2>(taps, loader(channel, channel + kToLow), start);
            for (int p = 0; p < 2; p++)
                for (int e = 0; e < 2; e++)
                    sums.at[p][e][0] = hn::Add(sums.at[p][e][0], upper_halves(sums.at[p][e][1]));
            store(sums, 0, channel);
        }
    }

    void row_statistics(int row, PixelSums &all_sums) const {
        const DU32 d;
        PixelSums sums = all_sums; // in registers as far as possible
        const TapVectors<Scale> taps;
        for (int first = 0; first < segments_.vectors; first += kColumnsAtOnce) {
            const int end = std::min(first + kColumnsAtOnce, segments_.vectors);
            for (int j = first; j < end; j += 2) horizontal_pass(taps, row, j, moments_ + (j - first) * 10 * kLanes);
            for (int j = first; j < end; j++)
                for (int parity = 0; parity < 2; parity++) {
                    const std::uint32_t *m = moments_ + ((j - first) * 2 + parity) * 5 * kLanes;
                    sums.add({hn::Load(d, m), hn::Load(d, m + kLanes), hn::Load(d, m + 2 * kLanes),
                              hn::Load(d, m + 3 * kLanes), hn::Load(d, m + 4 * kLanes)},
                             segments_.valid_lanes(j, parity));
                }
            sums.finish_batch();
        }
        all_sums = sums;
    }

    // 2.5 for the rows y / 2 and y / 2 + 1 of the next scale.
    void next_scale_rows(int y) {
        constexpr int next = Scale + 1;
        const TapVectors<next> taps;
        const D16 d;
        const int next_height = strip_.images.height / 2;
        const int rows = std::min({2, (strip_.end_row - y + 1) / 2, next_height - y / 2});
        if (rows <= 0) return;
        for (int channel : {kRef, kDist}) {
            const RingLoad<next> ring(*this, y, channel);
            std::int16_t *const out[2] = {filtered_row(0, channel), filtered_row(1, channel)};
            for (int j = 0; j < segments_.vectors; j++) {
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                const Sums sums = filtered<Dot, 1>(taps, load, Sums(kRounding));
                for (int i = 0; i < 2; i++)
                    hn::Store(pack_upper(sums.at[i][0][0], sums.at[i][0][1]), d, out[i] + j * kVector);
            }
        }
        for (int i = 0; i < rows; i++) {
            next_borders_.extend(filtered_row(i, kRef));
            next_borders_.extend(filtered_row(i, kDist));
            next_scale_row(i, y / 2 + i);
        }
    }

    // Even columns of the filtered row, for reference and distorted at once.
    void next_scale_row(int row, int next_y) const {
        constexpr int next = Scale + 1, halo = Filter<next>::kHalo;
        const TapVectors<next> taps;
        const std::int16_t *const ref = filtered_row(row, kRef), *const dist = filtered_row(row, kDist);
        VU32 out[2][kLanes];
        for (int first = (segments_.vectors - 1) / kLanes * kLanes; first >= 0; first -= kLanes) {
            for (int i = 0; i < kLanes; i += 2) {
                const int j = std::min(first + i, segments_.vectors - 1);
                const auto load = [&](int m, int s) HWY_ATTR {
                    return hn::Load(D16(), (s == 0 ? ref : dist) + (j - halo + m) * kVector);
                };
                const Sums sums = filtered<Dot, 1>(taps, load, Sums(kOffset + kRounding));
                for (int p = 0; p < 2; p++)
                    for (int s = 0; s < 2; s++) out[s][i + p] = hn::BitCast(DU32(), upper_halves(sums.at[p][0][s]));
            }
            store_block(out[0], segments_, first, strip_.next_ref + next_y * strip_.next_stride);
            store_block(out[1], segments_, first, strip_.next_dist + next_y * strip_.next_stride);
        }
    }

    const Strip &strip_;
    Segments segments_;
    Borders<Filter<Scale>::kRadius, Filter<Scale>::kHalo> borders_;
    static constexpr int kNext = Scale + 1 < kScales ? Scale + 1 : Scale;
    Borders<Filter<kNext>::kRadius, Filter<kNext>::kHalo> next_borders_;
    int pitch_, row_pitch_; // vectors per row of the ring (half a row pair) and of the filtered rows
    bool has_low_;
    int channels_;
    std::int16_t *ring_, *rows_;
    std::uint32_t *moments_; // of kColumnsAtOnce vectors of column pairs
    std::int32_t *statistics_;
};

template <class Dot> ScaleSums run_strip_with(const Strip &strip, std::byte *memory) {
    switch (strip.scale) {
    case 0: return StripFilter<0, Dot>(strip, memory).run();
    case 1: return StripFilter<1, Dot>(strip, memory).run();
    case 2: return StripFilter<2, Dot>(strip, memory).run();
    default: return StripFilter<3, Dot>(strip, memory).run();
    }
}

ScaleSums run_strip(const Strip &strip, std::byte *memory) {
    return run_strip_with<vmaf::HWY_NAMESPACE::MulThenAdd>(strip, memory);
}
#if HWY_TARGET == HWY_AVX3
ScaleSums run_strip_vnni(const Strip &strip, std::byte *memory) {
    return run_strip_with<vmaf::HWY_NAMESPACE::Vnni>(strip, memory);
}
#endif

// Narrower scales have segments shorter than the filter's halo.
bool wide_enough(int scale, int width) {
    const int halo = (kTapCount[std::size_t(scale)] / 2 + 1) / 2;
    return Segments(width).vectors >= halo;
}

std::size_t scratch_bytes(int width) {
    const std::size_t vectors = std::size_t(round_up(Segments(width).vectors, 2));
    const std::size_t ring = kRingPairs * kChannels * 2 * vectors;
    const std::size_t rows = kGroup * kChannels * (vectors + 2 * kMaxHalo + kSlack);
    return (ring + rows + kColumnsAtOnce * 10) * std::size_t(kVector) * sizeof(std::int16_t) +
           PixelSums::kScratch * sizeof(std::int32_t);
}

void logarithms(const std::int32_t *z, int count, std::int32_t *out) {
    const D32 d;
    const Logarithm log;
    for (int i = 0; i < count; i += kLanes) {
        const LogParts parts = log(hn::LoadU(d, z + i));
        const V32 pieces = hn::Mul(parts.piece, hn::Set(d, Logarithm::kStep));
        hn::StoreU(hn::Sub(hn::Add(pieces, parts.fraction), hn::Set(d, 2048 * 127)), d, out + i);
    }
}

constexpr StripCode kCode = {run_strip, wide_enough, scratch_bytes, logarithms};
#if HWY_TARGET == HWY_AVX3
constexpr StripCode kCodeVnni = {run_strip_vnni, wide_enough, scratch_bytes, logarithms};
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
