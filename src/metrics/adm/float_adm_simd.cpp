// The fast rows of `float_adm`: the operations of the scalar code lane by lane, none fused; sums of rows stay
// sequential, so that every bit is the same.
#include <cstddef>
#include <cstdint>

#include "metrics/adm/float_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/adm/float_adm_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::adm::float_rows::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DD = hn::ScalableTag<double>;
using VF = hn::Vec<DF>;
using VD = hn::Vec<DD>;

constexpr int kLanes = int(HWY_LANES(float));

constexpr int round_down(int column) { return column / kLanes * kLanes; }

struct Doubles {
    VD low, high;
};
HWY_INLINE Doubles widened(VF v) {
    const DD d;
    return {hn::PromoteTo(d, hn::LowerHalf(v)), hn::PromoteTo(d, hn::UpperHalf(hn::Half<DF>(), v))};
}
HWY_INLINE VF narrowed(Doubles v) {
    const hn::Half<DF> half;
    return hn::Combine(DF(), hn::DemoteTo(half, v.high), hn::DemoteTo(half, v.low));
}

// ((c0 x0 + c1 x1) + c2 x2) + c3 x3
struct Taps {
    VF c0, c1, c2, c3;
    explicit HWY_INLINE Taps(const std::array<float, 4> &c)
        : c0(hn::Set(DF(), c[0])), c1(hn::Set(DF(), c[1])), c2(hn::Set(DF(), c[2])), c3(hn::Set(DF(), c[3])) {}
    HWY_INLINE VF sum(VF x0, VF x1, VF x2, VF x3) const {
        const VF first = hn::Add(hn::Mul(c0, x0), hn::Mul(c1, x1));
        return hn::Add(hn::Add(first, hn::Mul(c2, x2)), hn::Mul(c3, x3));
    }
};

void vertical(const Rows<float> &rows, int from, int to, float *low, float *high) {
    const DF d;
    const Taps low_taps(kFloatLow), high_taps(kFloatHigh);
    for (int j = round_down(from); j < to; j += kLanes) {
        const VF x0 = hn::Load(d, rows[0] + j), x1 = hn::Load(d, rows[1] + j), x2 = hn::Load(d, rows[2] + j),
                 x3 = hn::Load(d, rows[3] + j);
        hn::Store(low_taps.sum(x0, x1, x2, x3), d, low + j);
        if (high) hn::Store(high_taps.sum(x0, x1, x2, x3), d, high + j);
    }
}

void horizontal(const float *low, const float *high, int approx_from, int approx_to, float *approx, int from, int to,
                const Bands<float> &details) {
    const DF d;
    const Taps low_taps(kFloatLow), high_taps(kFloatHigh);
    if (approx)
        for (int j = round_down(approx_from); j < approx_to; j += kLanes) {
            VF x0, x1, x2, x3;
            hn::LoadInterleaved2(d, low + 2 * j, x0, x1);
            hn::LoadInterleaved2(d, low + 2 * j + 2, x2, x3);
            hn::StoreU(low_taps.sum(x0, x1, x2, x3), d, approx + 1 + j);
        }
    if (!high) return;
    for (int j = round_down(from); j < to; j += kLanes) {
        VF x0, x1, x2, x3;
        hn::LoadInterleaved2(d, low + 2 * j, x0, x1);
        hn::LoadInterleaved2(d, low + 2 * j + 2, x2, x3);
        hn::Store(high_taps.sum(x0, x1, x2, x3), d, details[1] + j);
        hn::LoadInterleaved2(d, high + 2 * j, x0, x1);
        hn::LoadInterleaved2(d, high + 2 * j + 2, x2, x3);
        hn::Store(low_taps.sum(x0, x1, x2, x3), d, details[0] + j);
        hn::Store(high_taps.sum(x0, x1, x2, x3), d, details[2] + j);
    }
}

// float(min(double(r) gain, double(t))), or max. If the gain is a float, the product is exact in double, and rounding
// it first changes nothing, because rounding keeps the order and t is a float.
template <bool FloatGain, class Limit> HWY_INLINE VF limited(VF r, VF t, double gain, const Limit &limit) {
    if constexpr (FloatGain)
        return limit(hn::Mul(r, hn::Set(DF(), float(gain))), t);
    else {
        const VD g = hn::Set(DD(), gain);
        const Doubles wide_r = widened(r), wide_t = widened(t);
        return narrowed({limit(hn::Mul(wide_r.low, g), wide_t.low), limit(hn::Mul(wide_r.high, g), wide_t.high)});
    }
}

