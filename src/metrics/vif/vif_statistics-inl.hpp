// All but AVX-512: the horizontal filter and the statistics of a row (vif.md 2.4 to 2.8), in loops over a batch of
// vectors. To be included inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_STATISTICS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_STATISTICS_INL_HPP
#undef VMAF_VIF_STATISTICS_INL_HPP
#else
#define VMAF_VIF_STATISTICS_INL_HPP
#endif

#if HWY_TARGET != HWY_AVX3

#include <array>

#include "cpu/simd_whole-inl.hpp"
#include "metrics/vif/vif_filter-inl.hpp"
#include "metrics/vif/vif_log.hpp"
#include "metrics/vif/vif_looped_filter-inl.hpp"
#include "metrics/vif/vif_strip.hpp"
#include "metrics/vif/vif_tile_runs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

using DF = hn::ScalableTag<float>;
using DD = hn::ScalableTag<double>;
using VF = hn::Vec<DF>;
using VD = hn::Vec<DD>;

// LG(z) = kStep * piece + fraction - kBias (vif_log.hpp); the parts are added up apart.
struct LogParts {
    V32 piece, fraction;
};

class Logarithm {
  public:
#if HWY_TARGET == HWY_WASM
    // Has no fused steps for the polynomials: pieces are octaves, and fractions come from the scalar code's table.
    static constexpr int kStep = 2048, kPieceBits = 23, kBias = 2048 * (127 + 15);
#else
    static constexpr int kStep = 256, kPieceBits = 20, kBias = 2048 * 127 + kSharedBias;
#endif

    HWY_INLINE LogParts operator()(V32 z) const {
        const D32 d;
        const DF df;
        // Clears the 17th significant bit (and others below it): conversion cannot round up into the upper 16.
        const V32 truncated = hn::AndNot(hn::ShiftRight<16>(z), z);
        const V32 bits = hn::BitCast(d, hn::ConvertTo(df, truncated));
        const V32 piece = hn::ShiftRight<kPieceBits>(bits);
#if HWY_TARGET == HWY_WASM
        const V32 entry = hn::And(hn::ShiftRight<8>(bits), hn::Set(d, 0x7fff));
        v128_t fraction = wasm_i32x4_const(0, 0, 0, 0);
        fraction = wasm_v128_load16_lane(table_ + wasm_i32x4_extract_lane(entry.raw, 0), fraction, 0);
        fraction = wasm_v128_load16_lane(table_ + wasm_i32x4_extract_lane(entry.raw, 1), fraction, 2);
        fraction = wasm_v128_load16_lane(table_ + wasm_i32x4_extract_lane(entry.raw, 2), fraction, 4);
        fraction = wasm_v128_load16_lane(table_ + wasm_i32x4_extract_lane(entry.raw, 3), fraction, 6);
        return {piece, V32{fraction}};
#else
        const VF w = hn::BitCast(df, hn::Or(hn::And(bits, hn::Set(d, 0x007fff00)), hn::Set(d, 0x3f800000)));
        const auto index = lookup_index(piece);
        const VF t = hn::MulAdd(w, lookup(kSharedScale, index), hn::Set(df, -1.0f));
        VF sum = hn::MulAdd(t, hn::Set(df, kSharedSeries[3]), hn::Set(df, kSharedSeries[2]));
        sum = hn::MulAdd(t, sum, hn::Set(df, kSharedSeries[1]));
        sum = hn::MulAdd(t, sum, hn::Set(df, kSharedSeries[0]));
        return {piece, hn::BitCast(d, hn::MulAdd(t, sum, lookup(kSharedBase, index)))};
#endif
    }

  private:
#if HWY_TARGET == HWY_AVX2
    static HWY_INLINE __m256i lookup_index(V32 piece) { return piece.raw; } // only the lowest three bits count
    static HWY_INLINE VF lookup(const float (&table)[kSharedPieces], __m256i index) {
        return VF{_mm256_permutevar8x32_ps(_mm256_load_ps(table), index)};
    }
#elif HWY_TARGET == HWY_WASM
    const std::uint16_t *const table_ = log_table().data();
#else
    // Four byte numbers per lane into a table of 32 bytes.
    static HWY_INLINE uint8x16_t lookup_index(V32 piece) {
        const uint32x4_t number = vandq_u32(vreinterpretq_u32_s32(piece.raw), vdupq_n_u32(7));
        return vreinterpretq_u8_u32(vmlaq_n_u32(vdupq_n_u32(0x03020100), number, 0x04040404));
    }
    static HWY_INLINE VF lookup(const float (&table)[kSharedPieces], uint8x16_t index) {
        const auto *bytes = reinterpret_cast<const std::uint8_t *>(table);
        const uint8x16x2_t entries = {{vld1q_u8(bytes), vld1q_u8(bytes + 16)}};
        return VF(vreinterpretq_f32_u8(vqtbl2q_u8(entries, index)));
    }
#endif
};

