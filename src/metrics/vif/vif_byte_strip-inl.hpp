// Strips of bytes. Include it inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_BYTE_STRIP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_BYTE_STRIP_INL_HPP
#undef VMAF_VIF_BYTE_STRIP_INL_HPP
#else
#define VMAF_VIF_BYTE_STRIP_INL_HPP
#endif

#include <type_traits>

#include "cpu/simd_dot-inl.hpp"
#include "metrics/vif/vif_strip_filter-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Strips of bytes, at scale 0. The ring holds samples minus 128 and their products minus 1, so that the sum of two
// numbers still fits 16 bits: mirrored rows are added before multiplying. The next scale's filter uses the same sums.
template <class Dot> class ByteStrip : public StripFilter<0, Dot, ByteStrip<Dot>> {
    using Base = StripFilter<0, Dot, ByteStrip<Dot>>;
    using Base::pitch_, Base::ring_row, Base::row, Base::next_row, Base::row_pitch_, Base::segments_, Base::strip_;

  public:
    ByteStrip(const Strip &strip, std::byte *memory) : Base(strip, memory, kRingChannelsOfBytes) {}

    template <bool Kept> void enter_pair(int pair) { this->template enter_bytes<Kept>(pair); }

#if HWY_TARGET == HWY_WASM
    template <bool Statistics, bool Kept> void vertical_pass(int y) {
        this->template looped_vertical_pass<Statistics, Kept, false>(y);
    }
#else
    // As in WordStrip. Packs and stores the results of one channel between the multiply-adds of the next.
    template <bool Statistics, bool Kept> HWY_NOINLINE void vertical_pass(int y) {
        const D16 d16;
        const std::int16_t *pairs[kRingPairs];
        for (int m = 0; m < kRingPairs; m++) pairs[m] = ring_row(y / 2 - 4 + m, 0);
        const std::ptrdiff_t pitch = row_pitch_ * kStep, next_pitch = row_pitch_ * kNextStep;
        const V32 start = hn::Set(D32(), std::int32_t(kProductStart)), half = hn::Set(D32(), 128);
        const typename Base::template RowsAhead<std::uint8_t> ahead(*this, y);
        for (int j = 0; j < segments_.vectors; j++) {
            ahead.prefetch(j);
            V32 r[2][kGroup], d[2][kGroup], p[2][kGroup], held[2][kGroup], next[2][2], unused[2];
            std::int16_t *const out = row(0) + j * kStep, *const next_out = next_row(0) + j * kNextStep;
            const auto nothing = [](int) HWY_ATTR {};
            const auto samples = [&](int channel, int e, V32(&sums)[kGroup], const auto &between) VMAF_VIF_INLINE {
                for (V32 &v : sums) v = half;
                next[e][0] = next[e][1] = half;
                folded<Statistics, true>(pairs, (2 * j + e) * kVector + channel * pitch_, sums, next[e], between);
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
                    samples(kDist, 0, d[0], nothing);
                } else {
                    begin_square(r[0], start, p[0]);
                    products(kRefRef, 0, store_samples(kM1, r));
                    begin_square(r[1], start, p[1]);
                    products(kRefRef, 1, nothing);
                    hold(p, held);
                    samples(kDist, 0, d[0], store_products(kRR));
                }
                samples(kDist, 1, d[1], nothing);
                begin_square(d[0], start, p[0]);
                products(kDistDist, 0, store_samples(kM2, d));
                begin_square(d[1], start, p[1]);
                products(kDistDist, 1, nothing);
                hold(p, held);
                if constexpr (Kept) {
                    begin_unfolded(d[0], p[0]);
                    unfolded(pairs, 2 * j * kVector + kRefDist * pitch_, p[0], store_products(kDD));
                    begin_unfolded(d[1], p[1]);
                    unfolded(pairs, (2 * j + 1) * kVector + kRefDist * pitch_, p[1], nothing);
                } else {
                    begin_product(r[0], d[0], start, p[0]);
                    products(kRefDist, 0, store_products(kDD));
                    begin_product(r[1], d[1], start, p[1]);
                    products(kRefDist, 1, nothing);
                }
                hold(p, held);
                store_all(store_products(kRD));
            }
        }
    }
#endif

