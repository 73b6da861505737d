// WebAssembly: the filters of `vif` as loops over the taps. Engines order the operations of a long straight line as
// they like, loads first, and spill most of them; a short loop keeps its sums in registers. To be included inside
// `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_LOOPED_FILTER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_LOOPED_FILTER_INL_HPP
#undef VMAF_VIF_LOOPED_FILTER_INL_HPP
#else
#define VMAF_VIF_LOOPED_FILTER_INL_HPP
#endif

#if HWY_TARGET == HWY_WASM

#include "metrics/vif/vif_filter-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Filter::pair of both parities, one after the other, in all lanes.
template <int Scale> struct LoopedTaps {
    alignas(16) std::uint32_t lanes[Filter<Scale>::kPairs][2][kLanes];
    constexpr LoopedTaps() : lanes() {
        for (int k = 0; k < Filter<Scale>::kPairs; k++)
            for (int parity = 0; parity < 2; parity++)
                for (std::uint32_t &lane : lanes[k][parity]) lane = Filter<Scale>::pair(parity, k);
    }
};
template <int Scale> inline constexpr LoopedTaps<Scale> kLoopedTaps{};

template <int Parities, int Streams> struct LoopedSums { V32 at[Parities][Streams]; };

// starts + filtered sums of neighbouring vectors. `next` gives the places of the first ones under the first tap pair,
// the second one and so on.
template <class Dot, int Scale, int Parities, int Streams, class Next>
HWY_INLINE LoopedSums<Parities, Streams> filtered_in_loop(Next next, const std::uint32_t (&starts)[Streams]) {
    const D16 d;
    LoopedSums<Parities, Streams> sums;
    const auto start = [&](int s) HWY_ATTR { return hn::Set(D32(), std::int32_t(starts[s])); };
    for (auto &parity : sums.at)
        for (int s = 0; s < Streams; s++) parity[s] = begun_with<Scale>(start(s));
    const std::uint32_t *taps = kLoopedTaps<Scale>.lanes[0][0];
#pragma clang loop unroll(disable)
    for (int k = 0; k < Filter<Scale>::kPairs; k++) {
        const std::int16_t *const data = next();
        V16 tap[Parities];
        for (int e = 0; e < Parities; e++) tap[e] = hn::BitCast(d, hn::Load(DU32(), taps + e * kLanes));
        for (int s = 0; s < Streams; s++) {
            const V16 x = hn::Load(d, data + s * kVector);
            for (int e = 0; e < Parities; e++) sums.at[e][s] = Dot::dot(sums.at[e][s], x, tap[e]);
        }
        taps += 2 * kLanes;
    }
    for (auto &parity : sums.at)
        for (int s = 0; s < Streams; s++) parity[s] = ended_with<Scale>(parity[s], start(s));
    return sums;
}

// Vectors that are `Step` elements apart.
template <int Step> struct EveryStep {
    const std::int16_t *at;
    HWY_INLINE const std::int16_t *operator()() {
        const std::int16_t *const now = at;
        at += Step;
        return now;
    }
};
// Vectors at one place of several rows.
struct EveryRow {
    const std::int16_t *const *rows;
    std::ptrdiff_t at;
    HWY_INLINE const std::int16_t *operator()() { return *rows++ + at; }
};

// The upper sum of a product with what its lower one carries into it.
template <int Streams> HWY_INLINE V32 whole_product(const V32 (&sums)[Streams], int upper) {
    return hn::Add(sums[upper], upper_halves(sums[upper + 1]));
}

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
