// Per target: from filtered moments to the sums of a scale (vif.md 2.6 to 2.8), a vector of pixels at a time.
// To be included inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_STATISTICS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_STATISTICS_INL_HPP
#undef VMAF_VIF_STATISTICS_INL_HPP
#else
#define VMAF_VIF_STATISTICS_INL_HPP
#endif

#include "metrics/vif/vif.hpp"
#include "metrics/vif/vif_log.hpp"
#include "metrics/vif/vif_segments-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

using DF = hn::ScalableTag<float>;
using DD = hn::ScalableTag<double>;
using VF = hn::Vec<DF>;
using VD = hn::Vec<DD>;

// LG(z) = kStep * piece + fraction - 2048 * 127 (vif_log.hpp); the parts are added up apart.
struct LogParts {
    V32 piece, fraction;
};

#if HWY_TARGET == HWY_AVX3

class Logarithm {
  public:
    static constexpr int kStep = 64;

    HWY_INLINE Logarithm()
        : a_{_mm512_load_ps(kLogQuadratic[0]), _mm512_load_ps(kLogQuadratic[0] + 16)},
          b_{_mm512_load_ps(kLogQuadratic[1]), _mm512_load_ps(kLogQuadratic[1] + 16)},
          c_{_mm512_load_ps(kLogQuadratic[2]), _mm512_load_ps(kLogQuadratic[2] + 16)},
          mask_(_mm512_set1_epi32(0x0003ff00)), one_(_mm512_set1_epi32(0x3f800000)) {}

    HWY_INLINE LogParts operator()(V32 z) const {
        constexpr int toward_zero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        const __m512i bits = _mm512_castps_si512(_mm512_cvt_roundepi32_ps(z.raw, toward_zero));
        const __m512i piece = _mm512_srli_epi32(bits, 18);
        // (bits & mask) | 1.0f
        const __m512 w = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(bits, mask_, one_, 0xEA));
        const __m512 a = _mm512_permutex2var_ps(a_[0], piece, a_[1]), b = _mm512_permutex2var_ps(b_[0], piece, b_[1]),
                     c = _mm512_permutex2var_ps(c_[0], piece, c_[1]);
        const __m512 sum = _mm512_fmadd_round_ps(w, _mm512_fmadd_ps(w, c, b), a, toward_zero);
        return {V32{piece}, V32{_mm512_cvttps_epi32(sum)}};
    }

  private:
    __m512 a_[2], b_[2], c_[2];
    __m512i mask_, one_;
};

#else

class Logarithm {
  public:
    static constexpr int kStep = 256;

    HWY_INLINE LogParts operator()(V32 z) const {
        const D32 d;
        const DF df;
        // The 17th significant bit is cleared (and others below it): converting cannot round up into the upper 16.
        const V32 truncated = hn::AndNot(hn::ShiftRight<16>(z), z);
        const V32 bits = hn::BitCast(d, hn::ConvertTo(df, truncated));
        const V32 piece = hn::ShiftRight<20>(bits);
        const VF w = hn::BitCast(df, hn::Or(hn::And(bits, hn::Set(d, 0x000fff00)), hn::Set(d, 0x3f800000)));
        const VF t = hn::Sub(w, hn::Set(df, 1.0625f));
        const auto index = lookup_index(piece);
        VF sum = hn::MulAdd(t, lookup(4, index), lookup(3, index));
        sum = hn::MulAdd(t, sum, lookup(2, index));
        sum = hn::MulAdd(t, sum, lookup(1, index));
        sum = hn::MulAdd(t, sum, lookup(0, index));
        return {piece, truncate(sum)};
    }

  private:
#if HWY_TARGET == HWY_AVX2
    // Highway's conversion also cares about values that do not fit.
    static HWY_INLINE V32 truncate(VF v) { return V32{_mm256_cvttps_epi32(v.raw)}; }
    static HWY_INLINE __m256i lookup_index(V32 piece) { return piece.raw; } // only the lowest three bits count
    HWY_INLINE VF lookup(int power, __m256i index) const {
        return VF{_mm256_permutevar8x32_ps(_mm256_load_ps(kLogQuartic[power]), index)};
    }
#else
    static HWY_INLINE V32 truncate(VF v) { return hn::ConvertTo(D32(), v); }
    // Four byte numbers per lane into a table of 32 bytes.
    static HWY_INLINE uint8x16_t lookup_index(V32 piece) {
        const uint32x4_t number = vandq_u32(vreinterpretq_u32_s32(piece.raw), vdupq_n_u32(7));
        return vreinterpretq_u8_u32(vmlaq_n_u32(vdupq_n_u32(0x03020100), number, 0x04040404));
    }
    HWY_INLINE VF lookup(int power, uint8x16_t index) const {
        const auto *bytes = reinterpret_cast<const std::uint8_t *>(kLogQuartic[power]);
        const uint8x16x2_t table = {{vld1q_u8(bytes), vld1q_u8(bytes + 16)}};
        return VF(vreinterpretq_f32_u8(vqtbl2q_u8(table, index)));
    }
#endif
};

