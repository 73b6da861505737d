// fidelity.md 6.2 to 6.4 on vectors, with the same bits: products are rounded to f32, sums run in f64 in ascending
// order of the taps. Equal taps share their rounded products.
#include <algorithm>

#include "metrics/ssim/ssim_core.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ssim/ssim_core_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "metrics/ssim/float_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::ssim::HWY_NAMESPACE {

using namespace vmaf::float_vectors::HWY_NAMESPACE;

constexpr int kDistinct = (kSsimTaps + 1) / 2;
constexpr int kTile = 256; // columns whose products are kept while they are summed

HWY_INLINE Vd lower(Vf v) { return hn::PromoteTo(Dd(), hn::LowerHalf(Dh(), v)); }
HWY_INLINE Vd upper(Vf v) { return hn::PromoteTo(Dd(), hn::UpperHalf(Dh(), v)); }
HWY_INLINE Vf narrowed(Vd low, Vd high) { return hn::Combine(Df(), hn::DemoteTo(Dh(), high), hn::DemoteTo(Dh(), low)); }

// How many vectors of doubles lie between the two taps equal to tap k; 0 if not 1 or 2 whole ones.
constexpr int vectors_between(int k) {
    const int columns = kSsimTaps - 1 - 2 * k;
    return columns == kHalf ? 1 : columns == 2 * kHalf ? 2 : 0;
}

// 6.2 along a row; load(d, x) gives the samples from x on.
template <class Load> HWY_INLINE void window_row(const Load &load, int columns, float *out) {
    const Df df;
    const Dh dh;
    const Dd dd;
    HWY_ALIGN float products[kDistinct][kTile + 64];
    for (int first = 0; first < columns; first += kTile) {
        const int count = std::min(kTile, columns - first);
        for (int i = 0; i < count + kSsimTaps - 1; i += kLanes) {
            const Vf v = load(df, first + i);
            for (int k = 0; k < kDistinct; k++)
                hn::Store(hn::Mul(v, hn::Set(df, kSsimWindow[std::size_t(k)])), df, products[k] + i);
        }
        const auto wide = [&](int k, int i) HWY_ATTR {
            return hn::PromoteTo(dd, hn::LoadU(dh, products[std::min(k, kSsimTaps - 1 - k)] + i + k));
        };
        Vd kept[kDistinct][2]; // what the second of two equal taps met is what the first meets some vectors later
        for (int k = 0; k < kDistinct; k++)
            for (int i = 0; i < vectors_between(k); i++) kept[k][i] = wide(k, i * kHalf);
        const auto sum = [&](int i, int which) HWY_ATTR {
            Vd s = wide(0, i);
            for (int k = 1; k < kSsimTaps; k++) {
                const int distinct = std::min(k, kSsimTaps - 1 - k), between = vectors_between(distinct);
                if (between == 0) {
                    s = hn::Add(s, wide(k, i));
                    continue;
                }
                Vd &known = kept[distinct][which % between];
                if (k > distinct) known = wide(k, i);
                s = hn::Add(s, known);
            }
            return s;
        };
        for (int i = 0; i < count; i += kLanes) {
            const Vd low = sum(i, 0), high = sum(i + kHalf, 1);
            hn::Store(narrowed(low, high), df, out + first + i);
        }
    }
}

void horizontal(const float *a, const float *b, int columns, const SsimRow &out, float *) {
    const auto product_of = [](const float *p, const float *q) {
        return [=](auto d, int x) HWY_ATTR { return hn::Mul(hn::LoadU(d, p + x), hn::LoadU(d, q + x)); };
    };
    window_row([=](auto d, int x) HWY_ATTR { return hn::LoadU(d, a + x); }, columns, out[0]);
    window_row([=](auto d, int x) HWY_ATTR { return hn::LoadU(d, b + x); }, columns, out[1]);
    window_row(product_of(a, a), columns, out[2]);
    window_row(product_of(b, b), columns, out[3]);
    window_row(product_of(a, b), columns, out[4]);
}

// Makes the compiler finish a sum here. GCC would keep all products of all rows, on the stack, and add them at the end.
HWY_INLINE Vd settled(Vd sum) {
#if HWY_ARCH_ARM
    __asm__ volatile("" : "+w"(sum.raw));
#elif HWY_TARGET == HWY_WASM
    (void)sum;
#else
    __asm__ volatile("" : "+v"(sum.raw));
#endif
    return sum;
}

