// fidelity.md 9.1 on vectors, with the same bits: one lane per block, so that every chain of additions keeps its order.
// A group of blocks is loaded and transposed once; everything up to the squared errors then runs down the 64 positions.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "metrics/psnr_hvs/psnr_hvs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/psnr_hvs/psnr_hvs_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_dot-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::psnr_hvs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Df = hn::ScalableTag<float>;
using Di = hn::ScalableTag<std::int32_t>;
using D16 = hn::ScalableTag<std::int16_t>;
using Vf = hn::Vec<Df>;
using Vi = hn::Vec<Di>;

constexpr int kLanes = HWY_LANES(float);
constexpr int kGroup = std::max(kLanes, 8); // blocks that are loaded together

struct Group {
    HWY_ALIGN std::uint16_t samples[2][64][kGroup]; // reference, distorted
    HWY_ALIGN std::int32_t columns[64][kLanes];     // after the first pass of the transform
    HWY_ALIGN float coefficients[2][64][kLanes];
    HWY_ALIGN float errors[kLanes][64];
};

template <class T> hn::Vec<hn::FixedTag<std::uint16_t, 8>> load_8(const T *samples) {
    const hn::FixedTag<std::uint16_t, 8> d;
    if constexpr (sizeof(T) == 1)
        return hn::PromoteTo(d, hn::LoadU(hn::FixedTag<std::uint8_t, 8>(), samples));
    else
        return hn::LoadU(d, samples);
}

// out[j][lane] = the j-th sample of block `lane`, for eight blocks.
template <class T> HWY_INLINE void load_row(const T *row, const int (&x)[8], std::uint16_t (*out)[kGroup]) {
    const hn::FixedTag<std::uint16_t, 8> d16;
    const hn::FixedTag<std::uint32_t, 4> d32;
    const hn::FixedTag<std::uint64_t, 2> d64;
    const auto b0 = load_8(row + x[0]), b1 = load_8(row + x[1]), b2 = load_8(row + x[2]), b3 = load_8(row + x[3]);
    const auto b4 = load_8(row + x[4]), b5 = load_8(row + x[5]), b6 = load_8(row + x[6]), b7 = load_8(row + x[7]);
    const auto low = [&](auto a, auto b) HWY_ATTR { return hn::BitCast(d32, hn::InterleaveLower(d16, a, b)); };
    const auto high = [&](auto a, auto b) HWY_ATTR { return hn::BitCast(d32, hn::InterleaveUpper(d16, a, b)); };
    const auto store_pair = [&](int j, auto first, auto second) HWY_ATTR {
        const auto a = hn::BitCast(d64, first), b = hn::BitCast(d64, second);
        hn::Store(hn::BitCast(d16, hn::InterleaveLower(d64, a, b)), d16, out[j]);
        hn::Store(hn::BitCast(d16, hn::InterleaveUpper(d64, a, b)), d16, out[j + 1]);
    };
    const auto l01 = low(b0, b1), l23 = low(b2, b3), l45 = low(b4, b5), l67 = low(b6, b7);
    store_pair(0, hn::InterleaveLower(d32, l01, l23), hn::InterleaveLower(d32, l45, l67));
    store_pair(2, hn::InterleaveUpper(d32, l01, l23), hn::InterleaveUpper(d32, l45, l67));
    const auto h01 = high(b0, b1), h23 = high(b2, b3), h45 = high(b4, b5), h67 = high(b6, b7);
    store_pair(4, hn::InterleaveLower(d32, h01, h23), hn::InterleaveLower(d32, h45, h67));
    store_pair(6, hn::InterleaveUpper(d32, h01, h23), hn::InterleaveUpper(d32, h45, h67));
}

// Lanes without a block repeat the last one.
template <class T> void load_group(const BlockRow<T> &row, int first, Group &group) {
    for (int half = 0; half < kGroup; half += 8) {
        int x[8];
        for (int i = 0; i < 8; i++) x[i] = kBlockStep * std::min(first + half + i, row.blocks - 1);
        for (int i = 0; i < 8; i++) {
            const auto out = [&](int image) {
                return reinterpret_cast<std::uint16_t(*)[kGroup]>(&group.samples[image][8 * i][half]);
            };
            load_row(row.ref + i * row.ref_stride, x, out(0));
            load_row(row.dist + i * row.dist_stride, x, out(1));
        }
    }
}

