// fidelity.md 11.1 on vectors, with the same bits: the moments are integers that f32 (8-bit samples, down the columns)
// and f64 (all else) hold exactly, so that their order is free; what follows is rounded as in ssim.cpp.
#include <algorithm>

#include "base/aligned.hpp"
#include "metrics/ssim/ssim.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ssim/ssim_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "metrics/ssim/float_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::moments::HWY_NAMESPACE {

using namespace vmaf::float_vectors::HWY_NAMESPACE;

// Below 2^24 for 8-bit samples.
template <class D, class T> HWY_INLINE void column_moments(const MomentRows<T> &rows, int x, hn::Vec<D> (&sum)[5]) {
    const D d;
    const hn::Rebind<std::int32_t, D> di;
    const hn::Rebind<T, D> samples;
    const auto load = [&](const T *row) HWY_ATTR {
        const auto v = hn::PromoteTo(di, hn::LoadU(samples, row + x));
        if constexpr (sizeof(hn::TFromD<D>) == sizeof(double))
            return hn::PromoteTo(d, v);
        else
            return hn::ConvertTo(d, v);
    };
    for (auto &s : sum) s = hn::Zero(d);
    for (std::size_t k = 0; k < 9; k++) {
        const auto tap = hn::Set(d, hn::TFromD<D>(rows.taps[k]));
        const auto r = load(rows.ref[k]), e = load(rows.dist[k]);
        const auto tap_r = hn::Mul(tap, r), tap_e = hn::Mul(tap, e);
        sum[0] = hn::Add(sum[0], tap_r);
        sum[1] = hn::Add(sum[1], tap_e);
        sum[2] = hn::MulAdd(tap_r, r, sum[2]);
        sum[3] = hn::MulAdd(tap_r, e, sum[3]);
        sum[4] = hn::MulAdd(tap_e, e, sum[4]);
    }
}

// Zeros past the row's end.
void store_columns(const MomentRows<std::uint8_t> &rows, int width, double *const (&out)[5]) {
    const Df d;
    const Dd dd;
    for (int x = 0; x < width; x += kLanes) {
        Vf sum[5];
        column_moments<Df>(rows, x, sum);
        const auto inside = hn::FirstN(d, std::size_t(width - x));
        for (int c = 0; c < 5; c++) {
            const Vf v = hn::IfThenElseZero(inside, sum[c]);
            hn::Store(hn::PromoteTo(dd, hn::LowerHalf(Dh(), v)), dd, out[c] + x);
            hn::Store(hn::PromoteTo(dd, hn::UpperHalf(Dh(), v)), dd, out[c] + x + kHalf);
        }
    }
}

void store_columns(const MomentRows<std::uint16_t> &rows, int width, double *const (&out)[5]) {
    const Dd d;
    for (int x = 0; x < width; x += kHalf) {
        Vd sum[5];
        column_moments<Dd>(rows, x, sum);
        const auto inside = hn::FirstN(d, std::size_t(width - x));
        for (int c = 0; c < 5; c++) hn::Store(hn::IfThenElseZero(inside, sum[c]), d, out[c] + x);
    }
}

HWY_INLINE Vd along_row(const double *in) {
    const Dd d;
    Vd sum = hn::Mul(hn::LoadU(d, in), hn::Set(d, double(kMomentTaps[4])));
    for (int u = 1; u <= kMomentRadius; u++)
        sum = hn::MulAdd(hn::Add(hn::LoadU(d, in - u), hn::LoadU(d, in + u)),
                         hn::Set(d, double(kMomentTaps[std::size_t(kMomentRadius - u)])), sum);
    return sum;
}

template <class T>
void similarity_row(const MomentRows<T> &rows, const MomentParameters &p, double *scratch, double *out) {
    const Dd d;
    double *moments[5];
    for (int c = 0; c < 5; c++)
        moments[c] = scratch + c * round_up(p.width + 2 * MomentFunctions::kPad, 16) + MomentFunctions::kPad;
    store_columns(rows, p.width, moments);
    const Vd k1 = hn::Set(d, p.peak_squared * (0.01 * 0.01)), k2 = hn::Set(d, p.peak_squared * (0.03 * 0.03));
    const Vd two = hn::Set(d, 2.0), rows_weight = hn::Set(d, p.rows_weight);
    for (int x = 0; x < p.width; x += kHalf) {
        const Vd w = hn::Mul(rows_weight, hn::LoadU(d, p.columns_weight + x));
        const Vd c1 = hn::Mul(hn::Mul(k1, w), w), c2 = hn::Mul(hn::Mul(k2, w), w);
        const Vd mx = along_row(moments[0] + x), my = along_row(moments[1] + x);
        const Vd xx = along_row(moments[2] + x), xy = along_row(moments[3] + x), yy = along_row(moments[4] + x);
        const Vd mxx = hn::Mul(mx, mx), mxy = hn::Mul(mx, my), myy = hn::Mul(my, my);
        const Vd covariance = hn::Mul(two, hn::Sub(hn::Mul(xy, w), mxy));
        const Vd numerator = hn::Mul(hn::Mul(w, hn::Add(hn::Mul(two, mxy), c1)), hn::Add(c2, covariance));
        Vd variances = hn::Add(hn::Sub(hn::Mul(xx, w), mxx), hn::Mul(yy, w));
        variances = hn::Add(hn::Sub(variances, myy), c2);
        const Vd denominator = hn::Mul(hn::Add(hn::Add(mxx, myy), c1), variances);
        hn::StoreU(hn::Div(numerator, denominator), d, out + x);
    }
}

const MomentFunctions functions = {similarity_row<std::uint8_t>, similarity_row<std::uint16_t>};

} // namespace vmaf::moments::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf {

namespace moments {} // namespace moments
using namespace moments;

const MomentFunctions &moment_functions(Isa isa) {
    static constexpr SimdTable<const MomentFunctions> kTable = {.scalar = &moment_scalar,
                                                                VMAF_VECTOR_VERSIONS(functions)};
    return *kTable.pick(isa);
}

} // namespace vmaf
#endif