// Whether input row `row` meets a tap equal to `tap` in one of the output rows 0 .. rows - 1.
constexpr bool meets(int rows, int row, int tap) {
    const int first = row - tap, second = row - (kSsimTaps - 1 - tap);
    return (first >= 0 && first < rows) || (second >= 0 && second < rows);
}

// Rounded products of a vector of columns by input row and distinct tap.
template <int Rows> using Products = float[Rows + kSsimTaps - 1][kDistinct][kLanes];

// By recursion instead of loops, for the compiler to keep arrays in registers.
template <int Rows, int Row = 0, int Tap = 0> HWY_INLINE void multiply(Vf v, Products<Rows> &products) {
    const Df d;
    if constexpr (meets(Rows, Row, Tap)) hn::Store(hn::Mul(v, hn::Set(d, kSsimWindow[Tap])), d, products[Row][Tap]);
    if constexpr (Tap + 1 < kDistinct) multiply<Rows, Row, Tap + 1>(v, products);
}
template <int Rows, int Row = 0>
HWY_INLINE void multiply_rows(const SsimRow *rows, std::size_t channel, int x, Products<Rows> &products) {
    multiply<Rows, Row>(hn::Load(Df(), rows[Row][channel] + x), products);
    if constexpr (Row + 1 < Rows + kSsimTaps - 1) multiply_rows<Rows, Row + 1>(rows, channel, x, products);
}

// Adds what input row `Row` gives to the output rows 0 .. Rows - 1 under the two taps equal to `Tap`. Conversions from
// memory spare the instruction that spreads the lanes, of which x86 processors can do only one per cycle.
template <int Rows, int Row, int Tap>
HWY_INLINE void add_tap(const Products<Rows> &products, int half, Vd (&sums)[Rows]) {
    if constexpr (meets(Rows, Row, Tap)) {
        constexpr int first = Row - Tap, second = Row - (kSsimTaps - 1 - Tap);
        const Vd product = hn::PromoteTo(Dd(), hn::Load(Dh(), products[Row][Tap] + half));
        if constexpr (first >= 0 && first < Rows)
            sums[first] = settled(Tap == 0 ? product : hn::Add(sums[first], product));
        if constexpr (second >= 0 && second < Rows && second != first)
            sums[second] = settled(hn::Add(sums[second], product));
    }
    if constexpr (Tap + 1 < kDistinct) add_tap<Rows, Row, Tap + 1>(products, half, sums);
}
template <int Rows, int Row = 0>
HWY_INLINE void add_rows(const Products<Rows> &products, int half, Vd (&sums)[Rows], std::size_t channel,
                         float (&out)[Rows][kSsimChannels][kLanes]) {
    add_tap<Rows, Row, 0>(products, half, sums);
    constexpr int complete = Row - (kSsimTaps - 1);
    if constexpr (complete >= 0) hn::Store(hn::DemoteTo(Dh(), sums[complete]), Dh(), out[complete][channel] + half);
    if constexpr (Row + 1 < Rows + kSsimTaps - 1) add_rows<Rows, Row + 1>(products, half, sums, channel, out);
}

// Not inlined: beside other code there are too few registers for the sums.
template <int Rows>
HWY_NOINLINE void window_columns(const SsimRow *rows, std::size_t channel, int x,
                                 float (&out)[Rows][kSsimChannels][kLanes]) {
    HWY_ALIGN Products<Rows> products;
    multiply_rows<Rows>(rows, channel, x, products);
    __asm__ volatile("" : "+m"(products)); // the compiler must not see through the memory
    for (int half = 0; half < kLanes; half += kHalf) {
        Vd sums[Rows];
        add_rows<Rows>(products, half, sums, channel, out);
    }
}