// refined_reciprocal() of a vector. The quotient in float rounds to the same integer as the exact one for 2047 of the
// intervals (tested); the last one's, 4096.5001, becomes a half and needs the limit.
VF reciprocal(VF x) {
    const DF d;
    const hn::RebindToSigned<DF> di;
    const auto bits = hn::BitCast(di, x);
    const auto interval = hn::ShiftRight<12>(hn::And(bits, hn::Set(di, 0x7fffff)));
    const VF middle = hn::ConvertTo(d, hn::Add(hn::Add(interval, interval), hn::Set(di, 4097)));
    const auto nearest = hn::NearestInt(hn::Div(hn::Set(d, 33554432.0f), middle));
    const VF rounded = hn::ConvertTo(d, hn::Max(nearest, hn::Set(di, 4097)));
    const auto exponent = hn::And(bits, hn::Set(di, 0x7f800000));
    const auto magnitude = hn::Add(hn::BitCast(di, rounded), hn::Sub(hn::Set(di, 114 << 23), exponent));
    const VF estimate = hn::BitCast(d, hn::Or(magnitude, hn::And(bits, hn::Set(di, INT32_MIN))));
    return hn::Add(estimate, hn::Mul(estimate, hn::Sub(hn::Set(d, 1.0f), hn::Mul(x, estimate))));
}

template <bool FloatGain>
void decouple_bands(const In<float> &o, const In<float> &t, int from, int to, double gain, const Bands<float> &r,
                    const Bands<float> &a) {
    const DF d;
    const VF zero = hn::Zero(d), one = hn::Set(d, 1.0f), tiny = hn::Set(d, 1e-30f);
    const VF cosine_squared = hn::Set(d, 0.99969542f);
    const auto smaller = [](auto x, auto y) HWY_ATTR { return hn::Min(x, y); };
    const auto larger = [](auto x, auto y) HWY_ATTR { return hn::Max(x, y); };
    for (int j = round_down(from); j < to; j += kLanes) {
        const VF oh = hn::Load(d, o[0] + j), ov = hn::Load(d, o[1] + j);
        const VF th = hn::Load(d, t[0] + j), tv = hn::Load(d, t[1] + j);
        const auto dot = [](VF x0, VF y0, VF x1, VF y1) HWY_ATTR { return hn::Add(hn::Mul(x0, y0), hn::Mul(x1, y1)); };
        const VF dp = dot(oh, th, ov, tv);
        const VF limit = hn::Mul(hn::Mul(cosine_squared, dot(oh, oh, ov, ov)), dot(th, th, tv, tv));
        const auto aligned = hn::And(hn::Ge(dp, zero), hn::Ge(hn::Mul(dp, dp), limit));
        for (std::size_t b = 0; b < kBands; b++) {
            const VF ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j);
            const VF k = hn::Min(hn::Max(hn::Mul(tb, reciprocal(hn::Add(ob, tiny))), zero), one);
            const VF r0 = hn::Mul(k, ob);
            const auto up = hn::And(aligned, hn::Gt(r0, zero)), down = hn::And(aligned, hn::Lt(r0, zero));
            VF part = hn::IfThenElse(up, limited<FloatGain>(r0, tb, gain, smaller), r0);
            part = hn::IfThenElse(down, limited<FloatGain>(r0, tb, gain, larger), part);
            hn::Store(part, d, r[b] + j);
            hn::Store(hn::Sub(tb, part), d, a[b] + j);
        }
    }
}

void decouple(const In<float> &o, const In<float> &t, int from, int to, double gain_limit, const Bands<float> &r,
              const Bands<float> &a) {
    if (double(float(gain_limit)) == gain_limit)
        decouple_bands<true>(o, t, from, to, gain_limit, r, a);
    else
        decouple_bands<false>(o, t, from, to, gain_limit, r, a);
}

