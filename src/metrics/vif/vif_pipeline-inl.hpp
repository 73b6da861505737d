// AVX-512: the horizontal filter and the statistics of a row (vif.md 2.4 to 2.8) in one software-pipelined loop. While
// the multiply-adds of one vector of column pairs run, the statistics of the vector before are computed between them:
// neither has to wait for the other's long chains of operations. No comparisons into mask registers and no permutes
// with two sources: on some processors both use the multipliers. To be included inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_PIPELINE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_PIPELINE_INL_HPP
#undef VMAF_VIF_PIPELINE_INL_HPP
#else
#define VMAF_VIF_PIPELINE_INL_HPP
#endif

#if HWY_TARGET == HWY_AVX3

#include <array>

#include "metrics/vif/vif_filter-inl.hpp"
#include "metrics/vif/vif_log.hpp"
#include "metrics/vif/vif_strip.hpp"
#include "metrics/vif/vif_tile_runs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

using Bits = __m512i;

// Keeps a result where it is computed, so that the compiler keeps the order that is written here.
HWY_INLINE void pin(Bits &v) { __asm__ volatile("" : "+v"(v)); }
HWY_INLINE void pin(__m512d &v) { __asm__ volatile("" : "+v"(v)); }

HWY_INLINE Bits set32(std::uint32_t v) { return _mm512_set1_epi32(int(v)); }

// Constants that are loaded where they are used: registers have no room for them, and the compiler would spill what it
// keeps there. Every use goes through constants().
struct PipelineConstants {
    double floor[2] = {kVarianceFloor, kVarianceFloor * 4294967296.0};
    double magic[2] = {6755399441055744.0, 6755399441055744.0 * 4294967296.0}; // 1.5 * 2^52
    std::uint64_t round = 0x8000000080000000u;
    std::uint32_t noise = kNoiseVariance, threshold = kNoiseVariance - 1, log_offset = kLogOffset16 * 0x10001u;
    std::uint32_t start_mean = kOffset, start_low = kOffset + kRounding;
};
inline constexpr PipelineConstants kPipelineConstants;
HWY_INLINE const PipelineConstants &constants() {
    const PipelineConstants *p = &kPipelineConstants;
    __asm__ volatile("" : "+r"(p));
    return *p;
}

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
        at_ = _mm512_or_si512(_mm512_slli_epi16(u, 6), set32(constants().log_offset));
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