// 6.3, 6.4
HWY_INLINE void store_terms(const float (&windowed)[kSsimChannels][kLanes], const SsimTermRow &terms, int x) {
    const Df d;
    const Dd dd;
    const Vf ma = hn::Load(d, windowed[0]), mb = hn::Load(d, windowed[1]);
    const Vf aa = hn::Mul(ma, ma), bb = hn::Mul(mb, mb);
    const Vf va = hn::Max(hn::Sub(hn::Load(d, windowed[2]), aa), hn::Zero(d));
    const Vf vb = hn::Max(hn::Sub(hn::Load(d, windowed[3]), bb), hn::Zero(d));
    const Vf covariance = hn::Sub(hn::Load(d, windowed[4]), hn::Mul(ma, mb));
    const Vf deviations = hn::Sqrt(hn::Mul(va, vb));
    const auto flat = hn::And(hn::Lt(covariance, hn::Zero(d)), hn::Le(deviations, hn::Zero(d)));
    const Vf c3 = hn::Set(d, kSsimC3);
    const Vf structure = hn::Div(hn::Add(hn::IfThenZeroElse(flat, covariance), c3), hn::Add(deviations, c3));
    hn::Store(structure, d, terms.structure + x);

    const Vd two = hn::Set(dd, 2.0), c2 = hn::Set(dd, double(kSsimC2)), c1 = hn::Set(dd, double(kSsimC1));
    const Vf below = hn::Add(hn::Add(va, vb), hn::Set(d, kSsimC2));
    const Vd contrast_low = hn::Div(hn::Add(hn::Mul(two, lower(deviations)), c2), lower(below));
    const Vd contrast_high = hn::Div(hn::Add(hn::Mul(two, upper(deviations)), c2), upper(below));
    hn::Store(contrast_low, dd, terms.contrast + x);
    hn::Store(contrast_high, dd, terms.contrast + x + kHalf);
    if (!terms.luminance) return;

    const Vf means = hn::Add(hn::Add(aa, bb), hn::Set(d, kSsimC1));
    const auto luminance = [&](Vd a, Vd b, Vd m)
                               HWY_ATTR { return hn::Div(hn::Add(hn::Mul(hn::Mul(two, a), b), c1), m); };
    const Vd luminance_low = luminance(lower(ma), lower(mb), lower(means));
    const Vd luminance_high = luminance(upper(ma), upper(mb), upper(means));
    hn::Store(luminance_low, dd, terms.luminance + x);
    hn::Store(luminance_high, dd, terms.luminance + x + kHalf);
    if (!terms.ssim) return;
    hn::Store(hn::Mul(hn::Mul(luminance_low, contrast_low), lower(structure)), dd, terms.ssim + x);
    hn::Store(hn::Mul(hn::Mul(luminance_high, contrast_high), upper(structure)), dd, terms.ssim + x + kHalf);
}

// Divisions, roots and the sums of earlier rows take long but little else: they are spread between the windows of the
// five channels, one vector of columns late.
template <int Rows> void vertical_rows(const SsimRow *rows, int columns, const SsimTermRow *terms, SsimAdder &earlier) {
    // Few enough for the processor to look past them to the next windows while it waits for each addition.
    constexpr int kPortions = Rows * kLanes <= 32 ? 2 : kSsimChannels;
    constexpr int kTerms = (Rows * kLanes + kPortions - 1) / kPortions;
    HWY_ALIGN float windowed[2][Rows][kSsimChannels][kLanes];
    int current = 0;
    for (int x = 0; x < columns; x += kLanes, current ^= 1) {
        for (std::size_t channel = 0; channel < kSsimChannels; channel++) {
            window_columns<Rows>(rows, channel, x, windowed[current]);
            const int first = int(channel) * Rows / kSsimChannels, last = int(channel + 1) * Rows / kSsimChannels;
            for (int i = first; i < last && x > 0; i++) store_terms(windowed[current ^ 1][i], terms[i], x - kLanes);
            if (kPortions == kSsimChannels || channel % 2 == 1) earlier.advance(kTerms);
        }
    }
    for (int i = 0; i < Rows; i++) store_terms(windowed[current ^ 1][i], terms[i], round_up(columns, kLanes) - kLanes);
}

// As many rows at once as the registers hold sums.
void vertical(const SsimRow *rows, int columns, int count, const SsimTermRow *terms, SsimAdder &earlier, float *) {
    int i = 0;
    for (; i + kSsimGroup <= count; i += kSsimGroup) vertical_rows<kSsimGroup>(rows + i, columns, terms + i, earlier);
    for (; i + 4 <= count; i += 4) vertical_rows<4>(rows + i, columns, terms + i, earlier);
    for (; i < count; i++) vertical_rows<1>(rows + i, columns, terms + i, earlier);
}

const SsimFunctions functions = {horizontal, vertical};

} // namespace vmaf::ssim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf {

namespace ssim {} // namespace ssim
using namespace ssim;

const SsimFunctions &ssim_functions(Isa isa) {
    static constexpr SimdTable<const SsimFunctions> kTable = {.scalar = &ssim_scalar, VMAF_VECTOR_VERSIONS(functions)};
    return *kTable.pick(isa);
}

} // namespace vmaf
#endif