#endif

// XX - ((a b + 2^31) >> 32), modulo 2^32, where `biased` is XX - 2^31.
HWY_INLINE V32 central_moment(VU32 biased, VU32 a, VU32 b) {
    const DU64 d64;
    const VU64 rounding = hn::Set(d64, 0x8000000080000000u); // 2^63 takes the bias out
#if HWY_TARGET == HWY_NEON
    const uint32x2_t low = vaddhn_u64(vmull_u32(vget_low_u32(a.raw), vget_low_u32(b.raw)), rounding.raw);
    const VU32 square(vaddhn_high_u64(low, vmull_high_u32(a.raw, b.raw), rounding.raw));
#else
    const DU32 d;
    const auto odd_lanes = [&](VU32 v) HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, v))); };
    const VU64 even = hn::Add(hn::MulEven(a, b), rounding);
    const VU64 odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), rounding);
    const VU32 square = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
#endif
    return hn::BitCast(D32(), hn::Sub(biased, square));
}

// The double steps of 2.8 for a vector of pixels in memory: sv, not yet limited to at least 0, and trunc(g g s1).
#if HWY_TARGET == HWY_AVX3

// Even lanes are converted as they are; odd ones as 64-bit integers s * 2^32, where every step is a power-of-two
// scaling of the specified one. Adding a large number with rounding down leaves the floor in the lowest bits; floor and
// trunc differ below 0 only, where both are replaced by 0.
HWY_INLINE void gain_terms(const std::int32_t *s1, const std::int32_t *s2, const std::int32_t *s12, double gain_limit,
                           std::int32_t *residual, std::int32_t *signal) {
    constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
    const __m512d limit = _mm512_set1_pd(gain_limit);
    const auto half = [&](__mmask16 lanes, double scale, __m512i &rest_bits, __m512i &power_bits) HWY_ATTR {
        const auto load = [&](const std::int32_t *v)
                              HWY_ATTR { return _mm512_cvtepi64_pd(_mm512_maskz_load_epi32(lanes, v)); };
        const __m512d r = load(s1), d = load(s2), rd = load(s12), round = _mm512_set1_pd(magic * scale);
        const __m512d gain = _mm512_div_pd(rd, _mm512_add_pd(r, _mm512_set1_pd(kVarianceFloor * scale)));
        const __m512d rest = _mm512_sub_pd(d, _mm512_mul_pd(gain, rd));
        const __m512d limited = _mm512_min_pd(gain, limit);
        const __m512d power = _mm512_mul_pd(_mm512_mul_pd(limited, limited), r);
        rest_bits = _mm512_castpd_si512(_mm512_add_round_pd(rest, round, down));
        power_bits = _mm512_castpd_si512(_mm512_add_round_pd(power, round, down));
    };
    __m512i rest[2], power[2];
    half(0x5555, 1.0, rest[0], power[0]);
    half(0xAAAA, 4294967296.0, rest[1], power[1]);
    const __m512i merge = _mm512_setr_epi32(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    _mm512_store_si512(residual, _mm512_permutex2var_epi32(rest[0], merge, rest[1]));
    _mm512_store_si512(signal, _mm512_permutex2var_epi32(power[0], merge, power[1]));
}

#else

HWY_INLINE void gain_terms(const std::int32_t *s1, const std::int32_t *s2, const std::int32_t *s12, double gain_limit,
                           std::int32_t *residual, std::int32_t *signal) {
    const DD d;
    const hn::Rebind<std::int32_t, DD> d32;
    const auto store = [&](VD v, std::int32_t *to) HWY_ATTR {
#if HWY_TARGET == HWY_AVX2
        _mm_store_si128(reinterpret_cast<__m128i *>(to), _mm256_cvttpd_epi32(v.raw));
#else
        hn::Store(hn::DemoteTo(d32, v), d32, to);
#endif
    };
    HWY_UNROLL(2)
    for (int i = 0; i < kLanes; i += kLanes / 2) {
        const VD r = hn::PromoteTo(d, hn::Load(d32, s1 + i)), dd = hn::PromoteTo(d, hn::Load(d32, s2 + i));
        const VD rd = hn::PromoteTo(d, hn::Load(d32, s12 + i));
        const VD gain = hn::Div(rd, hn::Add(r, hn::Set(d, kVarianceFloor)));
        store(hn::Sub(dd, hn::Mul(gain, rd)), residual + i);
        const VD limited = hn::Min(gain, hn::Set(d, gain_limit));
        store(hn::Mul(hn::Mul(limited, limited), r), signal + i);
    }
}

#endif

// Filtered moments of a vector of pixels: M1 and M2; XX, YY and XY less 2^31.
struct Moments {
    VU32 mean_r, mean_d, rr, dd, rd;
};

// The sums of a few rows, in the lanes of vectors; 32 bits hold what 2^18 pixels add to a lane. Vectors of pixels go
// through three loops, short enough for the processor to overlap their long chains of operations.
class PixelSums {
  public:
    static constexpr int kBatch = 32; // vectors

    // `scratch` has room for kScratch elements.
    static constexpr int kScratch = 5 * kBatch * kLanes;
    PixelSums(double gain_limit, std::int32_t *scratch)
        : gain_limit_(gain_limit), s1_(scratch), s2_(s1_ + kBatch * kLanes), s12_(s2_ + kBatch * kLanes),
          residual_(s12_ + kBatch * kLanes), signal_(residual_ + kBatch * kLanes) {}

    // The first `count` lanes are pixels. At most kBatch vectors before finish_batch().
    HWY_INLINE void add(const Moments &m, int count) {
        const D32 d;
        const DU64 d64;
        const V32 zero = hn::Zero(d);
        const auto pixels = hn::Lt(hn::Iota(d, 0), hn::Set(d, count));
        const V32 s1 = central_moment(m.rr, m.mean_r, m.mean_r);
        const V32 s2 = hn::Max(central_moment(m.dd, m.mean_d, m.mean_d), zero);
        const V32 s12 = central_moment(m.rd, m.mean_r, m.mean_d);

        const auto above = hn::And(pixels, hn::Gt(s1, hn::Set(d, kNoiseVariance - 1)));
        const auto below = hn::AndNot(above, pixels);
        if (!hn::AllFalse(d, below)) {
            const VU64 add = hn::BitCast(d64, hn::IfThenElseZero(below, s2));
            const VU64 low_half = hn::Set(d64, 0xffffffffu);
            num_noise_ = hn::Add(num_noise_, hn::Add(hn::ShiftRight<32>(add), hn::And(add, low_half)));
            if (hn::AllFalse(d, above)) return;
        }
        // A comparison is -1 in its true lanes.
        above_count_ = hn::Sub(above_count_, hn::VecFromMask(d, above));
        // Zeros add nothing in the steps that follow: LG(131072 + 0) - 34816, and LG(B) - LG(A) without a signal.
        const auto correlated = hn::And(above, hn::Gt(s2, zero));
        hn::Store(hn::IfThenElseZero(above, s1), d, s1_ + batch_ * kLanes);
        hn::Store(s2, d, s2_ + batch_ * kLanes);
        hn::Store(hn::IfThenElseZero(correlated, hn::Max(s12, zero)), d, s12_ + batch_ * kLanes);
        batch_++;
    }

    HWY_INLINE void finish_batch() {
        const D32 d;
        const Logarithm log;
        const V32 zero = hn::Zero(d), noise = hn::Set(d, kNoiseVariance);
        for (int i = 0; i < batch_ * kLanes; i += kLanes)
            gain_terms(s1_ + i, s2_ + i, s12_ + i, gain_limit_, residual_ + i, signal_ + i);
        for (int i = 0; i < batch_ * kLanes; i += kLanes) {
            const LogParts den = log(hn::Add(hn::Load(d, s1_ + i), noise));
            const V32 residual = hn::Add(hn::Max(hn::Load(d, residual_ + i), zero), noise);
            const LogParts lower = log(residual), upper = log(hn::Add(residual, hn::Load(d, signal_ + i)));
            den_piece_ = hn::Add(den_piece_, den.piece);
            den_fraction_ = hn::Add(den_fraction_, den.fraction);
            num_piece_ = hn::Add(num_piece_, hn::Sub(upper.piece, lower.piece));
            num_fraction_ = hn::Add(num_fraction_, hn::Sub(upper.fraction, lower.fraction));
        }
        logarithms_ += batch_ * kLanes;
        batch_ = 0;
    }

    ScaleSums total(std::int64_t pixels) const {
        alignas(64) std::uint64_t noise[kLanes / 2];
        hn::Store(num_noise_, DU64(), noise);
        ScaleSums sums;
        for (std::uint64_t part : noise) sums.num_noise += std::int64_t(part);
        sums.num_log = Logarithm::kStep * sum(num_piece_) + sum(num_fraction_);
        sums.den_log =
            Logarithm::kStep * sum(den_piece_) + sum(den_fraction_) - logarithms_ * (2048 * 127 + kLogOfNoise);
        sums.den_noise = pixels - sum(above_count_);
        return sums;
    }

  private:
    static std::int64_t sum(V32 v) {
        alignas(64) std::int32_t lanes[kLanes];
        hn::Store(v, D32(), lanes);
        std::int64_t total = 0;
        for (std::int32_t lane : lanes) total += lane;
        return total;
    }

    double gain_limit_;
    std::int32_t *s1_, *s2_, *s12_, *residual_, *signal_;
    int batch_ = 0;               // vectors in them
    std::int64_t logarithms_ = 0; // lanes that den_* have seen
    VU64 num_noise_ = hn::Zero(DU64());
    V32 above_count_ = hn::Zero(D32());
    V32 num_piece_ = above_count_, num_fraction_ = above_count_, den_piece_ = above_count_,
        den_fraction_ = above_count_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