HWY_INLINE Vi widened(const std::uint16_t *samples) {
    return hn::PromoteTo(Di(), hn::LoadU(hn::Rebind<std::uint16_t, Di>(), samples));
}

// 9.1 step 1 for both pictures at once: two independent chains of additions.
HWY_INLINE void variance_ratios(const Group &group, int lane, Vf &ratio_s, Vf &ratio_d) {
    const Df d;
    const Di di;
    Vi sums[2][4];
    for (int image = 0; image < 2; image++)
        for (int q = 0; q < 4; q++) {
            const int corner = (q & 1 ? 32 : 0) + (q & 2 ? 4 : 0);
            Vi sum = hn::Zero(di);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum = hn::Add(sum, widened(&group.samples[image][corner + 8 * i + j][lane]));
            sums[image][q] = sum;
        }
    Vf ratio[2];
    Vf means[2][5], whole[2], part[2][4];
    for (int image = 0; image < 2; image++) {
        const Vi all = hn::Add(hn::Add(sums[image][0], sums[image][1]), hn::Add(sums[image][2], sums[image][3]));
        means[image][4] = hn::Mul(hn::ConvertTo(d, all), hn::Set(d, 1.0f / 64));
        for (int q = 0; q < 4; q++) means[image][q] = hn::Mul(hn::ConvertTo(d, sums[image][q]), hn::Set(d, 1.0f / 16));
        whole[image] = hn::Zero(d);
        for (int q = 0; q < 4; q++) part[image][q] = hn::Zero(d);
    }
    const auto add = [&](int position, int q) HWY_ATTR {
        for (int image = 0; image < 2; image++) {
            const Vf sample = hn::ConvertTo(d, widened(&group.samples[image][position][lane]));
            const Vf from_mean = hn::Sub(sample, means[image][4]);
            const Vf from_quadrant_mean = hn::Sub(sample, means[image][q]);
            whole[image] = hn::Add(whole[image], hn::Mul(from_mean, from_mean));
            part[image][q] = hn::Add(part[image][q], hn::Mul(from_quadrant_mean, from_quadrant_mean));
        }
    };
    for (int q = 0; q < 2; q++)
        for (int i = 4 * q; i < 4 * q + 4; i++) {
            for (int j = 0; j < 4; j++) add(8 * i + j, q);
            for (int j = 4; j < 8; j++) add(8 * i + j, q + 2);
        }
    const Vf scale_whole = hn::Set(d, (1 / 63.f) * 64), scale_part = hn::Set(d, (1 / 15.f) * 16);
    for (int image = 0; image < 2; image++) {
        const Vf w = hn::Mul(whole[image], scale_whole);
        Vf sum = hn::Add(hn::Mul(part[image][0], scale_part), hn::Mul(part[image][1], scale_part));
        sum = hn::Add(sum, hn::Mul(part[image][2], scale_part));
        sum = hn::Add(sum, hn::Mul(part[image][3], scale_part));
        ratio[image] = hn::IfThenElseZero(hn::Gt(w, hn::Zero(d)), hn::Div(sum, w));
    }
    ratio_s = ratio[0];
    ratio_d = ratio[1];
}

// v * factor. Up to 10 bits all values of the transform fit 16 bits (9.5: a quarter of those at 12 bits).
struct Wide {
    static HWY_INLINE Vi times(Vi v, int factor) { return hn::Mul(v, hn::Set(Di(), factor)); }
};
#if HWY_TARGET == HWY_NEON
using Narrow = Wide; // multiplies 32-bit lanes as fast
#else
struct Narrow {
    static HWY_INLINE Vi times(Vi v, int factor) {
        return vmaf::HWY_NAMESPACE::mul_pairs(hn::BitCast(D16(), v), hn::BitCast(D16(), hn::Set(Di(), factor)));
    }
};
#endif

template <int Bits, class Multiply> HWY_INLINE Vi scaled(Vi v, int factor, Multiply) {
    return hn::ShiftRight<Bits>(hn::Add(Multiply::times(v, factor), hn::Set(Di(), 1 << (Bits - 1))));
}

// Truncated toward zero.
HWY_INLINE Vi halved(Vi v) {
    const hn::RebindToUnsigned<Di> du;
    const Vi negative = hn::BitCast(Di(), hn::ShiftRight<31>(hn::BitCast(du, v)));
    return hn::ShiftRight<1>(hn::Add(v, negative));
}