void magnitudes(const In<float> &v, const std::array<float, kBands> &factor, int from, int to,
                const Bands<float> &out) {
    const DF d;
    for (std::size_t b = 0; b < kBands; b++) {
        const VF f = hn::Set(d, factor[b]);
        for (int j = round_down(from); j < to; j += kLanes)
            hn::Store(hn::Abs(hn::Mul(f, hn::Load(d, v[b] + j))), d, out[b] + j);
    }
}

void neighbours(const In<float> &magnitude, int from, int to, const Bands<float> &out) {
    const DF d;
    const VD factor = hn::Set(DD(), kNeighbourFactor);
    for (std::size_t b = 0; b < kBands; b++)
        for (int j = round_down(from); j < to; j += kLanes) {
            const Doubles v = widened(hn::Load(d, magnitude[b] + j));
            hn::Store(narrowed({hn::Mul(factor, v.low), hn::Mul(factor, v.high)}), d, out[b] + j);
        }
}

HWY_INLINE VF threshold(const std::array<FloatMask, 3> &mask, std::size_t b, int j) {
    const DF d;
    const float *above = mask[0].neighbour[b] + j, *middle = mask[1].neighbour[b] + j,
                *below = mask[2].neighbour[b] + j;
    VF sum = hn::Add(hn::Add(hn::LoadU(d, above - 1), hn::Load(d, above)), hn::LoadU(d, above + 1));
    sum = hn::Add(sum, hn::LoadU(d, middle - 1));
    const VD factor = hn::Set(DD(), kCentreFactor);
    const Doubles wide = widened(sum), centre = widened(hn::Load(d, mask[1].magnitude[b] + j));
    sum = narrowed({hn::Add(wide.low, hn::Mul(factor, centre.low)), hn::Add(wide.high, hn::Mul(factor, centre.high))});
    sum = hn::Add(sum, hn::LoadU(d, middle + 1));
    return hn::Add(hn::Add(hn::Add(sum, hn::LoadU(d, below - 1)), hn::Load(d, below)), hn::LoadU(d, below + 1));
}

void excess(const In<float> &magnitude, const std::array<FloatMask, 3> &mask, int from, int to,
            const Bands<float> &out) {
    const DF d;
    for (int j = round_down(from); j < to; j += kLanes) {
        const VF limit = hn::Add(hn::Add(threshold(mask, 0, j), threshold(mask, 1, j)), threshold(mask, 2, j));
        for (std::size_t b = 0; b < kBands; b++)
            hn::Store(hn::Max(hn::Sub(hn::Load(d, magnitude[b] + j), limit), hn::Zero(d)), d, out[b] + j);
    }
}

std::array<float, kBands> cube_sums(const Bands<float> &values, int from, int to) {
    const DF d;
    for (std::size_t b = 0; b < kBands; b++)
        for (int j = round_down(from); j < to; j += kLanes) {
            const VF x = hn::Load(d, values[b] + j);
            hn::Store(hn::Mul(hn::Mul(x, x), x), d, values[b] + j);
        }
    // From left to right; the three chains overlap.
    const float *const h = values[0], *const v = values[1], *const diagonal = values[2];
    float sum_h = 0, sum_v = 0, sum_d = 0;
    for (int j = from; j < to; j++) sum_h += h[j], sum_v += v[j], sum_d += diagonal[j];
    return {sum_h, sum_v, sum_d};
}

const FloatRowFunctions &rows() {
    static constexpr FloatRowFunctions functions = {
        .vertical = vertical,
        .horizontal = horizontal,
        .decouple = decouple,
        .magnitudes = magnitudes,
        .neighbours = neighbours,
        .excess = excess,
        .cube_sums = cube_sums,
    };
    return functions;
}

} // namespace vmaf::adm::float_rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::adm::float_rows {

const FloatRowFunctions &pick(Isa isa) {
    static constexpr SimdTable<const FloatRowFunctions &()> kTable = {.scalar = &scalar_float_rows,
                                                                      VMAF_VECTOR_VERSIONS(rows)};
    return kTable.pick(isa)();
}

} // namespace vmaf::adm::float_rows

namespace vmaf::adm {

const FloatRowFunctions &float_rows_for(Isa isa) { return float_rows::pick(isa); }

} // namespace vmaf::adm
#endif
