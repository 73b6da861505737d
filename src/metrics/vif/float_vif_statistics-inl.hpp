// Per target: the terms of a vector of pixels (vif.md 3.6, step 3), bit-identical to pixel_terms() in
// float_vif_scalar.cpp. Include it inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_FLOAT_VIF_STATISTICS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_FLOAT_VIF_STATISTICS_INL_HPP
#undef VMAF_FLOAT_VIF_STATISTICS_INL_HPP
#else
#define VMAF_FLOAT_VIF_STATISTICS_INL_HPP
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "metrics/vif/float_vif_strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::float_vif::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DD = hn::ScalableTag<double>;
using D32 = hn::ScalableTag<std::int32_t>;
using VF = hn::Vec<DF>;
using VD = hn::Vec<DD>;
using V32 = hn::Vec<D32>;
using HalfF = hn::Vec<hn::Half<DF>>;

constexpr int kLanes = HWY_LANES(float);

// log2a for arguments of at least 1, infinity and NaN.
HWY_INLINE VF log2_approximation(VF value) {
    const DF d;
    const D32 d32;
    const V32 bits = hn::BitCast(d32, value);
    const V32 exponent =
        hn::Sub(hn::And(hn::ShiftRight<23>(bits), hn::Set(d32, 255)), hn::Set(d32, 127)); // also of negative NaNs
    const V32 mantissa = hn::Or(hn::And(bits, hn::Set(d32, 0x7fffff)), hn::Set(d32, 0x3f800000));
    const VF u = hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 1.0f));
    VF p = hn::Set(d, -0.012671635276421f);
    for (float c : {0.064841182402670f, -0.157048836463065f, 0.257167726303123f, -0.353800560300520f,
                    0.480131410397451f, -0.721314327952201f, 1.442694803896991f})
        p = hn::Add(hn::Mul(p, u), hn::Set(d, c));
    return hn::Add(hn::ConvertTo(d, exponent), hn::Mul(p, u));
}

struct Moments {
    VF mean_r, mean_d, rr, dd, rd;
};

// The terms are num = log2a(num_argument) + num_extra and den = log2a(den_argument). In two steps, so that the
// processor can overlap the long operation chains of several vectors.
struct Arguments {
    VF num, num_extra, den;
};

class PixelArguments {
  public:
    explicit PixelArguments(const Constants &constants)
        : constants_(constants), threshold_(smallest_float_from(constants.noise)),
          noise_is_power_of_two_(is_power_of_two(constants.noise)),
          inverse_noise_(noise_is_power_of_two_ ? float(1.0 / constants.noise) : 0.0f) {}

    HWY_INLINE Arguments operator()(const Moments &m) const {
        const DF d;
        const VF zero = hn::Zero(d), epsilon = hn::Set(d, kEpsilon), one = hn::Set(d, 1.0f);
        VF s1 = hn::Max(hn::Sub(m.rr, hn::Mul(m.mean_r, m.mean_r)), zero);
        const VF s2 = hn::Max(hn::Sub(m.dd, hn::Mul(m.mean_d, m.mean_d)), zero);
        const VF s12 = hn::Sub(m.rd, hn::Mul(m.mean_r, m.mean_d));
        VF gain = hn::Div(s12, hn::Add(s1, epsilon));
        VF residual = hn::Sub(s2, hn::Mul(gain, s12));
        const auto flat_ref = hn::Lt(s1, epsilon), flat_dist = hn::Lt(s2, epsilon);
        s1 = hn::IfThenZeroElse(flat_ref, s1);
        gain = hn::IfThenZeroElse(hn::Or(flat_ref, flat_dist), gain);
        residual = hn::IfThenElse(hn::Or(flat_ref, hn::Lt(gain, zero)), s2, residual);
        residual = hn::Max(hn::IfThenZeroElse(flat_dist, residual), epsilon);
        gain = hn::Min(hn::Max(gain, zero), hn::Set(d, constants_.gain_limit));

        const VF signal = hn::Mul(hn::Mul(gain, gain), s1);
        const auto below = hn::Lt(s1, hn::Set(d, threshold_));
        // log2a(1) = 0 and log2a(2) = 1, exactly.
        const auto no_signal = hn::Or(below, hn::Lt(s12, zero));
        const VF below_num = hn::Sub(one, hn::Mul(s2, hn::Set(d, constants_.below_noise)));
        return {hn::IfThenElse(no_signal, one, num_argument(signal, residual)), hn::IfThenElseZero(below, below_num),
                hn::IfThenElse(below, hn::Set(d, 2.0f), den_argument(s1))};
    }

  private:
    // A float is below the double `limit` exactly if it is below this.
    static float smallest_float_from(double limit) {
        const float nearest = float(limit);
        return double(nearest) < limit ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
    }
    static bool is_power_of_two(double value) {
        int exponent = 0;
        return value > 0 && std::frexp(value, &exponent) == 0.5;
    }

    static HWY_INLINE HalfF narrow(VD v) { return hn::DemoteTo(hn::Half<DF>(), v); }
    static HWY_INLINE VD lower(VF v) { return hn::PromoteTo(DD(), hn::LowerHalf(v)); }
    static HWY_INLINE VD upper(VF v) { return hn::PromoteTo(DD(), hn::UpperHalf(hn::Half<DF>(), v)); }

    // RN32(1 + double(s1) / nsq). If nsq is a power of two and s1 at least as large, the quotient is a float, and the
    // sum of two such floats fits a double: rounding it once in single precision gives the same.
    HWY_INLINE VF den_argument(VF s1) const {
        const DF d;
        if (noise_is_power_of_two_) return hn::Add(hn::Set(d, 1.0f), hn::Mul(s1, hn::Set(d, inverse_noise_)));
        const DD dd;
        const VD noise = hn::Set(dd, constants_.noise), one = hn::Set(dd, 1.0);
        return hn::Combine(d, narrow(hn::Add(one, hn::Div(upper(s1), noise))),
                           narrow(hn::Add(one, hn::Div(lower(s1), noise))));
    }
    HWY_INLINE VF num_argument(VF signal, VF residual) const {
        const DD d;
        const VD noise = hn::Set(d, constants_.noise), one = hn::Set(d, 1.0);
        const VD high = hn::Add(one, hn::Div(upper(signal), hn::Add(upper(residual), noise)));
        const VD low = hn::Add(one, hn::Div(lower(signal), hn::Add(lower(residual), noise)));
        return hn::Combine(DF(), narrow(high), narrow(low));
    }

    Constants constants_;
    float threshold_;
    bool noise_is_power_of_two_;
    float inverse_noise_;
};

} // namespace vmaf::float_vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
