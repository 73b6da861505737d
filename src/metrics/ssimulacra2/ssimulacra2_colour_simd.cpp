// The stages of ssimulacra2 on vectors. All planes of floats have the bits of the scalar code; only the double sums
// over the maps are taken in another order.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ssimulacra2/ssimulacra2_colour_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::ssimulacra2::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using V = hn::Vec<DF>;

constexpr int kLanes = int(HWY_LANES(float));

// Section 3: samples as floats.
template <class T> HWY_INLINE V to_float(const T *samples) {
    return hn::ConvertTo(DF(), hn::PromoteTo(DI(), hn::LoadU(hn::Rebind<T, DI>(), samples)));
}

// Half as many samples as there are lanes, each twice.
template <class T> HWY_INLINE V twice_to_float(const T *samples) {
    using Wide = std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint32_t>;
    const hn::Rebind<Wide, hn::Half<DI>> dw;
    const auto once = hn::PromoteTo(dw, hn::LoadU(hn::Rebind<T, hn::Half<DI>>(), samples));
    const auto both = hn::Or(once, hn::ShiftLeft<8 * sizeof(T)>(once));
    return hn::ConvertTo(DF(), hn::PromoteTo(DI(), hn::BitCast(hn::Rebind<T, DI>(), both)));
}

// The table's entries at some places: values and rises. Gather instructions are slow on many processors. On x86 each
// entry is spread over a vector as it is loaded, and a blend keeps it where it belongs: only one port can move lanes.
HWY_INLINE void look_up(const EotfStep *table, const int *places, V &value, V &rise) {
    const DF d;
#if HWY_ARCH_X86
    const hn::Repartition<double, DF> pairs;
    const auto entry = [&](int i) HWY_ATTR {
        double both;
        std::memcpy(&both, &table[places[i]], sizeof both);
        return hn::Set(pairs, both);
    };
    // Two entries to a block of 128 bits; the next two of that block are in the other vector.
    const auto blocks = [&](int first) HWY_ATTR {
        auto all = hn::OddEven(entry(first + 1), entry(first));
#if HWY_TARGET == HWY_AVX3
        using Pairs = decltype(all);
        all = Pairs{_mm512_mask_blend_pd(0x0c, all.raw, hn::OddEven(entry(first + 5), entry(first + 4)).raw)};
        all = Pairs{_mm512_mask_blend_pd(0x30, all.raw, hn::OddEven(entry(first + 9), entry(first + 8)).raw)};
        all = Pairs{_mm512_mask_blend_pd(0xc0, all.raw, hn::OddEven(entry(first + 13), entry(first + 12)).raw)};
#else
        all = hn::ConcatUpperLower(pairs, hn::OddEven(entry(first + 5), entry(first + 4)), all);
#endif
        return hn::BitCast(d, all);
    };
    const V low = blocks(0), high = blocks(2);
#if HWY_TARGET == HWY_AVX3
    value = V{_mm512_shuffle_ps(low.raw, high.raw, 0x88)};
    rise = V{_mm512_shuffle_ps(low.raw, high.raw, 0xdd)};
#else
    value = V{_mm256_shuffle_ps(low.raw, high.raw, 0x88)};
    rise = V{_mm256_shuffle_ps(low.raw, high.raw, 0xdd)};
#endif
#else
    const hn::Half<DF> pair;
    const auto entry = [&](int i) HWY_ATTR { return hn::LoadU(pair, &table[places[i]].value); };
    const V low = hn::Combine(d, entry(1), entry(0)), high = hn::Combine(d, entry(3), entry(2));
    value = hn::ConcatEven(d, high, low);
    rise = hn::ConcatOdd(d, high, low);
#endif
}

