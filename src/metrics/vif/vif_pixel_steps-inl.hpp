// AVX-512: the statistics of a vector of column pairs (vif.md 2.5 to 2.8), cut into steps that vif_pipeline-inl.hpp
// interleaves with multiply-adds. Include it inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_PIXEL_STEPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_PIXEL_STEPS_INL_HPP
#undef VMAF_VIF_PIXEL_STEPS_INL_HPP
#else
#define VMAF_VIF_PIXEL_STEPS_INL_HPP
#endif

#if HWY_TARGET == HWY_AVX3

#include "metrics/vif/vif_filter-inl.hpp"
#include "metrics/vif/vif_log.hpp"
#include "metrics/vif/vif_strip.hpp"
#include "metrics/vif/vif_tile_runs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

using Bits = __m512i;

// Pins a result where it is computed, so that the compiler keeps the written order.
HWY_INLINE void pin(Bits &v) { __asm__ volatile("" : "+v"(v)); }
HWY_INLINE void pin(__m512d &v) { __asm__ volatile("" : "+v"(v)); }

HWY_INLINE Bits set32(std::uint32_t v) { return _mm512_set1_epi32(int(v)); }

// Constants loaded on use: there are too few registers, and the compiler would spill others. Access them through
// constants().
struct PipelineConstants {
    double floor[2] = {kVarianceFloor, kVarianceFloor * 4294967296.0};
    double magic[2] = {6755399441055744.0, 6755399441055744.0 * 4294967296.0}; // 1.5 * 2^52
    std::uint64_t round = 0x8000000080000000u;
    std::uint32_t noise = kNoiseVariance, threshold = kNoiseVariance - 1, log_offset = kLogOffset16 * 0x10001u;
    std::uint32_t start_mean = kOffset, start_low = kOffset + kRounding;
};
inline constexpr PipelineConstants kPipelineConstants;
// A number from memory in all lanes, loaded here: the compiler would keep it.
HWY_INLINE Bits broadcast(const std::uint32_t &number) {
    Bits v;
    __asm__ volatile("vpbroadcastd %1, %0" : "=v"(v) : "m"(number));
    return v;
}
HWY_INLINE Bits broadcast(const std::uint64_t &number) {
    Bits v;
    __asm__ volatile("vpbroadcastq %1, %0" : "=v"(v) : "m"(number));
    return v;
}
HWY_INLINE __m512d broadcast(const double &number) {
    __m512d v;
    __asm__ volatile("vbroadcastsd %1, %0" : "=v"(v) : "m"(number));
    return v;
}
constexpr const PipelineConstants &constants() { return kPipelineConstants; }

// LG of 32 numbers in 16-bit lanes (vif_log.hpp), in three steps.
struct Logarithms {
    Bits piece, fraction;

    HWY_INLINE void start(Bits z0, Bits z1) {
        constexpr int toward_zero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        bits_[0] = _mm512_castps_si512(_mm512_cvt_roundepi32_ps(z0, toward_zero));
        bits_[1] = _mm512_castps_si512(_mm512_cvt_roundepi32_ps(z1, toward_zero));
        pin(bits_[0]), pin(bits_[1]);
    }
    // z0 goes to the even lanes.
    HWY_INLINE void split() {
        constexpr __mmask32 even = 0x55555555;
        piece = _mm512_srli_epi16(_mm512_mask_mov_epi16(bits_[1], even, _mm512_srli_epi32(bits_[0], 16)), 2);
        const Bits u = _mm512_mask_mov_epi16(_mm512_slli_epi32(bits_[1], 8), even, _mm512_srli_epi32(bits_[0], 8));
        index_ = _mm512_srli_epi16(u, 10);
        at_ = _mm512_or_si512(_mm512_slli_epi16(u, 6), broadcast(constants().log_offset));
        pin(piece), pin(index_), pin(at_);
    }
    HWY_INLINE void finish() {
        const std::uint16_t(*table)[kLogPieces16] = kLog16;
        __asm__ volatile("" : "+r"(table));
        const Bits c = _mm512_permutexvar_epi16(index_, _mm512_load_si512(table[2]));
        const Bits b = _mm512_permutexvar_epi16(index_, _mm512_load_si512(table[1]));
        const Bits a = _mm512_permutexvar_epi16(index_, _mm512_load_si512(table[0]));
        const Bits slope = _mm512_sub_epi16(b, _mm512_mulhi_epu16(at_, c));
        fraction = _mm512_srli_epi16(_mm512_add_epi16(a, _mm512_mulhi_epu16(at_, slope)), 8);
        pin(fraction);
    }