#if HWY_TARGET != HWY_WASM
  private:
    // sum F R R = sum F (R'R' - 1) + 2^16 + 2^8 sum F R' + 2^30 with R' = R - 128; sum F R' has 128 added for its own
    // rounding. Less 2^31, so that the upper half comes out as a signed number. Likewise R D with 2^7 (R' + D').
    static constexpr std::uint32_t kProductStart = 0x10000u - 0x8000u + 0x40000000u - 0x80000000u;

    // With what an encode shares there are no sums of R'. There the ring holds R' D, which is not folded:
    // sum F R D = sum F R' D + 2^7 sum F D' + 2^30.
    static constexpr std::uint32_t kUnfoldedStart = 0x40000000u - 0x4000u - 0x80000000u;
    static HWY_INLINE void begin_unfolded(const V32 (&d)[kGroup], V32 (&p)[kGroup]) {
        const V32 start = hn::Set(D32(), std::int32_t(kUnfoldedStart));
        HWY_UNROLL(4)
        for (int i = 0; i < kGroup; i++) p[i] = hn::Add(hn::ShiftLeft<7>(d[i]), start);
    }

    static HWY_INLINE void begin_square(const V32 (&s)[kGroup], V32 start, V32 (&p)[kGroup]) {
        HWY_UNROLL(4)
        for (int i = 0; i < kGroup; i++) p[i] = hn::Add(hn::ShiftLeft<8>(s[i]), start);
    }
    static HWY_INLINE void begin_product(const V32 (&r)[kGroup], const V32 (&d)[kGroup], V32 start, V32 (&p)[kGroup]) {
        HWY_UNROLL(4)
        for (int i = 0; i < kGroup; i++) p[i] = hn::Add(hn::ShiftLeft<7>(hn::Add(r[i], d[i])), start);
    }
    static HWY_INLINE void hold(const V32 (&p)[2][kGroup], V32 (&held)[2][kGroup]) {
        HWY_UNROLL(2)
        for (int e = 0; e < 2; e++) HWY_UNROLL(4)
        for (int i = 0; i < kGroup; i++) held[e][i] = p[e][i];
    }
    template <class Store> static HWY_INLINE void store_all(const Store &store) {
        HWY_UNROLL(4)
        for (int i = 0; i < kGroup; i++) store(i);
    }

    // Taps for sums of mirrored rows: [k] for distances (2k, 2k - 1) and, for odd rows, (2k - 1, 2k); [0] is the
    // centre.
    struct Tap {
        std::uint32_t lanes[HWY_TARGET == HWY_AVX3 ? 1 : kLanes];
        constexpr void set(int even, int odd) {
            for (std::uint32_t &lane : lanes) lane = std::uint32_t(even) | std::uint32_t(odd) << 16;
        }
    };
    struct alignas(64) Taps {
        Tap even[5], odd[5], next[3], pairs[2][9];
        constexpr Taps() : even(), odd(), next(), pairs() {
            for (int e = 0; e < 2; e++)
                for (int k = 0; k < 9; k++) {
                    const std::uint32_t pair = Filter<0>::pair(e, k);
                    pairs[e][k].set(int(pair & 0xffff), int(pair >> 16));
                }
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

    // Four rows of one channel; `at` is a vector's offset in the ring. Outermost rows first, so that few vectors are
    // live. Calls `between` with 0 to 3.
    template <bool This, bool Next, class Between>
    static HWY_INLINE void folded(const std::int16_t *const (&pairs)[kRingPairs], std::ptrdiff_t at, V32 (&s)[kGroup],
                                  V32 (&next)[2], const Between &between) {
        const Taps *taps = &kFoldedTaps;
        __asm__ volatile("" : "+r"(taps)); // from memory: there are too few registers
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

    // The same row by row; calls `between` likewise.
    template <class Between>
    static HWY_INLINE void unfolded(const std::int16_t *const (&pairs)[kRingPairs], std::ptrdiff_t at, V32 (&s)[kGroup],
                                    const Between &between) {
        const Taps *taps = &kFoldedTaps;
        __asm__ volatile("" : "+r"(taps));
        unfolded_from<0>(*taps, pairs, at, s, between);
    }
    template <int M, class Between>
    static HWY_INLINE void unfolded_from(const Taps &t, const std::int16_t *const (&pairs)[kRingPairs],
                                         std::ptrdiff_t at, V32 (&s)[kGroup], const Between &between) {
        if constexpr (M < kRingPairs) {
            const V16 p = hn::Load(D16(), pairs[M] + at);
            if constexpr (M < 9) add(s[0], p, t.pairs[0][M]), add(s[1], p, t.pairs[1][M]);
            if constexpr (M > 0) add(s[2], p, t.pairs[0][M - 1]), add(s[3], p, t.pairs[1][M - 1]);
            if constexpr (M % 2 == 1 && M < 8) between(M / 2);
            unfolded_from<M + 1>(t, pairs, at, s, between);
        }
    }
#endif
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