inline void logarithms(const std::int32_t *z, int count, std::int32_t *out) {
    const D32 d;
    const Logarithm log;
    for (int i = 0; i < count; i += kLanes) {
        const LogParts parts = log(hn::LoadU(d, z + i));
        const V32 pieces = hn::Mul(parts.piece, hn::Set(d, Logarithm::kStep));
        hn::StoreU(hn::Sub(hn::Add(pieces, parts.fraction), hn::Set(d, Logarithm::kBias)), d, out + i);
    }
}

// XX - ((a b + 2^31) >> 32), modulo 2^32, where `biased` is XX - 2^31.
HWY_INLINE V32 central_moment(VU32 biased, VU32 a, VU32 b) {
    const DU64 d64;
    const VU64 rounding = hn::Set(d64, 0x8000000080000000u); // 2^63 cancels the bias
#if HWY_TARGET == HWY_NEON
    const uint32x2_t low = vaddhn_u64(vmull_u32(vget_low_u32(a.raw), vget_low_u32(b.raw)), rounding.raw);
    const VU32 square(vaddhn_high_u64(low, vmull_high_u32(a.raw, b.raw), rounding.raw));
#elif HWY_TARGET == HWY_WASM // Highway multiplies 64-bit lanes, which takes eight instructions
    const v128_t low = wasm_i64x2_add(wasm_u64x2_extmul_low_u32x4(a.raw, b.raw), rounding.raw);
    const v128_t high = wasm_i64x2_add(wasm_u64x2_extmul_high_u32x4(a.raw, b.raw), rounding.raw);
    const VU32 square{wasm_i32x4_shuffle(low, high, 1, 3, 5, 7)};
#else
    const DU32 d;
    const auto odd_lanes = [&](VU32 v) HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, v))); };
    const VU64 even = hn::Add(hn::MulEven(a, b), rounding);
    const VU64 odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), rounding);
    const VU32 square = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
#endif
    return hn::BitCast(D32(), hn::Sub(biased, square));
}

// The double steps of 2.8 for a vector of pixels in memory: sv, not yet limited to at least 0, and trunc(g g s1) for
// each gain limit.
template <std::size_t Limits>
HWY_INLINE void gain_terms(const std::int32_t *s1, const std::int32_t *s2, const std::int32_t *s12,
                           const double *gain_limits, std::int32_t *residual,
                           const std::array<std::int32_t *, kLimitsAtOnce> &signals, int at) {
    const DD d;
    const hn::Rebind<std::int32_t, DD> d32;
    VD residuals[2], enhanced[2][Limits];
    HWY_UNROLL(2)
    for (int i = 0; i < 2; i++) {
        const auto load = [&](const std::int32_t *from)
                              HWY_ATTR { return hn::PromoteTo(d, hn::Load(d32, from + i * (kLanes / 2))); };
        const VD r = load(s1), dd = load(s2), rd = load(s12);
        const VD gain = hn::Div(rd, hn::Add(r, hn::Set(d, kVarianceFloor)));
        residuals[i] = hn::Sub(dd, hn::Mul(gain, rd));
        if constexpr (HWY_TARGET == HWY_WASM) residuals[i] = hn::Max(residuals[i], hn::Zero(d)); // for whole_parts()
        for (std::size_t l = 0; l < Limits; l++) {
            const VD limited = hn::Min(gain, hn::Set(d, gain_limits[l]));
            enhanced[i][l] = hn::Mul(hn::Mul(limited, limited), r);
        }
    }
    const auto store = [&](VD lower, VD upper, std::int32_t *to) HWY_ATTR {
#if HWY_TARGET == HWY_AVX2
        _mm_store_si128(reinterpret_cast<__m128i *>(to), _mm256_cvttpd_epi32(lower.raw));
        _mm_store_si128(reinterpret_cast<__m128i *>(to + kLanes / 2), _mm256_cvttpd_epi32(upper.raw));
#else
        hn::Store(vmaf::HWY_NAMESPACE::whole_parts(lower, upper), D32(), to);
#endif
    };
    store(residuals[0], residuals[1], residual);
    for (std::size_t l = 0; l < Limits; l++) store(enhanced[0][l], enhanced[1][l], signals[l] + at);
}