// 9.3, the steps of hvs_scalar.cpp.
template <class Multiply, class Load, class Store>
HWY_INLINE void transform(const Load &x, const Store &store, Multiply m) {
    const Vi x0 = x(0), x1 = x(1), x2 = x(2), x3 = x(3), x4 = x(4), x5 = x(5), x6 = x(6), x7 = x(7);
    const Vi p = hn::Sub(x0, x7), p_half = halved(p);
    const Vi q = hn::Add(x1, x6), q_half = halved(q);
    const Vi r = hn::Add(x3, x4), r_half = halved(r);
    Vi b3 = hn::Sub(x2, x5);
    Vi b5 = hn::Sub(x6, q_half);
    Vi b7 = hn::Sub(r_half, x4);

    Vi a0 = hn::Add(hn::Sub(x0, p_half), r_half);
    Vi a6 = hn::Sub(a0, r);
    Vi a2 = hn::Sub(q_half, hn::Sub(x2, halved(b3)));
    Vi a4 = hn::Sub(a2, q);

    a0 = hn::Sub(a0, scaled<15>(a4, 13573, m));
    a4 = hn::Add(a4, scaled<14>(a0, 11585, m));
    a0 = hn::Sub(a0, scaled<15>(a4, 13573, m));

    a6 = hn::Sub(a6, scaled<15>(a2, 21895, m));
    a2 = hn::Add(a2, scaled<14>(a6, 15137, m));
    a6 = hn::Sub(a6, scaled<15>(a2, 21895, m));

    b3 = hn::Add(b3, scaled<15>(b5, 19195, m));
    b5 = hn::Add(b5, scaled<14>(b3, 11585, m));
    b3 = hn::Sub(b3, scaled<13>(b5, 7489, m));
    b7 = hn::Sub(halved(b5), b7);
    b5 = hn::Sub(b5, b7);
    b3 = hn::Sub(p_half, b3);
    Vi b1 = hn::Sub(p, b3);

    b7 = hn::Add(b7, scaled<15>(b1, 3227, m));
    b1 = hn::Sub(b1, scaled<15>(b7, 6393, m));
    b7 = hn::Add(b7, scaled<15>(b1, 3227, m));

    b5 = hn::Add(b5, scaled<13>(b3, 2485, m));
    b3 = hn::Sub(b3, scaled<15>(b5, 18205, m));
    b5 = hn::Add(b5, scaled<13>(b3, 2485, m));

    store(0, a0), store(1, b1), store(2, a2), store(3, b3), store(4, a4), store(5, b5), store(6, a6), store(7, b7);
}

// 9.1 steps 2 and 3. The square of a coefficient, rounded to f32, is the f32 product; the root of an f32 number, taken
// in f64 and rounded, is the f32 root.
template <class Multiply>
HWY_INLINE Vf masking_threshold(Group &group, int image, int lane, const ContrastTables &tables, Vf ratio) {
    const Df d;
    const Di di;
    for (int j = 0; j < 8; j++)
        transform([&](int i) HWY_ATTR { return widened(&group.samples[image][8 * i + j][lane]); },
                  [&](int i, Vi v) HWY_ATTR { hn::Store(v, di, group.columns[8 * i + j]); }, Multiply());
    float(*const coefficients)[kLanes] = group.coefficients[image];
    for (int i = 0; i < 8; i++)
        transform([&](int j) HWY_ATTR { return hn::Load(di, group.columns[8 * i + j]); },
                  [&](int j, Vi v) HWY_ATTR { hn::Store(hn::ConvertTo(d, v), d, coefficients[8 * i + j]); },
                  Multiply());
    Vf energy = hn::Zero(d);
    for (int k = 1; k < 64; k++) {
        const Vf c = hn::Load(d, coefficients[k]);
        energy = hn::Add(energy, hn::Mul(hn::Mul(c, c), hn::Set(d, tables.mask[std::size_t(k)])));
    }
    return hn::Mul(hn::Sqrt(hn::Mul(energy, ratio)), hn::Set(d, 1.0f / 32));
}