// For values that an int32 holds; Highway's ConvertTo spends four instructions on those it does not hold.
HWY_INLINE hn::Vec<DI> truncated(V v) {
#if HWY_TARGET == HWY_AVX3
    return hn::Vec<DI>{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return hn::Vec<DI>{_mm256_cvttps_epi32(v.raw)};
#else
    return hn::ConvertTo(DI(), v);
#endif
}

// Section 4. Where x is 0 or 1, the table gives 0 and 1.
HWY_INLINE V to_linear(V x, const EotfStep *table) {
    const DF d;
    const V t = hn::Mul(hn::Min(hn::Max(x, hn::Zero(d)), hn::Set(d, 1.0f)), hn::Set(d, 1023.0f));
    const auto i = truncated(t);
    HWY_ALIGN int places[kLanes];
    hn::Store(i, DI(), places);
#if HWY_TARGET == HWY_AVX3
    __asm__("" : "+m"(places)); // the compiler would take the lanes out of the register, one by one
#endif
    V value, rise;
    look_up(table, places, value, rise);
    return hn::Add(value, hn::Mul(rise, hn::Sub(t, hn::ConvertTo(d, i))));
}

template <class T> void linear_row(const YuvRow<T> &in, const YuvMatrix &m, const Rows &rgb, int width) {
    const DF d;
    const EotfStep *const table = eotf_table().data();
    const V scale = hn::Set(d, in.scale), half = hn::Set(d, 0.5f);
    const V y_offset = hn::Set(d, m.y_offset), y_scale = hn::Set(d, m.y_scale), c_scale = hn::Set(d, m.c_scale);
    const V rv = hn::Set(d, m.rv), gu = hn::Set(d, m.gu), gv = hn::Set(d, m.gv), bu = hn::Set(d, m.bu);
    const auto convert = [&](int x, V u, V v) HWY_ATTR {
        const V yn = hn::Mul(hn::Sub(hn::Mul(to_float(in.y + x), scale), y_offset), y_scale);
        const V un = hn::Mul(hn::Sub(hn::Mul(u, scale), half), c_scale);
        const V vn = hn::Mul(hn::Sub(hn::Mul(v, scale), half), c_scale);
        hn::StoreU(to_linear(hn::Add(yn, hn::Mul(rv, vn)), table), d, rgb[0] + x);
        hn::StoreU(to_linear(hn::Add(hn::Add(yn, hn::Mul(gu, un)), hn::Mul(gv, vn)), table), d, rgb[1] + x);
        hn::StoreU(to_linear(hn::Add(yn, hn::Mul(bu, un)), table), d, rgb[2] + x);
    };
    if (in.columns_each == 1) {
        for (int x = 0; x < width; x += kLanes) convert(x, to_float(in.u + x), to_float(in.v + x));
    } else if (in.columns_each == 2) {
        for (int x = 0; x < width; x += kLanes) convert(x, twice_to_float(in.u + x / 2), twice_to_float(in.v + x / 2));
    } else {
        for (int x = 0; x < width; x += kLanes) {
            T u[kLanes], v[kLanes];
            for (int i = 0; i < kLanes; i++) {
                const int c = in.columns[std::min(x + i, width - 1)];
                u[i] = in.u[c];
                v[i] = in.v[c];
            }
            convert(x, to_float(u), to_float(v));
        }
    }
}

// Section 5, for positive numbers.
HWY_INLINE V cube_root(V x) {
    const DF d;
    const DU du;
    const hn::Repartition<std::uint64_t, DU> d64;
    // u / 3 as the upper half of u * ceil(2^33 / 3), for even and odd lanes.
    const auto u = hn::BitCast(du, x), third = hn::Set(du, 0xaaaaaaabu);
    const auto even = hn::ShiftRight<33>(hn::MulEven(u, third));
    const auto odd = hn::ShiftRight<1>(hn::MulEven(hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(d64, u))), third));
    const auto quotient = hn::OddEven(hn::BitCast(du, odd), hn::BitCast(du, even));
    V y = hn::BitCast(d, hn::Add(quotient, hn::Set(du, 0x2a5137a0u)));
    const V two = hn::Set(d, 2.0f), one_third = hn::Set(d, 1.0f / 3.0f);
    for (int step = 0; step < 2; step++) y = hn::Mul(hn::Add(hn::Mul(two, y), hn::Div(x, hn::Mul(y, y))), one_third);
    return y;
}

void xyb_row(const ConstRows &rgb, const Rows &xyb, int width) {
    const DF d;
    const V bias = hn::Set(d, kAbsorptionBias), half = hn::Set(d, 0.5f);
    const V root_bias = hn::Set(d, kRootOfBias);
    for (int x = 0; x < width; x += kLanes) {
        const V r = hn::LoadU(d, rgb[0] + x), g = hn::LoadU(d, rgb[1] + x), b = hn::LoadU(d, rgb[2] + x);
        const auto response = [&](const std::array<float, 3> &share) HWY_ATTR {
            const V sum = hn::Add(hn::Add(hn::Mul(hn::Set(d, share[0]), r), hn::Mul(hn::Set(d, share[1]), g)),
                                  hn::Mul(hn::Set(d, share[2]), b));
            return hn::Sub(cube_root(hn::Add(sum, bias)), root_bias);
        };
        const V l = response(kAbsorption[0]), m = response(kAbsorption[1]), s = response(kAbsorption[2]);
        const V x0 = hn::Mul(half, hn::Sub(l, m)), y0 = hn::Mul(half, hn::Add(l, m));
        hn::StoreU(hn::Add(hn::Mul(x0, hn::Set(d, 14.0f)), hn::Set(d, 0.42f)), d, xyb[0] + x);
        hn::StoreU(hn::Add(y0, hn::Set(d, 0.01f)), d, xyb[1] + x);
        hn::StoreU(hn::Add(hn::Sub(s, y0), hn::Set(d, 0.55f)), d, xyb[2] + x);
    }
}

void halve_rows(const float *top, const float *bottom, float *out, int width) {
    const DF d;
    const V quarter = hn::Set(d, 0.25f);
    int x = 0;
    for (; x + 2 * kLanes <= width; x += 2 * kLanes) {
        const V t0 = hn::LoadU(d, top + x), t1 = hn::LoadU(d, top + x + kLanes);
        const V b0 = hn::LoadU(d, bottom + x), b1 = hn::LoadU(d, bottom + x + kLanes);
        const V a = hn::ConcatEven(d, t1, t0), b = hn::ConcatOdd(d, t1, t0);
        const V c = hn::ConcatEven(d, b1, b0), e = hn::ConcatOdd(d, b1, b0);
        hn::StoreU(hn::Mul(hn::Add(hn::Add(hn::Add(a, b), c), e), quarter), d, out + x / 2);
    }
    scalar_colour.halve_rows(top + x, bottom + x, out + x / 2, width - x);
}

constexpr ColourFunctions kColour = {linear_row<std::uint8_t>, linear_row<std::uint16_t>, xyb_row, halve_rows};

} // namespace vmaf::ssimulacra2::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::ssimulacra2 {

const ColourFunctions &pick_colour(Isa isa) {
    static constexpr SimdTable<const ColourFunctions> kTable = {.scalar = &scalar_colour,
                                                                VMAF_VECTOR_VERSIONS(kColour)};
    return *kTable.pick(isa);
}

} // namespace vmaf::ssimulacra2
#endif