// For a vector of pixels: the filtered means M1 and M2, the reference's variance; YY and XY minus 2^31.
struct Moments {
    VU32 mean_r, mean_d;
    V32 s1;
    VU32 dd, rd;
};

// The sums of up to a row, in the lanes of vectors. Vectors of pixels pass through three loops, short enough for the
// processor to overlap their long operation chains.
template <std::size_t Limits> class PixelSums {
  public:
    static constexpr int kBatch = 32; // vectors

    // `scratch` has room for kScratch elements.
    static constexpr int kScratch = (4 + int(Limits)) * kBatch * kLanes;
    PixelSums(const GainLimits &limits, std::int32_t *scratch)
        : gain_limits_(limits.values.data()), s1_(scratch), s2_(s1_ + kBatch * kLanes), s12_(s2_ + kBatch * kLanes),
          residual_(s12_ + kBatch * kLanes), signals_{residual_ + kBatch * kLanes, residual_ + 2 * kBatch * kLanes} {
        clear();
    }

    // The first `count` lanes are pixels. At most kBatch vectors before finish_batch().
    HWY_INLINE void add(const Moments &m, int count) {
        const D32 d;
        const V32 zero = hn::Zero(d);
        const auto pixels = hn::Lt(hn::Iota(d, 0), hn::Set(d, count));
        const V32 s1 = m.s1;
        const V32 s2 = hn::Max(central_moment(m.dd, m.mean_d, m.mean_d), zero);
        const V32 s12 = central_moment(m.rd, m.mean_r, m.mean_d);

        const auto above = hn::And(pixels, hn::Gt(s1, hn::Set(d, kNoiseVariance - 1)));
        const auto below = hn::AndNot(above, pixels);
        if (!hn::AllFalse(d, below)) {
            const V32 noise = hn::IfThenElseZero(below, s2);
            noise_low_ = hn::Add(noise_low_, noise);
            noise_high_ = hn::Add(noise_high_, hn::ShiftRight<16>(noise));
            if (hn::AllFalse(d, above)) return;
        }
        // Comparisons yield -1 in true lanes.
        above_count_ = hn::Sub(above_count_, hn::VecFromMask(d, above));
        // Zeros contribute nothing below: LG(131072 + 0) - 34816, and LG(B) - LG(A) without a signal.
        const auto correlated = hn::And(above, hn::Gt(s2, zero));
        hn::Store(hn::IfThenElseZero(above, s1), d, s1_ + batch_ * kLanes);
        hn::Store(s2, d, s2_ + batch_ * kLanes);
        hn::Store(hn::IfThenElseZero(correlated, hn::Max(s12, zero)), d, s12_ + batch_ * kLanes);
        batch_++;
    }

    // `Kept`: denominators are known.
    template <bool Kept> HWY_INLINE void finish_batch() {
        const D32 d;
        const Logarithm log;
        const V32 zero = hn::Zero(d), noise = hn::Set(d, kNoiseVariance);
        for (int i = 0; i < batch_ * kLanes; i += kLanes)
            gain_terms<Limits>(s1_ + i, s2_ + i, s12_ + i, gain_limits_, residual_ + i, signals_, i);
        for (int i = 0; i < batch_ * kLanes; i += kLanes) {
            const V32 residual = hn::Add(hn::Max(hn::Load(d, residual_ + i), zero), noise);
            const LogParts lower = log(residual);
            if constexpr (!Kept) {
                const LogParts den = log(hn::Add(hn::Load(d, s1_ + i), noise));
                den_piece_ = hn::Add(den_piece_, den.piece);
                den_fraction_ = hn::Add(den_fraction_, den.fraction);
            }
            for (std::size_t l = 0; l < Limits; l++) {
                const LogParts upper = log(hn::Add(residual, hn::Load(d, signals_[l] + i)));
                num_piece_[l] = hn::Add(num_piece_[l], hn::Sub(upper.piece, lower.piece));
                num_fraction_[l] = hn::Add(num_fraction_[l], hn::Sub(upper.fraction, lower.fraction));
            }
        }
        logarithms_ += batch_;
        batch_ = 0;
    }

    // Passes on the lanes' sums, and starts again.
    HWY_INLINE void move_to(LaneTotals &totals) {
        totals.add(lane_sums());
        if constexpr (Limits > 1) totals.add_second(logarithm_sum(num_piece_[1], num_fraction_[1]));
        clear();
    }
    HWY_INLINE void move_to(TileRuns &runs, int run) {
        runs.add(run, lane_sums());
        clear();
    }

  private:
    static HWY_INLINE V32 logarithm_sum(V32 piece, V32 fraction) {
        return hn::Add(hn::Mul(piece, hn::Set(D32(), Logarithm::kStep)), fraction);
    }
    HWY_INLINE LaneSums lane_sums() const {
        const auto of_noise = hn::Set(D32(), std::int32_t(std::int64_t{Logarithm::kBias + kLogOfNoise} * logarithms_));
        return {hn::Sub(logarithm_sum(den_piece_, den_fraction_), of_noise),
                logarithm_sum(num_piece_[0], num_fraction_[0]), above_count_, noise_low_, noise_high_};
    }
    HWY_INLINE void clear() {
        above_count_ = den_piece_ = den_fraction_ = noise_low_ = noise_high_ = hn::Zero(D32());
        for (std::size_t l = 0; l < Limits; l++) num_piece_[l] = num_fraction_[l] = hn::Zero(D32());
        logarithms_ = 0;
    }

    const double *gain_limits_;
    std::int32_t *s1_, *s2_, *s12_, *residual_;
    std::array<std::int32_t *, kLimitsAtOnce> signals_;
    int batch_ = 0;      // vectors in the batch
    int logarithms_ = 0; // vectors added to den_*
    V32 above_count_, noise_low_, noise_high_, den_piece_, den_fraction_;
    V32 num_piece_[Limits],
        num_fraction_[Limits]; // not std::array, whose constructor lacks the vectors' target on arm64
};