// Four rows of coefficients to four coefficients of every block.
HWY_INLINE void store_by_block(Vf r0, Vf r1, Vf r2, Vf r3, int k, Group &group) {
    const Df d;
    const hn::Repartition<std::uint64_t, Df> d64;
    const auto pairs = [&](Vf a) HWY_ATTR { return hn::BitCast(d64, a); };
    const auto l01 = pairs(hn::InterleaveLower(d, r0, r1)), l23 = pairs(hn::InterleaveLower(d, r2, r3));
    const auto h01 = pairs(hn::InterleaveUpper(d, r0, r1)), h23 = pairs(hn::InterleaveUpper(d, r2, r3));
    HWY_ALIGN float chunk[kLanes];
    const auto scatter = [&](int lane, auto v) HWY_ATTR {
        hn::Store(hn::BitCast(d, v), d, chunk);
        const hn::FixedTag<float, 4> d4;
        for (int block = 0; block < kLanes; block += 4)
            hn::Store(hn::Load(d4, chunk + block), d4, &group.errors[block + lane][k]);
    };
    scatter(0, hn::InterleaveLower(d64, l01, l23));
    scatter(1, hn::InterleaveUpper(d64, l01, l23));
    scatter(2, hn::InterleaveLower(d64, h01, h23));
    scatter(3, hn::InterleaveUpper(d64, h01, h23));
}

// 9.1 step 4
HWY_INLINE void squared_errors(Group &group, const ContrastTables &tables, Vf threshold) {
    const Df d;
    const auto error = [&](std::size_t k) HWY_ATTR {
        Vf e = hn::Abs(hn::Sub(hn::Load(d, group.coefficients[0][k]), hn::Load(d, group.coefficients[1][k])));
        if (k > 0) e = hn::Max(hn::Sub(e, hn::Div(threshold, hn::Set(d, tables.mask[k]))), hn::Zero(d));
        const Vf weighted = hn::Mul(e, hn::Set(d, tables.csf[k]));
        return hn::Mul(weighted, weighted);
    };
    for (std::size_t k = 0; k < 64; k += 4)
        store_by_block(error(k), error(k + 1), error(k + 2), error(k + 3), int(k), group);
}

// Most errors are zero. (Highway's CompressStore copies its table with every call on AVX2.)
HWY_INLINE std::size_t append_nonzero(const float *errors, float *terms) {
    const Df d;
    std::uint64_t nonzero = 0;
    for (int k = 0; k < 64; k += kLanes) {
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, hn::Ne(hn::Load(d, errors + k), hn::Zero(d)), bits);
        std::uint16_t lanes;
        std::memcpy(&lanes, bits, sizeof lanes);
        nonzero |= std::uint64_t(lanes) << k;
    }
    std::size_t count = 0;
    for (; nonzero; nonzero &= nonzero - 1) terms[count++] = errors[std::countr_zero(nonzero)];
    return count;
}

template <class Multiply, class T> std::size_t row_errors(const BlockRow<T> &row, float *terms) {
    Group group;
    const ContrastTables &tables = *row.tables;
    std::size_t count = 0;
    for (int first = 0; first < row.blocks; first += kGroup) {
        load_group(row, first, group);
        for (int lane = 0; lane < kGroup && first + lane < row.blocks; lane += kLanes) {
            Vf ratio_s, ratio_d;
            variance_ratios(group, lane, ratio_s, ratio_d);
            const Vf s = masking_threshold<Multiply>(group, 0, lane, tables, ratio_s);
            const Vf d = masking_threshold<Multiply>(group, 1, lane, tables, ratio_d);
            squared_errors(group, tables, hn::Max(s, d));
            const int blocks = std::min(kLanes, row.blocks - first - lane);
            for (int block = 0; block < blocks; block++) count += append_nonzero(group.errors[block], terms + count);
        }
    }
    return count;
}

std::size_t errors_u8(const BlockRow<std::uint8_t> &row, float *terms) { return row_errors<Narrow>(row, terms); }
std::size_t errors_u16(const BlockRow<std::uint16_t> &row, float *terms) {
    return row.bits <= 10 ? row_errors<Narrow>(row, terms) : row_errors<Wide>(row, terms);
}

const Functions functions = {errors_u8, errors_u16};

} // namespace vmaf::psnr_hvs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::psnr_hvs {

const Functions &pick_functions(Isa isa) {
    static constexpr SimdTable<const Functions> kTable = {.scalar = &scalar_functions, VMAF_VECTOR_VERSIONS(functions)};
    return *kTable.pick(isa);
}

} // namespace vmaf::psnr_hvs
#endif
