// Per target: the functions of fidelity.md 10.2 and 10.3 on doubles, each within a few units of the last place over the
// range of colours. Include it inside `#if VMAF_VECTOR_PASS`, before HWY_BEFORE_NAMESPACE.
#if defined(VMAF_CIEDE_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_CIEDE_MATH_INL_HPP
#undef VMAF_CIEDE_MATH_INL_HPP
#else
#define VMAF_CIEDE_MATH_INL_HPP
#endif

#include <cstdint>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace vmaf::ciede::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Dd = hn::ScalableTag<double>;
using Df = hn::Rebind<float, Dd>; // as many floats as doubles
using Di = hn::Rebind<std::int32_t, Dd>;
using Vd = hn::Vec<Dd>;
using Vf = hn::Vec<Df>;

HWY_INLINE Vd constant(double v) { return hn::Set(Dd(), v); }
HWY_INLINE Vf narrowed(Vd v) { return hn::DemoteTo(Df(), v); }
HWY_INLINE Vd widened(Vf v) { return hn::PromoteTo(Dd(), v); }
HWY_INLINE Vd rounded(Vd v) { return widened(narrowed(v)); } // to f32

// c[0] + c[1] x + ...
template <std::size_t N> HWY_INLINE Vd polynomial(Vd x, const double (&c)[N]) {
    Vd sum = constant(c[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) sum = hn::MulAdd(sum, x, constant(c[i]));
    return sum;
}

// Two vectors of doubles and their vector of floats.
using Dfloat = hn::ScalableTag<float>;
using Vfloat = hn::Vec<Dfloat>;
struct Pair {
    Vd lower, upper;
};
HWY_INLINE Vfloat narrowed(Pair p) { return hn::Combine(Dfloat(), narrowed(p.upper), narrowed(p.lower)); }
HWY_INLINE Pair widened_pair(Vfloat v) { return {widened(hn::LowerHalf(Df(), v)), widened(hn::UpperHalf(Df(), v))}; }

// For values that fit an int32; Highway's ConvertTo spends four instructions on others.
HWY_INLINE hn::Vec<hn::ScalableTag<std::int32_t>> truncated(Vfloat v) {
#if HWY_TARGET == HWY_AVX3
    return hn::Vec<hn::ScalableTag<std::int32_t>>{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return hn::Vec<hn::ScalableTag<std::int32_t>>{_mm256_cvttps_epi32(v.raw)};
#else
    return hn::ConvertTo(hn::ScalableTag<std::int32_t>(), v);
#endif
}

// x^(-1/Root) in single precision, from a linear guess at the logarithm (`magic` - bits / Root) and one step of order
// four: 1 - x * r^Root is then below 2.1e-4 (Root 5) or 4.8e-5 (Root 3).
template <int Root> HWY_INLINE Vfloat inverse_root(Vfloat x) {
    static_assert(Root == 3 || Root == 5);
    const Dfloat d;
    const hn::ScalableTag<std::int32_t> di;
    constexpr float magic = Root == 3 ? 1419906954.7f : 1277915859.2f;
    constexpr float c1 = 1.0f / Root, c2 = Root == 3 ? 2.0f / 9 : 0.12f, c3 = Root == 3 ? 14.0f / 81 : 0.088f;
    const Vfloat bits = hn::ConvertTo(d, hn::BitCast(di, x));
    const Vfloat r = hn::BitCast(d, truncated(hn::MulAdd(bits, hn::Set(d, -1.0f / Root), hn::Set(d, magic))));
    const Vfloat r2 = hn::Mul(r, r);
    const Vfloat power = Root == 3 ? r2 : hn::Mul(r2, r2);
    const Vfloat error = hn::NegMulAdd(hn::Mul(x, r), power, hn::Set(d, 1.0f));
    const Vfloat step = hn::MulAdd(hn::MulAdd(error, hn::Set(d, c3), hn::Set(d, c2)), error, hn::Set(d, c1));
    return hn::MulAdd(hn::Mul(r, error), step, r);
}

// x^2.4 = (x r)^3 (1 - e)^(-3/5) with r near x^(-1/5) and e = 1 - x r^5.
HWY_INLINE Vd power_2_4(Vd x, Vd r) {
    const Vd r2 = hn::Mul(r, r), xr = hn::Mul(x, r);
    const Vd error = hn::NegMulAdd(xr, hn::Mul(r2, r2), constant(1.0));
    const Vd cube = hn::Mul(hn::Mul(xr, xr), xr);
    static constexpr double series[] = {0.6, 0.48, 0.416};
    return hn::MulAdd(hn::Mul(cube, error), polynomial(error, series), cube);
}

// x^(1/3) = x r^2 (1 - e)^(-2/3) with r near x^(-1/3) and e = 1 - x r^3.
HWY_INLINE Vd cube_root(Vd x, Vd r) {
    const Vd near = hn::Mul(x, hn::Mul(r, r));
    const Vd error = hn::NegMulAdd(near, r, constant(1.0));
    static constexpr double series[] = {2.0 / 3, 5.0 / 9, 40.0 / 81};
    return hn::MulAdd(hn::Mul(near, error), polynomial(error, series), near);
}

// For x from 0.05 to 4, and from 0.005 to 8.
HWY_INLINE Pair power_2_4(Pair x) {
    const Pair r = widened_pair(inverse_root<5>(narrowed(x)));
    return {power_2_4(x.lower, r.lower), power_2_4(x.upper, r.upper)};
}
HWY_INLINE Pair cube_root(Pair x) {
    const Pair r = widened_pair(inverse_root<3>(narrowed(x)));
    return {cube_root(x.lower, r.lower), cube_root(x.upper, r.upper)};
}

// Undefined if both are 0. First reduces the quotient below tan(pi / 8).
HWY_INLINE Vd arc_tangent(Vd y, Vd x) {
    const Vd ax = hn::Abs(x), ay = hn::Abs(y);
    const Vd larger = hn::Max(ax, ay), smaller = hn::Min(ax, ay);
    const auto steep = hn::Gt(smaller, hn::Mul(larger, constant(0.41421356237309503)));
    const Vd t = hn::Div(hn::IfThenElse(steep, hn::Sub(smaller, larger), smaller),
                         hn::IfThenElse(steep, hn::Add(smaller, larger), larger));
    static constexpr double series[] = {-0.3333333333333093, 0.19999999997724888,  -0.14285713930378566,
                                        0.11111089649211055, -0.09090255952690657, 0.07681045202742948,
                                        -0.0655090730756309, 0.05168834935919362,  -0.02723288406057488};
    const Vd z = hn::Mul(t, t);
    Vd angle = hn::MulAdd(hn::Mul(t, z), polynomial(z, series), t);
    angle = hn::Add(angle, hn::IfThenElseZero(steep, constant(std::numbers::pi / 4)));
    angle = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(constant(std::numbers::pi / 2), angle), angle);
    angle = hn::IfThenElse(hn::Lt(x, constant(0.0)), hn::Sub(constant(std::numbers::pi), angle), angle);
    return hn::CopySignToAbs(angle, y);
}

// For |x| up to pi / 2.
HWY_INLINE Vd sine(Vd x) {
    static constexpr double series[] = {-0.1666666666666665,    0.008333333333325933,   -0.00019841269836469024,
                                        2.7557318055685783e-06, -2.505197292154555e-08, 1.6050972244135636e-10,
                                        -7.408054889542609e-13};
    const Vd z = hn::Mul(x, x);
    return hn::MulAdd(hn::Mul(x, z), polynomial(z, series), x);
}

HWY_INLINE Vd cosine(Vd x) {
    static constexpr double series[] = {-0.5,
                                        0.04166666666666634,
                                        -0.0013888888888860709,
                                        2.4801587292446213e-05,
                                        -2.755731776732053e-07,
                                        2.0876630867422994e-09,
                                        -1.1464689885720029e-11,
                                        4.6276759850181716e-14};
    const Vd z = hn::Mul(x, x);
    return hn::MulAdd(z, polynomial(z, series), constant(1.0));
}

// Adding it leaves the nearest integer in the low bits of the sum (for magnitudes far below 2^51).
constexpr double kRounding = 6755399441055744.0; // 1.5 * 2^52

// exp(x) for x from -700 to 0.
HWY_INLINE Vd exponential(Vd x) {
    const hn::RebindToUnsigned<Dd> du;
    const Vd shifted = hn::MulAdd(x, constant(std::numbers::log2e), constant(kRounding));
    const Vd n = hn::Sub(shifted, constant(kRounding));
    const Vd r = hn::NegMulAdd(n, constant(1.9082149292705877e-10),
                               hn::NegMulAdd(n, constant(0.693147180369123816490), x)); // ln 2 in two parts
    static constexpr double series[] = {1.0,
                                        1.0000000000000067,
                                        0.5000000000000006,
                                        0.16666666666554406,
                                        0.04166666666657314,
                                        0.008333333385667782,
                                        0.0013888888932488599,
                                        0.00019841170270440067,
                                        2.4801504346997686e-05,
                                        2.764018079620985e-06,
                                        2.7626357241447223e-07};
    const auto exponent = hn::ShiftLeft<52>(hn::BitCast(du, shifted));
    return hn::BitCast(Dd(), hn::Add(hn::BitCast(du, polynomial(r, series)), exponent));
}

} // namespace vmaf::ciede::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