template <int Scale, class Dot> class RowStatistics {
    static constexpr int kColumnsAtOnce =
        PixelSums<1>::kBatch / 2; // vectors between the horizontal filter and the sums
    static constexpr int kMoments = kColumnsAtOnce * 10 * kLanes;

  public:
    static constexpr std::size_t kScratchBytes = (kMoments + PixelSums<kLimitsAtOnce>::kScratch) * sizeof(std::int32_t);
    RowStatistics(const Segments &segments, const Strip &strip, std::byte *scratch)
        : segments_(segments), limits_(strip.limits), moments_(reinterpret_cast<std::int32_t *>(scratch)),
          runs_(strip, segments, scratch + kScratchBytes) {}

    // Row y, filtered, with its borders; reads one more vector after them.
    template <bool Kept> void add(const std::int16_t *row, int y, const HalfRow &half) {
        if (!Kept && runs_.wanted()) {
            runs_.begin_row(y);
            add_row<1, true, false>(row, half);
        } else if (limits_.count > 1) {
            add_row<2, false, Kept>(row, half);
        } else {
            add_row<1, false, Kept>(row, half);
        }
    }
    StripSums total(std::int64_t pixels) {
        if (runs_.wanted()) return runs_.total();
        return totals_.total(pixels);
    }

  private:
    template <std::size_t Limits, bool Tiled, bool Kept>
    HWY_NOINLINE void add_row(const std::int16_t *row, const HalfRow &half) {
        PixelSums<Limits> sums(limits_, moments_ + kMoments);
        if constexpr (Tiled) {
            for (int run = 0, begin = 0; run < runs_.count(); begin = runs_.end(run++)) {
                add_vectors<Kept>(row, half, begin, runs_.end(run), sums);
                sums.move_to(runs_, run);
            }
        } else {
            add_vectors<Kept>(row, half, 0, segments_.vectors, sums);
            sums.move_to(totals_);
        }
    }

    template <bool Kept, class PixelSums>
    HWY_INLINE void add_vectors(const std::int16_t *row, const HalfRow &half, int begin, int all, PixelSums &sums) {
        const Taps taps;
        for (int first = begin; first < all; first += kColumnsAtOnce) {
            const int end = std::min(first + kColumnsAtOnce, all);
            for (int j = first; j < end; j += kAtOnce)
                horizontal_pass<Kept>(taps, row + j * kStep, moments_ + (j - first) * 10 * kLanes);
            for (int j = first; j < end; j++) {
                if constexpr (Kept) prefetch_half(half.kept + j * kHalfStep);
                for (int parity = 0; parity < 2; parity++)
                    sums.add(moments_of<Kept>(moments_ + ((j - first) * 2 + parity) * 5 * kLanes, half,
                                              j * kHalfStep + parity * kLanes),
                             segments_.valid_lanes(j, parity));
            }
            sums.template finish_batch<Kept>();
        }
    }

    // `at`: the mean's offset in the half; its variance follows two vectors later.
    template <bool Kept>
    static HWY_INLINE Moments moments_of(const std::int32_t *filtered, const HalfRow &half, std::ptrdiff_t at) {
        const D32 d;
        const DU32 du;
        const auto load = [&](int i) HWY_ATTR { return hn::BitCast(du, hn::Load(d, filtered + i * kLanes)); };
        Moments m{load(0), load(1), hn::Zero(d), load(3), load(4)};
        if constexpr (Kept) {
            m.mean_r = hn::BitCast(du, hn::Load(d, half.kept + at));
            m.s1 = hn::Load(d, half.kept + at + 2 * kLanes);
        } else {
            m.s1 = central_moment(load(2), m.mean_r, m.mean_r);
            if (half.to_make) {
                stream(hn::BitCast(d, m.mean_r), half.to_make + at);
                stream(m.s1, half.to_make + at + 2 * kLanes);
            }
        }
        return m;
    }

#if HWY_TARGET == HWY_WASM
    static constexpr int kAtOnce = 1;
    struct Taps {};
    // Moments of a vector of column pairs, to out[parity][5].
    template <bool Kept> static HWY_INLINE void horizontal_pass(Taps, const std::int16_t *at, std::int32_t *out) {
        constexpr std::uint32_t low = kOffset + kRounding;
        const D32 d;
        const auto from = [&](int channel) HWY_ATTR {
            return EveryStep<kStep>{at - Filter<Scale>::kHalo * kStep + channel * kVector};
        };
        const auto store = [&](V32 v, int parity, int moment)
                               HWY_ATTR { hn::Store(v, d, out + (parity * 5 + moment) * kLanes); };
        if constexpr (Kept) {
            const auto means = filtered_in_loop<Dot, Scale, 2>(from(kM2), {kOffset});
            for (int e = 0; e < 2; e++) store(means.at[e][0], e, 1);
        } else {
            const auto sums = filtered_in_loop<Dot, Scale, 2>(from(kM1), {kOffset, kOffset, 0u, low});
            for (int e = 0; e < 2; e++)
                store(sums.at[e][0], e, 0), store(sums.at[e][1], e, 1), store(whole_product(sums.at[e], 2), e, 2);
        }
        const auto sums = filtered_in_loop<Dot, Scale, 2>(from(kDD), {0u, low, 0u, low});
        for (int e = 0; e < 2; e++)
            store(whole_product(sums.at[e], 0), e, 3), store(whole_product(sums.at[e], 2), e, 4);
    }
#else
    static constexpr int kAtOnce = 2;
    using Taps = TapVectors<Scale>;
    // Moments of two vectors of column pairs, to out[position][parity][5].
    template <bool Kept>
    static HWY_INLINE void horizontal_pass(const Taps &taps, const std::int16_t *at, std::int32_t *out) {
        const D32 d;
        const auto store = [&](const Sums &sums, int stream, int moment) HWY_ATTR {
            for (int p = 0; p < 2; p++)
                for (int e = 0; e < 2; e++)
                    hn::Store(sums.at[p][e][stream], d, out + ((p * 2 + e) * 5 + moment) * kLanes);
        };
        const auto loader = [&](int channel) HWY_ATTR { // of this channel and the next
            const std::int16_t *const first = at - Filter<Scale>::kHalo * kStep + channel * kVector;
            return [first](int m, int s) HWY_ATTR { return hn::Load(D16(), first + m * kStep + s * kVector); };
        };
        if constexpr (Kept) {
            store(filtered<Dot, 2, 1>(taps, loader(kM2), Sums(kOffset)), 0, 1);
        } else {
            const Sums means = filtered<Dot, 2>(taps, loader(kM1), Sums(kOffset));
            store(means, 0, 0);
            store(means, 1, 1);
        }
        for (int i = Kept; i < 3; i++) {
            Sums start(0);
            for (int p = 0; p < 2; p++)
                for (int e = 0; e < 2; e++) start.at[p][e][1] = hn::Set(d, std::int32_t(kOffset + kRounding));
            Sums sums = filtered<Dot, 2>(taps, loader(kRR + 2 * i), start);
            for (int p = 0; p < 2; p++)
                for (int e = 0; e < 2; e++)
                    sums.at[p][e][0] = hn::Add(sums.at[p][e][0], upper_halves(sums.at[p][e][1]));
            store(sums, 0, 2 + i);
        }
    }
#endif

    const Segments &segments_;
    GainLimits limits_;
    std::int32_t *moments_; // of kColumnsAtOnce vectors of column pairs
    LaneTotals totals_;
    TileRuns runs_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
