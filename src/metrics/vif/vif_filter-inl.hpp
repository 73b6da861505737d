// Per target: the filters of `vif` on pairs of 16-bit samples, a multiply-add for two taps. Include it inside `#if
// VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_FILTER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_FILTER_INL_HPP
#undef VMAF_VIF_FILTER_INL_HPP
#else
#define VMAF_VIF_FILTER_INL_HPP
#endif

#include <array>
#include <cstddef>

#include "cpu/simd_dot-inl.hpp"
#include "metrics/vif/vif_segments-inl.hpp"
#include "metrics/vif/vif_strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Order of the channels in a vertically filtered row, where all channels of a vector of columns are adjacent.
enum Channel { kM1, kM2, kRR, kRRLow, kDD, kDDLow, kRD, kRDLow };
constexpr int kChannels = 8;
constexpr int kStep = kChannels * kVector; // elements between vectors of a row

// The channels that a strip must filter; `Kept`: without the reference's own.
template <bool Kept>
inline constexpr std::array<int, kChannels> kChannelsOf = {kM1, kM2, kRR, kRRLow, kDD, kDDLow, kRD, kRDLow};
template <> inline constexpr std::array<int, 5> kChannelsOf<true> = {kM2, kDD, kDDLow, kRD, kRDLow};

// The reference's half of a row (Strip::half_kept, Strip::half_to_make): per vector of column pairs the means of even
// and odd columns, then their variances.
struct HalfRow {
    const std::int32_t *kept;
    std::int32_t *to_make; // null: not needed
};
constexpr int kHalfStep = 4 * kLanes; // elements
// Halves come from memory, earlier than hardware prefetching would request them.
HWY_INLINE void prefetch_half(const std::int32_t *at) {
    constexpr int ahead = 4096, line = 64; // bytes
    const char *const first = reinterpret_cast<const char *>(at) + ahead;
    HWY_UNROLL(4)
    for (int i = 0; i < kHalfStep * int(sizeof *at); i += line) __builtin_prefetch(first + i);
}
// Halves are too large for caches: writes them without reading what was there. hwy::FlushStream() must follow.
HWY_INLINE void stream(V32 v, std::int32_t *to) { hn::Stream(v, D32(), to); }
inline std::size_t half_row_elements(const Segments &segments) { return std::size_t(segments.vectors) * kHalfStep; }

// Start values: compensate the stored offset of 32768, and round at bit 16.
constexpr std::uint32_t kOffset = 0x80000000u, kRounding = 0x8000u;

// The filter of a scale, its taps in pairs for outputs at even and odd positions.
template <int Scale> struct Filter {
    static constexpr int kRadius = kTapCount[Scale] / 2;
    static constexpr int kHalo = (kRadius + 1) / 2;
    static constexpr int kPairs = 2 * kHalo + 1;
    // One tap of scale 3 needs 16 unsigned bits, but all are even: uses half taps, and doubles the sums.
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

// The tap pairs of a filter as vectors: in registers if there are 32, else constants in memory.
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

template <class Dot, int K, int Position, int Parity, int Scale, int Streams = 2>
HWY_INLINE void multiply_add(const TapVectors<Scale> &taps, V16 stream0, V16 stream1, Sums &sums) {
    if constexpr (K >= 0 && K < Filter<Scale>::kPairs) {
        if constexpr (Filter<Scale>::pair(Parity, K) != 0) {
            V32(&at)[2] = sums.at[Position][Parity];
            at[0] = Dot::dot(at[0], stream0, taps.template get<Parity, K>());
            compute_now(at[0]);
            if constexpr (Streams > 1) {
                at[1] = Dot::dot(at[1], stream1, taps.template get<Parity, K>());
                compute_now(at[1]);
            }
        }
    }
}

template <class Dot, int Parities, int M, int Streams, int Scale, class Load>
HWY_INLINE void filter_from(const TapVectors<Scale> &taps, const Load &load, Sums &sums) {
    if constexpr (M <= Filter<Scale>::kPairs) {
        const V16 stream0 = load(M, 0), stream1 = Streams > 1 ? load(M, 1) : stream0;
        multiply_add<Dot, M, 0, 0, Scale, Streams>(taps, stream0, stream1, sums);
        if constexpr (Parities == 2) multiply_add<Dot, M, 0, 1, Scale, Streams>(taps, stream0, stream1, sums);
        multiply_add<Dot, M - 1, 1, 0, Scale, Streams>(taps, stream0, stream1, sums);
        if constexpr (Parities == 2) multiply_add<Dot, M - 1, 1, 1, Scale, Streams>(taps, stream0, stream1, sums);
        filter_from<Dot, Parities, M + 1, Streams>(taps, load, sums);
    }
}

// Doubles sums from halved taps; others already started at their start values.
template <int Scale> HWY_INLINE V32 begun_with(V32 start) { return Filter<Scale>::kHalved ? hn::Zero(D32()) : start; }
template <int Scale> HWY_INLINE V32 ended_with(V32 sum, V32 start) {
    return Filter<Scale>::kHalved ? hn::Add(hn::ShiftLeft<1>(sum), start) : sum;
}

// start + filtered sums. load(m, stream) returns the pair m - kHalo positions from the first output.
template <class Dot, int Parities, int Streams = 2, int Scale, class Load>
HWY_INLINE Sums filtered(const TapVectors<Scale> &taps, const Load &load, const Sums &start) {
    Sums sums = Filter<Scale>::kHalved ? Sums(0) : start;
    filter_from<Dot, Parities, 0, Streams>(taps, load, sums);
    for (int p = 0; p < 2; p++)
        for (int e = 0; e < Parities; e++)
            for (int s = 0; s < Streams; s++) sums.at[p][e][s] = ended_with<Scale>(sums.at[p][e][s], start.at[p][e][s]);
    return sums;
}

HWY_INLINE V32 upper_halves(V32 v) { return hn::BitCast(D32(), hn::ShiftRight<16>(hn::BitCast(DU32(), v))); }

HWY_INLINE Sums upper_halves(const Sums &sums) {
    Sums out;
    for (int p = 0; p < 2; p++)
        for (int e = 0; e < 2; e++)
            for (int s = 0; s < 2; s++) out.at[p][e][s] = upper_halves(sums.at[p][e][s]);
    return out;
}

// The upper, middle or lower 16 bits of the even and odd columns' sums, interleaved.
HWY_INLINE V16 pack_upper(V32 even, V32 odd) {
    return hn::OddEven(hn::BitCast(D16(), odd), hn::BitCast(D16(), upper_halves(even)));
}
HWY_INLINE V16 pack_middle(V32 even, V32 odd) {
    return hn::OddEven(hn::BitCast(D16(), hn::ShiftLeft<8>(odd)), hn::BitCast(D16(), hn::ShiftRight<8>(even)));
}
HWY_INLINE V16 pack_lower(V32 even, V32 odd) {
    return hn::OddEven(hn::BitCast(D16(), hn::ShiftLeft<16>(odd)), hn::BitCast(D16(), even));
}
HWY_INLINE V16 flip_sign(V16 v) { return hn::Xor(v, hn::Set(D16(), std::int16_t(-32768))); }

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