  private:
    Bits bits_[2], index_, at_;
};

inline void logarithms(const std::int32_t *z, int count, std::int32_t *out) {
    for (int i = 0; i < count; i += kLanes) {
        const Bits v = _mm512_loadu_si512(z + i);
        Logarithms log;
        log.start(v, v);
        log.split();
        log.finish();
        const Bits low = set32(0xffff);
        const Bits whole = _mm512_add_epi32(_mm512_slli_epi32(_mm512_and_si512(log.piece, low), 6),
                                            _mm512_and_si512(log.fraction, low));
        _mm512_storeu_si512(out + i, _mm512_sub_epi32(whole, set32(2048 * 127)));
    }
}

// The statistics of a vector of column pairs, in steps of about six instructions. Index 0: even columns, 1: odd ones.
// `Limits`: number of gain limits, 0 if no gain reaches one; numerators are made for each. `Kept`: the reference's
// means and variances exist already, and denominators are known.
template <int Limits, bool Kept> struct PixelSteps {
    Bits s1[2], s2[2], s12[2]; // from the filters
    const Bits *pixels[2];     // which lanes count
    const double *limits;

    static HWY_INLINE Bits zero() { return _mm512_setzero_si512(); }

    // s1, s2, s12: zeroes what does not count. Uses differences and their signs, not comparisons.
    template <int V> HWY_INLINE void choose_1() {
        over_ = _mm512_and_si512(_mm512_sub_epi32(broadcast(constants().threshold), s1[V]), *pixels[V]);
        s2[V] = _mm512_max_epi32(s2[V], zero());
        above_ = _mm512_srai_epi32(over_, 31);
        s1[V] = _mm512_and_si512(s1[V], above_);
        pin(over_), pin(above_), pin(s1[V]), pin(s2[V]);
    }
    template <int V> HWY_INLINE void choose_2() {
        const Bits correlated = _mm512_srai_epi32(_mm512_and_si512(over_, _mm512_sub_epi32(zero(), s2[V])), 31);
        s12[V] = _mm512_and_si512(_mm512_max_epi32(s12[V], zero()), correlated);
        pin(s12[V]);
    }
    template <int V> HWY_INLINE void choose_3() {
        const Bits low = _mm512_and_si512(s2[V], _mm512_andnot_si512(above_, *pixels[V]));
        if constexpr (!Kept) {
            above_count_ = _mm512_sub_epi32(above_count_, above_);
            pin(above_count_);
        }
        if constexpr (V == 0) {
            below_ = low;
            pin(below_);
        } else {
            // The sum of 32-bit numbers, as its lower 32 bits and the sum of the upper halves.
            below_ = _mm512_add_epi32(below_, low);
            noise_low_ = _mm512_add_epi32(noise_low_, below_);
            noise_high_ = _mm512_add_epi32(noise_high_, _mm512_srli_epi32(below_, 16));
            pin(noise_low_), pin(noise_high_);
        }
    }

    // The double steps of 2.8: sv, not yet limited to at least 0, and trunc(g g s1). Even lanes (Half 0) are converted
    // as they are; odd ones as 64-bit integers s * 2^32, where every step is a power-of-two scaling of the specified
    // one. Adding a large number with rounding down leaves the floor in the lowest bits; floor and trunc differ below 0
    // only, where both are replaced by 0.
    template <int V, int Half> HWY_INLINE void gain_1() {
        r_ = _mm512_cvtepi64_pd(_mm512_maskz_mov_epi32(lanes(Half), s1[V]));
        x_ = _mm512_cvtepi64_pd(_mm512_maskz_mov_epi32(lanes(Half), s12[V]));
        g_ = _mm512_div_pd(x_, _mm512_add_pd(r_, broadcast(constants().floor[Half])));
        pin(g_);
    }
    template <int V, int Half> HWY_INLINE void gain_2() {
        d_ = _mm512_cvtepi64_pd(_mm512_maskz_mov_epi32(lanes(Half), s2[V]));
        pin(d_);
    }
    template <int Half> HWY_INLINE void gain_3() {
        constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        const __m512d magic = broadcast(constants().magic[Half]);
        rest_[Half] = _mm512_add_round_pd(_mm512_sub_pd(d_, _mm512_mul_pd(g_, x_)), magic, down);
        const __m512d g = Limits > 0 ? _mm512_min_pd(g_, _mm512_set1_pd(limits[0])) : g_;
        power_[Half] = _mm512_add_round_pd(_mm512_mul_pd(_mm512_mul_pd(g, g), r_), magic, down);
        pin(rest_[Half]), pin(power_[Half]);
        if constexpr (Limits > 1) {
            const __m512d h = _mm512_min_pd(g_, _mm512_set1_pd(limits[1]));
            second_power_[Half] = _mm512_add_round_pd(_mm512_mul_pd(_mm512_mul_pd(h, h), r_), magic, down);
            pin(second_power_[Half]);
        }
    }
    template <int V> HWY_INLINE void gain_4() {
        const auto merged = [](__m512d even, __m512d odd) HWY_ATTR {
            return _mm512_mask_shuffle_epi32(_mm512_castpd_si512(even), 0xAAAA, _mm512_castpd_si512(odd),
                                             _MM_PERM_CCAA);
        };
        residual_[V] = merged(rest_[0], rest_[1]);
        signal_[V] = merged(power_[0], power_[1]);
        pin(residual_[V]), pin(signal_[V]);
        if constexpr (Limits > 1) {
            second_signal_[V] = merged(second_power_[0], second_power_[1]);
            pin(second_signal_[V]);
        }
    }

    HWY_INLINE void noise_added() {
        const Bits noise = broadcast(constants().noise);
        for (int v = 0; v < 2; v++) {
            residual_[v] = _mm512_add_epi32(_mm512_max_epi32(residual_[v], zero()), noise);
            signal_[v] = _mm512_add_epi32(residual_[v], signal_[v]);
            pin(residual_[v]), pin(signal_[v]);
            if constexpr (Limits > 1) {
                second_signal_[v] = _mm512_add_epi32(residual_[v], second_signal_[v]);
                pin(second_signal_[v]);
            }
        }
    }
    HWY_INLINE void denominator_start() {
        const Bits noise = broadcast(constants().noise);
        log_.start(_mm512_add_epi32(s1[0], noise), _mm512_add_epi32(s1[1], noise));
    }
    HWY_INLINE void denominator_end() {
        log_.finish();
        den_piece_ = _mm512_add_epi16(den_piece_, log_.piece);
        den_fraction_ = _mm512_add_epi16(den_fraction_, log_.fraction);
        pin(den_piece_), pin(den_fraction_);
    }
    HWY_INLINE void lower_end() {
        log_.finish();
        num_piece_ = _mm512_sub_epi16(num_piece_, log_.piece);
        num_fraction_ = _mm512_sub_epi16(num_fraction_, log_.fraction);
        pin(num_piece_), pin(num_fraction_);
        if constexpr (Limits > 1) {
            second_piece_ = _mm512_sub_epi16(second_piece_, log_.piece);
            second_fraction_ = _mm512_sub_epi16(second_fraction_, log_.fraction);
            pin(second_piece_), pin(second_fraction_);
        }
    }
    HWY_INLINE void upper_end() {
        log_.finish();
        num_piece_ = _mm512_add_epi16(num_piece_, log_.piece);
        num_fraction_ = _mm512_add_epi16(num_fraction_, log_.fraction);
        pin(num_piece_), pin(num_fraction_);
    }

    HWY_INLINE void second_upper_end() {
        log_.finish();
        second_piece_ = _mm512_add_epi16(second_piece_, log_.piece);
        second_fraction_ = _mm512_add_epi16(second_fraction_, log_.fraction);
        pin(second_piece_), pin(second_fraction_);
    }

    // Steps during the first half of the next vector's filters.
    static constexpr int kSteps = Limits > 1 ? 21 : 18;
    template <int I> HWY_INLINE void first_step() {
        if constexpr (I == 0) choose_1<0>();
        if constexpr (I == 1) choose_2<0>();
        if constexpr (I == 2) gain_1<0, 0>();
        if constexpr (I == 3) gain_2<0, 0>(), choose_3<0>();
        if constexpr (I == 4) choose_1<1>();
        if constexpr (I == 5) choose_2<1>();
        if constexpr (I == 6) choose_3<1>();
        if constexpr (I == 7) gain_3<0>();
        if constexpr (I == 8) gain_1<0, 1>();
        if constexpr (I == 9) gain_2<0, 1>();
        if constexpr (!Kept) {
            if constexpr (I == 9) denominator_start();
            if constexpr (I == 10) log_.split();
            if constexpr (I == 11) denominator_end();
        }
        if constexpr (I == 13) gain_3<1>();
        if constexpr (I == 14) gain_4<0>();
        if constexpr (I == 15) gain_1<1, 0>();
        if constexpr (I == 16) gain_2<1, 0>();
    }
    template <int From, int To> HWY_INLINE void first_steps() {
        if constexpr (From < To) {
            first_step<From>();
            first_steps<From + 1, To>();
        }
    }

    // (a b + 2^31 + 2^63) >> 32 of all lanes
    static HWY_INLINE Bits rounded_product(Bits a, Bits b, Bits odd_a, Bits odd_b) {
        const Bits round = broadcast(constants().round);
        const Bits even = _mm512_add_epi64(_mm512_mul_epu32(a, b), round);
        const Bits odd = _mm512_add_epi64(_mm512_mul_epu32(odd_a, odd_b), round);
        return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    }
    // For the next vector: its means, s1, and the sums that become its s2 and s12.
    struct Next {
        Bits m1[2], m2[2], s1[2];
    };
    using Sum = V32[2];
    template <int V> HWY_INLINE void square_1(Next &n) {
        odd1_ = _mm512_srli_epi64(n.m1[V], 32);
        odd2_ = _mm512_srli_epi64(n.m2[V], 32);
        if constexpr (!Kept) n.s1[V] = _mm512_sub_epi32(n.s1[V], rounded_product(n.m1[V], n.m1[V], odd1_, odd1_));
        pin(odd1_), pin(odd2_), pin(n.s1[V]);
    }
    template <int V> HWY_INLINE void square_2(const Next &n, Sum &s2) {
        Bits &s = s2[V].raw;
        s = _mm512_sub_epi32(s, rounded_product(n.m2[V], n.m2[V], odd2_, odd2_));
        pin(s);
    }
    template <int V> HWY_INLINE void square_12(const Next &n, Sum &s12) {
        Bits &s = s12[V].raw;
        s = _mm512_sub_epi32(s, rounded_product(n.m1[V], n.m2[V], odd1_, odd2_));
        pin(s);
    }
    // Steps during the second half.
    template <int I> HWY_INLINE void second_step(Next &n, Sum &s2, Sum &s12) {
        if constexpr (I == 0) square_1<0>(n);
        if constexpr (I == 1) square_2<0>(n, s2);
        if constexpr (I == 2) square_12<0>(n, s12);
        if constexpr (I == 3) gain_3<0>();
        if constexpr (I == 4) gain_1<1, 1>();
        if constexpr (I == 5) gain_2<1, 1>(), square_1<1>(n);
        if constexpr (I == 6) square_2<1>(n, s2);
        if constexpr (I == 7) square_12<1>(n, s12);
        if constexpr (I == 9) gain_3<1>();
        if constexpr (I == 10) gain_4<1>();
        if constexpr (I == 11) noise_added();
        if constexpr (I == 12) log_.start(residual_[0], residual_[1]);
        if constexpr (I == 13) log_.split();
        if constexpr (I == 14) lower_end();
        if constexpr (I == 15) log_.start(signal_[0], signal_[1]);
        if constexpr (I == 16) log_.split();
        if constexpr (I == 17) upper_end();
        if constexpr (I == 18) log_.start(second_signal_[0], second_signal_[1]);
        if constexpr (I == 19) log_.split();
        if constexpr (I == 20) second_upper_end();
    }
    template <int From, int To> HWY_INLINE void second_steps(Next &n, Sum &s2, Sum &s12) {
        if constexpr (From < To) {
            second_step<From>(n, s2, s12);
            second_steps<From + 1, To>(n, s2, s12);
        }
    }

    HWY_INLINE void clear() {
        den_piece_ = den_fraction_ = num_piece_ = num_fraction_ = noise_low_ = noise_high_ = above_count_ = zero();
        if constexpr (Limits > 1) second_piece_ = second_fraction_ = zero();
    }
    // 16 bits suffice for that many vectors: a piece number minus that of the noise is below 480, a fraction below 180.
    static constexpr int kFlush = 128;
    // The sums of `vectors` (at most kFlush); starts again.
    HWY_INLINE void move_to(LaneTotals &totals, int vectors) {
        totals.add(lane_sums(vectors));
        if constexpr (Limits > 1) totals.add_second(numerator(second_piece_, second_fraction_));
        clear();
    }
    HWY_INLINE void move_to(TileRuns &runs, int run, int vectors) {
        runs.add(run, lane_sums(vectors));
        clear();
    }

  private:
    static constexpr __mmask16 lanes(int half) { return half ? 0xAAAA : 0x5555; }

    // Of both 16-bit lanes in each of 32 bits, unsigned.
    static HWY_INLINE Bits both(Bits v) {
        return _mm512_add_epi32(_mm512_and_si512(v, set32(0xffff)), _mm512_srli_epi32(v, 16));
    }
    static HWY_INLINE V32 numerator(Bits piece, Bits fraction) {
        const Bits fractions =
            _mm512_add_epi32(_mm512_srai_epi32(_mm512_slli_epi32(fraction, 16), 16), _mm512_srai_epi32(fraction, 16));
        return V32{_mm512_add_epi32(_mm512_slli_epi32(both(piece), 6), fractions)};
    }
    HWY_INLINE LaneSums lane_sums(int vectors) const {
        const Bits of_noise = _mm512_set1_epi16(short(vectors * (127 + 17) * kLogPieces16));
        const Bits den_pieces = both(_mm512_sub_epi16(den_piece_, of_noise));
        const Bits den = _mm512_add_epi32(_mm512_slli_epi32(den_pieces, 6), both(den_fraction_));
        return {V32{den}, numerator(num_piece_, num_fraction_), V32{above_count_}, V32{noise_low_}, V32{noise_high_}};
    }

    Bits over_, above_, below_;
    __m512d r_, d_, x_, g_, rest_[2], power_[2], second_power_[2]; // of one half of a vector
    Bits residual_[2], signal_[2], second_signal_[2];
    Bits odd1_, odd2_;
    Logarithms log_;
    Bits den_piece_, den_fraction_, num_piece_, num_fraction_; // 16-bit sums
    Bits second_piece_, second_fraction_;
    Bits noise_low_, noise_high_, above_count_; // 32-bit sums
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