// The statistics of a vector of column pairs, cut into steps of about six instructions. Index 0 is for even columns, 1
// for odd ones. `Limits`: gain limits, 0 where no gain reaches it; numerators are made for each. `Kept`: the
// reference's means and variances are there already, and denominators known.
template <int Limits, bool Kept> struct PixelSteps {
    Bits s1[2], s2[2], s12[2]; // as they come out of the filters
    const Bits *pixels[2];     // which lanes count
    const double *limits;

    static HWY_INLINE Bits zero() { return _mm512_setzero_si512(); }

    // s1, s2, s12: what does not count becomes 0. Differences and their signs instead of comparisons.
    template <int V> HWY_INLINE void choose_1() {
        over_ = _mm512_and_si512(_mm512_sub_epi32(set32(constants().threshold), s1[V]), *pixels[V]);
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
            // The sum of 32-bit numbers from its lower 32 bits and the sum of the upper halves.
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
        g_ = _mm512_div_pd(x_, _mm512_add_pd(r_, _mm512_set1_pd(constants().floor[Half])));
        pin(g_);
    }
    template <int V, int Half> HWY_INLINE void gain_2() {
        d_ = _mm512_cvtepi64_pd(_mm512_maskz_mov_epi32(lanes(Half), s2[V]));
        pin(d_);
    }
    template <int Half> HWY_INLINE void gain_3() {
        constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        const __m512d magic = _mm512_set1_pd(constants().magic[Half]);
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
        const Bits noise = set32(constants().noise);
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
        const Bits noise = set32(constants().noise);
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

    // Steps beside the first half of the next vector's filters.
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
        const Bits round = _mm512_set1_epi64(std::int64_t(constants().round));
        const Bits even = _mm512_add_epi64(_mm512_mul_epu32(a, b), round);
        const Bits odd = _mm512_add_epi64(_mm512_mul_epu32(odd_a, odd_b), round);
        return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    }
    // Of the next vector: its means, s1, and the sums that will be its s2 and s12.
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
    // Beside the second half.
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
    // What `vectors` (at most kFlush) have left in the lanes. 16 bits hold that much: a piece number less that of the
    // noise is below 480, a fraction below 180.
    static constexpr int kFlush = 128;
    HWY_INLINE void flush(StripSums &sums, std::int64_t &above, int vectors) {
        add_up(sums.first, above, vectors, {den_piece_, den_fraction_, num_piece_, num_fraction_},
               {noise_low_, noise_high_, above_count_});
        if constexpr (Limits > 1) sums.second_num_log += num_log(second_piece_, second_fraction_);
        clear();
    }
    // The same for a run of tiles.
    HWY_INLINE void move_to(TileRuns &runs, int run, int vectors) {
        const auto both = [](Bits v) HWY_ATTR { // of unsigned 16-bit lanes
            return _mm512_add_epi32(_mm512_and_si512(v, set32(0xffff)), _mm512_srli_epi32(v, 16));
        };
        const auto signed_both = [](Bits v) HWY_ATTR {
            return _mm512_add_epi32(_mm512_srai_epi32(_mm512_slli_epi32(v, 16), 16), _mm512_srai_epi32(v, 16));
        };
        const Bits of_noise = _mm512_set1_epi16(short(vectors * (127 + 17) * kLogPieces16));
        const Bits den_pieces = both(_mm512_sub_epi16(den_piece_, of_noise));
        const Bits den = _mm512_add_epi32(_mm512_slli_epi32(den_pieces, 6), both(den_fraction_));
        const Bits num = _mm512_add_epi32(_mm512_slli_epi32(both(num_piece_), 6), signed_both(num_fraction_));
        runs.add(run, {V32{den}, V32{num}, V32{above_count_}, V32{noise_low_}, V32{noise_high_}});
        clear();
    }

  private:
    static constexpr __mmask16 lanes(int half) { return half ? 0xAAAA : 0x5555; }

    static HWY_NOINLINE std::int64_t num_log(const Bits &piece, const Bits &fraction) {
        alignas(64) std::uint16_t words[2][2 * kLanes];
        _mm512_store_si512(words[0], piece);
        _mm512_store_si512(words[1], fraction);
        std::int64_t sum = 0;
        for (int i = 0; i < 2 * kLanes; i++) sum += 64 * int(words[0][i]) + int(std::int16_t(words[1][i]));
        return sum;
    }

    struct Words {
        Bits den_piece, den_fraction, num_piece, num_fraction;
    };
    struct Longs {
        Bits noise_low, noise_high, above;
    };
    static HWY_NOINLINE void add_up(ScaleSums &sums, std::int64_t &above, int vectors, const Words &w, const Longs &l) {
        alignas(64) std::uint16_t words[2][2 * kLanes];
        alignas(64) std::uint32_t longs[3][kLanes];
        _mm512_store_si512(words[0], w.den_piece);
        _mm512_store_si512(words[1], w.den_fraction);
        _mm512_store_si512(longs[0], l.noise_low);
        _mm512_store_si512(longs[1], l.noise_high);
        _mm512_store_si512(longs[2], l.above);
        const unsigned of_noise = unsigned(vectors) * (127 + 17) * kLogPieces16;
        for (int i = 0; i < 2 * kLanes; i++)
            sums.den_log += 64 * int(std::uint16_t(words[0][i] - of_noise)) + int(words[1][i]);
        sums.num_log += num_log(w.num_piece, w.num_fraction);
        for (int i = 0; i < kLanes; i++) {
            const std::uint32_t low = longs[0][i], high = longs[1][i];
            sums.num_noise += (std::int64_t(high) << 16) + std::int64_t(std::uint32_t(low - (high << 16)));
            above += longs[2][i];
        }
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

// Which lanes of a vector have a column that exists.
class LaneMasks {
  public:
    explicit LaneMasks(const Segments &segments) : segments_(segments) {
        for (int n = 0; n <= kLanes; n++)
            for (int i = 0; i < kLanes; i++) lanes_[n][i] = i < n ? -1 : 0;
    }
    HWY_INLINE const Bits *at(int j, int parity) const { return first(segments_.valid_lanes(j, parity)); }
    HWY_INLINE const Bits *none() const { return first(0); }

  private:
    const Bits *first(int n) const { return reinterpret_cast<const Bits *>(lanes_[n]); }
    const Segments &segments_;
    alignas(64) std::int32_t lanes_[kLanes + 1][kLanes];
};

// Tap pairs as numbers to be broadcast from memory.
template <int Scale> struct TapNumbers {
    std::uint32_t pairs[2][Filter<Scale>::kPairs];
    constexpr TapNumbers() : pairs() {
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < Filter<Scale>::kPairs; k++) pairs[e][k] = Filter<Scale>::pair(e, k);
    }
};
template <int Scale> inline constexpr TapNumbers<Scale> kTapNumbers;

// Channels of a vector, `at` elements behind `first`: sums for even and odd columns. `between` is called 2 kPairs
// times.
template <class Dot, int Scale, int M, std::size_t N, class Between>
HWY_INLINE void filter_channels(const std::int16_t *first, const std::array<int, N> &at, V32 (&sums)[N][2],
                                const Between &between) {
    if constexpr (M < Filter<Scale>::kPairs) {
        constexpr bool even = Filter<Scale>::pair(0, M) != 0, odd = Filter<Scale>::pair(1, M) != 0;
        const TapNumbers<Scale> *taps = &kTapNumbers<Scale>;
        __asm__ volatile("" : "+r"(taps)); // loaded here, not kept
        const V16 even_taps{set32(taps->pairs[0][M])}, odd_taps{set32(taps->pairs[1][M])};
        const auto channels = [&](std::size_t from, std::size_t to) HWY_ATTR {
            HWY_UNROLL(4)
            for (std::size_t i = from; i < to; i++) {
                const V16 data = hn::Load(D16(), first + M * kStep + at[i] * kVector);
                if constexpr (even) sums[i][0] = Dot::dot(sums[i][0], data, even_taps), pin(sums[i][0].raw);
                if constexpr (odd) sums[i][1] = Dot::dot(sums[i][1], data, odd_taps), pin(sums[i][1].raw);
            }
        };
        channels(0, N / 2);
        between.template step<2 * M>();
        channels(N / 2, N);
        between.template step<2 * M + 1>();
        filter_channels<Dot, Scale, M + 1>(first, at, sums, between);
    }
}

template <int Scale, class Dot> class RowStatistics {
  public:
    static constexpr std::size_t kScratchBytes = 0;
    RowStatistics(const Segments &segments, const Strip &strip, std::byte *scratch)
        : segments_(segments), masks_(segments), limits_(strip.limits), runs_(strip, segments, scratch) {}

    // Row y, filtered, with its borders.
    template <bool Kept> void add(const std::int16_t *row, int y, const HalfRow &half) {
        constexpr RowKind kind = Kept ? RowKind::kept : RowKind::plain;
        const bool has_limit = limits_.values[0] < 100.0; // no gain reaches that
        if (!Kept && runs_.wanted()) {
            runs_.begin_row(y);
            has_limit ? add_row<1, RowKind::tiled>(row, half) : add_row<0, RowKind::tiled>(row, half);
        } else if (limits_.count > 1) {
            add_row<2, kind>(row, half);
        } else {
            has_limit ? add_row<1, kind>(row, half) : add_row<0, kind>(row, half);
        }
    }
    StripSums total(std::int64_t pixels) {
        if (runs_.wanted()) return runs_.total();
        StripSums sums = sums_;
        sums.first.den_noise = pixels - above_;
        return sums;
    }

  private:
    static constexpr bool kHalved = Filter<Scale>::kHalved;
    static constexpr int kHalfSteps = 2 * Filter<Scale>::kPairs; // of filter_channels
    template <class Steps> struct FirstSteps {
        Steps &steps;
        template <int M> HWY_INLINE void step() const {
            steps.template first_steps<M * Steps::kSteps / kHalfSteps, (M + 1) * Steps::kSteps / kHalfSteps>();
        }
    };
    template <class Steps> struct SecondSteps {
        Steps &steps;
        typename Steps::Next &next;
        V32 (&s2)[2], (&s12)[2];
        template <int M> HWY_INLINE void step() const {
            steps.template second_steps<M * Steps::kSteps / kHalfSteps, (M + 1) * Steps::kSteps / kHalfSteps>(next, s2,
                                                                                                              s12);
        }
    };

    static HWY_INLINE V32 start(std::uint32_t value) { return V32{set32(value)}; }
    static HWY_INLINE V32 mean_start() { return begun_with<Scale>(start(constants().start_mean)); }
    static HWY_INLINE V32 low_start() { return begun_with<Scale>(start(constants().start_low)); }

    enum class RowKind { plain, tiled, kept };
    template <int Limits, RowKind Kind> HWY_NOINLINE void add_row(const std::int16_t *row, const HalfRow &half) {
        constexpr bool Tiled = Kind == RowKind::tiled, Kept = Kind == RowKind::kept;
        using Steps = PixelSteps<Limits, Kept>;
        Steps steps;
        steps.limits = limits_.values.data();
        steps.clear();
        for (int v = 0; v < 2; v++) { // a vector of which no pixel counts comes first
            steps.s1[v] = steps.s2[v] = steps.s12[v] = Steps::zero();
            steps.pixels[v] = masks_.none();
        }
        typename Steps::Next next;
        int unflushed = 0, run = 0;
        for (int j = 0; j < segments_.vectors; j++) {
            const std::int16_t *const first = row + (j - Filter<Scale>::kHalo) * kStep;
            if constexpr (Kept)
                add_vector_with_half(steps, next, first, half.kept + j * kHalfStep);
            else
                add_vector(steps, next, first, half.to_make ? half.to_make + j * kHalfStep : nullptr);
            for (int e = 0; e < 2; e++) steps.pixels[e] = masks_.at(j, e);
            ++unflushed;
            if constexpr (Tiled) {
                const bool is_end = j == runs_.end(run); // the statistics are one vector after
                if (is_end || unflushed == Steps::kFlush) {
                    steps.move_to(runs_, run, unflushed);
                    unflushed = 0;
                }
                run += is_end;
            } else if (HWY_UNLIKELY(unflushed == Steps::kFlush)) {
                steps.flush(sums_, above_, unflushed);
                unflushed = 0;
            }
        }
        V32 none[2][2];
        for (int e = 0; e < 2; e++) {
            next.m1[e] = next.m2[e] = next.s1[e] = Steps::zero();
            none[0][e] = none[1][e] = hn::Zero(D32());
        }
        steps.template first_steps<0, Steps::kSteps>();
        steps.template second_steps<0, Steps::kSteps>(next, none[0], none[1]);
        if constexpr (Tiled)
            steps.move_to(runs_, run, unflushed + 1);
        else
            steps.flush(sums_, above_, unflushed + 1);
    }

    // The statistics of the vector before, and the filters of this one.
    template <class Steps>
    static HWY_INLINE void add_vector(Steps &steps, typename Steps::Next &next, const std::int16_t *first,
                                      std::int32_t *half) {
        V32 sums[4][2], minus[4][2]; // with halved taps the sums are doubled at the end
        for (int e = 0; e < 2; e++) {
            sums[0][e] = sums[1][e] = mean_start();
            sums[2][e] = hn::Zero(D32());
            sums[3][e] = low_start();
        }
        filter_channels<Dot, Scale, 0>(first, std::array{int(kM1), int(kM2), int(kRR), int(kRRLow)}, sums,
                                       FirstSteps<Steps>{steps});
        for (int e = 0; e < 2; e++) {
            next.m1[e] = ended_with<Scale>(sums[0][e], start(constants().start_mean)).raw;
            next.m2[e] = ended_with<Scale>(sums[1][e], start(constants().start_mean)).raw;
            next.s1[e] = moment(sums[2][e], sums[3][e], hn::Zero(D32()));
            sums[0][e] = sums[2][e] = minus[0][e] = minus[2][e] = hn::Zero(D32());
            sums[1][e] = sums[3][e] = low_start();
        }
        filter_channels<Dot, Scale, 0>(
            first, std::array{int(kDD), int(kDDLow), int(kRD), int(kRDLow)}, sums,
            SecondSteps<Steps>{steps, next, kHalved ? minus[0] : sums[0], kHalved ? minus[2] : sums[2]});
        for (int e = 0; e < 2; e++) {
            steps.s1[e] = next.s1[e];
            steps.s2[e] = moment(sums[0][e], sums[1][e], minus[0][e]);
            steps.s12[e] = moment(sums[2][e], sums[3][e], minus[2][e]);
        }
        if (!half) return;
        for (int e = 0; e < 2; e++) {
            _mm512_store_si512(half + e * kLanes, next.m1[e]);
            _mm512_store_si512(half + (2 + e) * kLanes, next.s1[e]);
        }
    }

    // The same with five channels instead of eight.
    template <class Steps>
    static HWY_INLINE void add_vector_with_half(Steps &steps, typename Steps::Next &next, const std::int16_t *first,
                                                const std::int32_t *half) {
        V32 sums[3][2], last[2][2], minus[2], s12[2];
        prefetch_half(half);
        for (int e = 0; e < 2; e++) {
            sums[0][e] = mean_start();
            sums[1][e] = hn::Zero(D32());
            sums[2][e] = low_start();
        }
        filter_channels<Dot, Scale, 0>(first, std::array{int(kM2), int(kRD), int(kRDLow)}, sums,
                                       FirstSteps<Steps>{steps});
        for (int e = 0; e < 2; e++) {
            next.m1[e] = _mm512_load_si512(half + e * kLanes);
            next.m2[e] = ended_with<Scale>(sums[0][e], start(constants().start_mean)).raw;
            next.s1[e] = _mm512_load_si512(half + (2 + e) * kLanes);
            s12[e].raw = moment(sums[1][e], sums[2][e], hn::Zero(D32()));
            last[0][e] = minus[e] = hn::Zero(D32());
            last[1][e] = low_start();
        }
        filter_channels<Dot, Scale, 0>(first, std::array{int(kDD), int(kDDLow)}, last,
                                       SecondSteps<Steps>{steps, next, kHalved ? minus : last[0], s12});
        for (int e = 0; e < 2; e++) {
            steps.s1[e] = next.s1[e];
            steps.s2[e] = moment(last[0][e], last[1][e], minus[e]);
            steps.s12[e] = s12[e].raw;
        }
    }
    // From the sums of a moment's upper and lower halves.
    static HWY_INLINE Bits moment(V32 high, V32 low, V32 start) {
        const V32 carried = ended_with<Scale>(low, V32{set32(constants().start_low)});
        return hn::Add(ended_with<Scale>(high, start), upper_halves(carried)).raw;
    }

    const Segments &segments_;
    LaneMasks masks_;
    GainLimits limits_;
    StripSums sums_;
    std::int64_t above_ = 0; // pixels above the noise
    TileRuns runs_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
