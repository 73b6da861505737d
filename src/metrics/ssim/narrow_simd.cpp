// narrow.hpp on vectors of AVX-512.
#include "metrics/ssim/narrow.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "metrics/ssim/decimate.hpp"
#include "metrics/ssim/ssim_core.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ssim/narrow_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_transpose-inl.hpp"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace vmaf::narrow::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Df = hn::ScalableTag<float>;
using Du = hn::ScalableTag<std::uint32_t>;
using Di = hn::ScalableTag<std::int32_t>;
using Dd = hn::ScalableTag<double>;
using Dh = hn::Rebind<float, Dd>;
using Vf = hn::Vec<Df>;
using Vu = hn::Vec<Du>;
using Vd = hn::Vec<Dd>;

constexpr int kLanes = HWY_LANES(float);
constexpr int kTaps = kSsimTaps;
constexpr int kStrip = kSsimStrip;
constexpr int kAbove = kTaps - 1;
static_assert(kLanes == kNarrowRowsAtOnce);

// Keeps a result where it is computed: GCC would delay the sums and spill them.
HWY_INLINE void pin(Vf &v) { __asm__ volatile("" : "+v"(v.raw)); }
HWY_INLINE void pin(Vu &v) { __asm__ volatile("" : "+v"(v.raw)); }

constexpr std::uint32_t bits_of(float v) { return __builtin_bit_cast(std::uint32_t, v); }

// C of a kind of numbers, and the limits of those that are not 0.
struct Grid {
    float c, smallest, largest;
};
// The smallest tap is 0.001028. Sums of l stay below 13 ulp(C) / 2.
constexpr Grid kMeanGrid = {128.0f, 0.0625f, 256.0f}, kSquareGrid = {32768.0f, 16.0f, 65536.0f};
constexpr float kSmallestSample = 4.0f, kLargestSample = 256.0f; // their products suit kSquareGrid

struct GridVectors {
    explicit HWY_INLINE GridVectors(const Grid &grid)
        : c(hn::Set(Df(), grid.c)), unit(hn::Set(Df(), grid.c * 0x1p-23f)),
          bias(hn::Set(Du(), kTaps * bits_of(grid.c))) {}
    Vf c, unit;
    Vu bias; // of eleven numbers
};

// RN(high + low)
HWY_INLINE Vf rounded_sum(Vu high, Vf low, Vu bias, Vf unit) {
    const auto whole = hn::BitCast(Di(), hn::Sub(high, bias));
    return hn::MulAdd(hn::ConvertTo(Df(), whole), unit, low);
}

alignas(64) constexpr float kWindow[8] = {kSsimWindow[0], kSsimWindow[1], kSsimWindow[2],
                                          kSsimWindow[3], kSsimWindow[4], kSsimWindow[5]};

struct Sums {
    Vu high[kTaps];
    Vf low[kTaps];
};

// Adds input number `Input` of a run (whose outputs are 0 ... Last, if it is trimmed) to the sums that want it; their
// slots are outputs modulo 11.
template <int Phase, bool Trim, int Input, int Last, int K = 0> HWY_INLINE void add_input(Vf x, Vf c, Sums &sums) {
    if constexpr (K < (kTaps + 1) / 2) {
        constexpr int mirrored = kTaps - 1 - K;
        constexpr int first = (Phase - K + 2 * kTaps) % kTaps, second = (Phase - mirrored + 2 * kTaps) % kTaps;
        constexpr bool want_first = !Trim || (Input - K >= 0 && Input - K <= Last);
        constexpr bool want_second = K != mirrored && (!Trim || (Input - mirrored >= 0 && Input - mirrored <= Last));
        if constexpr (want_first || want_second) {
            const float *window = kWindow;
            __asm__ volatile("" : "+r"(window)); // from memory: there is no register for it
            const Vf g = hn::Set(Df(), window[K]);
            const Vf t = hn::MulAdd(x, g, c), l = hn::Sub(hn::Mul(x, g), hn::Sub(t, c));
            const Vu bits = hn::BitCast(Du(), t);
            if constexpr (want_second) {
                sums.high[second] = hn::Add(sums.high[second], bits);
                sums.low[second] = hn::Add(sums.low[second], l);
                pin(sums.high[second]), pin(sums.low[second]);
            }
            if constexpr (want_first) {
                sums.high[first] = K == 0 ? bits : hn::Add(sums.high[first], bits);
                sums.low[first] = K == 0 ? l : hn::Add(sums.low[first], l);
                pin(sums.high[first]), pin(sums.low[first]);
            }
        }
        add_input<Phase, Trim, Input, Last, K + 1>(x, c, sums);
    }
}

// Working memory, one vector for each column (rows) or row (columns). Elements of `filtered` before the 10th are waste.
struct RowScratch {
    float samples[2][kStrip + 64][kLanes];
    float filtered[kStrip + 64][kLanes];
};
struct ColumnScratch {
    float windowed[kSsimChannels][kNarrowRows][kLanes];
};

template <int Phase, class Load>
HWY_INLINE void eleven_inputs(int j, const Load &load, const GridVectors &grid, Sums &sums, float (*out)[kLanes]) {
    if constexpr (Phase < kTaps) {
        add_input<Phase, false, 0, 0>(load(j + Phase), grid.c, sums);
        constexpr int done = (Phase + 1) % kTaps;
        hn::Store(rounded_sum(sums.high[done], sums.low[done], grid.bias, grid.unit), Df(), out[j + Phase]);
        eleven_inputs<Phase + 1>(j, load, grid, sums, out);
    }
}

// Windows along rows that lie in the lanes: output j is out[10 + j]. Up to ten more inputs may be read.
template <class Load>
HWY_NOINLINE void filter_along(const Load &load, int columns, const Grid &of, float (*out)[kLanes]) {
    const GridVectors grid(of);
    Sums sums;
    for (int i = 0; i < kTaps; i++) sums.high[i] = hn::Zero(Du()), sums.low[i] = hn::Zero(Df());
    for (int j = 0; j < columns + kAbove; j += kTaps) eleven_inputs<0>(j, load, grid, sums, out);
}

// Whether all numbers seen are 0 or within limits. Bits less 1 make 0 the largest.
struct Range {
    HWY_INLINE Range() : least(hn::Set(Du(), 0xffffffffu)), most(hn::Zero(Du())) {}
    HWY_INLINE void see(Vf v) {
        const Vu bits = hn::BitCast(Du(), v);
        least = hn::Min(least, hn::Sub(bits, hn::Set(Du(), 1)));
        most = hn::Max(most, bits);
    }
    bool inside(float smallest, float largest) const {
        return _mm512_reduce_min_epu32(least.raw) >= bits_of(smallest) - 1 &&
               _mm512_reduce_max_epu32(most.raw) < bits_of(largest);
    }
    Vu least, most;
};

HWY_INLINE void transpose(Vf (&v)[kLanes]) {
    Vu bits[kLanes];
    HWY_UNROLL(16)
    for (int i = 0; i < kLanes; i++) bits[i] = hn::BitCast(Du(), v[i]);
    vmaf::HWY_NAMESPACE::transpose(bits);
    HWY_UNROLL(16)
    for (int i = 0; i < kLanes; i++) v[i] = hn::BitCast(Df(), bits[i]);
}

bool window_rows(const float *const *a, const float *const *b, int count, int columns, float *out, float *scratch) {
    const Df d;
    auto &s = *reinterpret_cast<RowScratch *>(scratch);
    const int samples = columns + kAbove;
    Range range;
    for (int picture = 0; picture < 2; picture++) {
        const float *const *const rows = picture ? b : a;
        for (int j = 0; j < samples; j += kLanes) {
            Vf v[kLanes];
            for (int r = 0; r < kLanes; r++) v[r] = hn::LoadU(d, rows[std::min(r, count - 1)] + j);
            transpose(v);
            const int here = std::min(kLanes, samples - j);
            for (int r = 0; r < kLanes; r++) hn::Store(v[r], d, s.samples[picture][j + r]);
            for (int r = 0; r < here; r++) range.see(hn::Load(d, s.samples[picture][j + r]));
        }
    }
    if (!range.inside(kSmallestSample, kLargestSample)) return false;
    const auto sample = [&](int picture) HWY_ATTR {
        return [&s, picture](int j) HWY_ATTR { return hn::Load(Df(), s.samples[picture][j]); };
    };
    const auto product = [&](int p, int q) HWY_ATTR {
        return [&s, p, q](int j)
                   HWY_ATTR { return hn::Mul(hn::Load(Df(), s.samples[p][j]), hn::Load(Df(), s.samples[q][j])); };
    };
    const auto put = [&](int channel) HWY_ATTR {
        for (int j = 0; j < columns; j += kLanes) {
            Vf v[kLanes];
            HWY_UNROLL(16)
            for (int k = 0; k < kLanes; k++) v[k] = hn::Load(d, s.filtered[kAbove + j + k]);
            transpose(v);
            float *const to = out + channel * kStrip + j;
            for (int r = 0; r < count; r++) hn::Store(v[r], d, to + r * kSsimChannels * kStrip);
        }
    };
    filter_along(sample(0), columns, kMeanGrid, s.filtered), put(0);
    filter_along(sample(1), columns, kMeanGrid, s.filtered), put(1);
    filter_along(product(0, 0), columns, kSquareGrid, s.filtered), put(2);
    filter_along(product(1, 1), columns, kSquareGrid, s.filtered), put(3);
    filter_along(product(0, 1), columns, kSquareGrid, s.filtered), put(4);
    return true;
}

bool windows_fit(const float *rows, int count, int columns) {
    const Df d;
    Range means, squares;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < kSsimChannels; c++) {
            const float *const row = rows + (i * kSsimChannels + c) * kStrip;
            Range &range = c < 2 ? means : squares;
            int x = 0;
            for (; x + kLanes <= columns; x += kLanes) range.see(hn::Load(d, row + x));
            if (x < columns) range.see(hn::MaskedLoad(hn::FirstN(d, std::size_t(columns - x)), d, row + x));
        }
    return means.inside(kMeanGrid.smallest, kMeanGrid.largest) &&
           squares.inside(kSquareGrid.smallest, kSquareGrid.largest);
}

// Windows down the columns: all rows at once, only what is wanted.
template <int Input, class Load>
HWY_INLINE void add_row(const Load &load, const GridVectors &grid, Sums &sums, float (&out)[kNarrowRows][kLanes]) {
    if constexpr (Input < kNarrowRows + kAbove) {
        add_input<Input % kTaps, true, Input, kNarrowRows - 1>(load(Input), grid.c, sums);
        constexpr int done = (Input + 1) % kTaps;
        if constexpr (Input >= kAbove)
            hn::Store(rounded_sum(sums.high[done], sums.low[done], grid.bias, grid.unit), Df(), out[Input - kAbove]);
        add_row<Input + 1>(load, grid, sums, out);
    }
}
HWY_NOINLINE void filter_down(const float *above, const float *rows, const Grid &of,
                              float (&out)[kNarrowRows][kLanes]) {
    constexpr std::ptrdiff_t stride = kSsimChannels * kStrip;
    Sums sums;
    add_row<0>([=](int i)
                   HWY_ATTR { return hn::Load(Df(), i < kAbove ? above + i * stride : rows + (i - kAbove) * stride); },
               GridVectors(of), sums, out);
}

struct TermVectors {
    Vd contrast, structure, luminance;
};

// 6.3, 6.4 for the first `lanes` columns of row r.
template <bool Luminance>
HWY_INLINE void add_terms(const ColumnScratch &s, int r, hn::Mask<Df> lanes, TermVectors &sums) {
    const Df d;
    const Dd dd;
    const auto w = [&](int c) HWY_ATTR { return hn::Load(d, s.windowed[c][r]); };
    const auto lower = [](Vf v) HWY_ATTR { return hn::PromoteTo(Dd(), hn::LowerHalf(Dh(), v)); };
    const auto upper = [](Vf v) HWY_ATTR { return hn::PromoteTo(Dd(), hn::UpperHalf(Dh(), v)); };
    const Vf ma = w(0), mb = w(1), aa = hn::Mul(ma, ma), bb = hn::Mul(mb, mb);
    const Vf va = hn::Max(hn::Sub(w(2), aa), hn::Zero(d)), vb = hn::Max(hn::Sub(w(3), bb), hn::Zero(d));
    const Vf covariance = hn::Sub(w(4), hn::Mul(ma, mb)), deviations = hn::Sqrt(hn::Mul(va, vb));
    const auto flat = hn::And(hn::Lt(covariance, hn::Zero(d)), hn::Le(deviations, hn::Zero(d)));
    const Vf c3 = hn::Set(d, kSsimC3);
    const Vf quotient = hn::Div(hn::Add(hn::IfThenZeroElse(flat, covariance), c3), hn::Add(deviations, c3));
    const Vf structure = hn::IfThenElseZero(lanes, quotient);
    sums.structure = hn::Add(sums.structure, hn::Add(lower(structure), upper(structure)));
    const hn::Mask<Dd> low_lanes{static_cast<__mmask8>(lanes.raw)}, high_lanes{static_cast<__mmask8>(lanes.raw >> 8)};
    const Vf below = hn::Add(hn::Add(va, vb), hn::Set(d, kSsimC2));
    const Vd two = hn::Set(dd, 2.0), c2 = hn::Set(dd, double(kSsimC2));
    const auto contrast = [&](Vd dev, Vd b) HWY_ATTR { return hn::Div(hn::Add(hn::Mul(two, dev), c2), b); };
    sums.contrast = hn::Add(sums.contrast, hn::IfThenElseZero(low_lanes, contrast(lower(deviations), lower(below))));
    sums.contrast = hn::Add(sums.contrast, hn::IfThenElseZero(high_lanes, contrast(upper(deviations), upper(below))));
    if constexpr (Luminance) {
        const Vd c1 = hn::Set(dd, double(kSsimC1));
        const Vf means = hn::Add(hn::Add(aa, bb), hn::Set(d, kSsimC1));
        const auto term = [&](Vd a, Vd b, Vd m)
                              HWY_ATTR { return hn::Div(hn::Add(hn::Mul(hn::Mul(two, a), b), c1), m); };
        const Vd low = term(lower(ma), lower(mb), lower(means)), high = term(upper(ma), upper(mb), upper(means));
        sums.luminance = hn::Add(sums.luminance, hn::IfThenElseZero(low_lanes, low));
        sums.luminance = hn::Add(sums.luminance, hn::IfThenElseZero(high_lanes, high));
    }
}

template <bool Luminance>
void tile_terms(const float *above, const float *rows, int columns, int count, NarrowTermSums &all, float *scratch) {
    const Dd d;
    auto &s = *reinterpret_cast<ColumnScratch *>(scratch);
    TermVectors sums = {hn::Load(d, all.contrast), hn::Load(d, all.structure), hn::Load(d, all.luminance)};
    for (int x = 0; x < columns; x += kLanes) {
        for (int c = 0; c < kSsimChannels; c++)
            filter_down(above + c * kStrip + x, rows + c * kStrip + x, c < 2 ? kMeanGrid : kSquareGrid, s.windowed[c]);
        const auto lanes = hn::FirstN(Df(), std::size_t(columns - x));
        for (int r = 0; r < count; r++) add_terms<Luminance>(s, r, lanes, sums);
    }
    hn::Store(sums.contrast, d, all.contrast);
    hn::Store(sums.structure, d, all.structure);
    hn::Store(sums.luminance, d, all.luminance);
}

void terms(const float *above, const float *rows, int columns, int count, bool luminance, NarrowTermSums &sums,
           float *scratch) {
    (luminance ? tile_terms<true> : tile_terms<false>)(above, rows, columns, count, sums, scratch);
}

constexpr NarrowWindows windows = {window_rows, windows_fit, terms,
                                   std::max(sizeof(RowScratch), sizeof(ColumnScratch)) / sizeof(float)};

// The low-pass (8.2): 81 products with signs, of which the smallest has the factor 0.000283. t stays between 256 and
// 512 for samples below 352; 1.45 times the largest sample is what positive products can add up to.
constexpr Grid kLowPassGrid = {384.0f, 4.0f, 320.0f};
constexpr float kLowPassUnit = 0x1p-15f;

struct Sum {
    Vu high;
    Vf low;
};
HWY_INLINE Sum product(Vf x, float tap, Vf c) {
    const Vf g = hn::Set(Df(), tap), t = hn::MulAdd(x, g, c);
    return {hn::BitCast(Du(), t), hn::Sub(hn::Mul(x, g), hn::Sub(t, c))};
}
HWY_INLINE Sum plus(Sum a, Sum b) { return {hn::Add(a.high, b.high), hn::Add(a.low, b.low)}; }
// Lanes By ... By + 15 of both.
template <int By> HWY_INLINE Sum shifted(Sum first, Sum second) {
    const auto shift = [](Vu a, Vu b) HWY_ATTR { return Vu{_mm512_alignr_epi32(b.raw, a.raw, By)}; };
    const Vu low = shift(hn::BitCast(Du(), first.low), hn::BitCast(Du(), second.low));
    return {shift(first.high, second.high), hn::BitCast(Df(), low)};
}

// Sums under the row of the low-pass at this distance. Products are grouped by the shift at which they are needed.
template <int Distance> HWY_NOINLINE void low_pass_row(const float *row, int columns, float *out) {
    const Df d;
    const Vf c = hn::Set(d, kLowPassGrid.c);
    constexpr const auto &k = kLowPass[Distance];
    struct Groups {
        Sum here, before1, after1, before2, after2; // needed at the own column, by the next one, the one before, ...
    };
    const auto groups = [&](int x) HWY_ATTR {
        const Vf first = hn::LoadU(d, row + 2 * x), second = hn::LoadU(d, row + 2 * x + kLanes);
        const Vf even = hn::ConcatEven(d, second, first), odd = hn::ConcatOdd(d, second, first);
        const Sum e0 = product(even, k[0], c), e2 = product(even, k[2], c), e4 = product(even, k[4], c);
        const Sum o1 = product(odd, k[1], c), o3 = product(odd, k[3], c);
        return Groups{plus(e0, o1), plus(e2, o1), plus(e2, o3), plus(e4, o3), e4};
    };
    Groups before = groups(-kLanes), now = groups(0);
    for (int x = 0; x < columns; x += kLanes) {
        const Groups behind = groups(x + kLanes);
        Sum sum = plus(now.here, shifted<kLanes - 1>(before.before1, now.before1));
        sum = plus(sum, shifted<1>(now.after1, behind.after1));
        sum = plus(sum, shifted<kLanes - 2>(before.before2, now.before2));
        sum = plus(sum, shifted<2>(now.after2, behind.after2));
        hn::Store(sum.high, Du(), reinterpret_cast<std::uint32_t *>(out + 2 * x));
        hn::Store(sum.low, d, out + 2 * x + kLanes);
        before = now;
        now = behind;
    }
}

void row_sums(const float *row, int width, int columns, bool odd, const std::array<float *, 3> &sums,
              std::uint8_t *fits) {
    const Df d;
    for (int first = 0; first < columns; first += kNarrowBlock) {
        Range range;
        const int end = std::min(2 * (first + kNarrowBlock) + kLowPassRadius, width + kLowPassRadius);
        int x = 2 * first - kLowPassRadius;
        for (; x + kLanes <= end; x += kLanes) range.see(hn::LoadU(d, row + x));
        if (x < end) range.see(hn::MaskedLoad(hn::FirstN(d, std::size_t(end - x)), d, row + x));
        *fits++ = range.inside(kLowPassGrid.smallest, kLowPassGrid.largest);
    }
    if (odd) {
        low_pass_row<1>(row, columns, sums[0]);
        low_pass_row<3>(row, columns, sums[1]);
    } else {
        low_pass_row<0>(row, columns, sums[0]);
        low_pass_row<2>(row, columns, sums[1]);
        low_pass_row<4>(row, columns, sums[2]);
    }
}

void add_rows(const std::array<const float *, 9> &sums, int columns, float *out) {
    const Df d;
    const Du du;
    const Vu bias = hn::Set(du, 81 * bits_of(kLowPassGrid.c));
    const Vf unit = hn::Set(d, kLowPassUnit);
    for (int x = 0; x < columns; x += kLanes) {
        const auto high_at = [&](std::size_t i) HWY_ATTR {
            return hn::Load(du, reinterpret_cast<const std::uint32_t *>(sums[i] + 2 * x));
        };
        Vu high = high_at(0);
        Vf low = hn::Load(d, sums[0] + 2 * x + kLanes);
        for (std::size_t i = 1; i < 9; i++) {
            high = hn::Add(high, high_at(i));
            low = hn::Add(low, hn::Load(d, sums[i] + 2 * x + kLanes));
        }
        hn::Store(rounded_sum(high, low, bias, unit), d, out + x);
    }
}

constexpr NarrowDecimation decimation = {row_sums, add_rows};

} // namespace vmaf::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
namespace vmaf::narrow::HWY_NAMESPACE {
constexpr NarrowWindows windows = {};
constexpr NarrowDecimation decimation = {};
} // namespace vmaf::narrow::HWY_NAMESPACE
#endif
#endif

#if HWY_ONCE
namespace vmaf::narrow {

namespace {
constexpr NarrowWindows no_windows = {};
constexpr NarrowDecimation no_decimation = {};
} // namespace

const NarrowWindows &pick_windows(Isa isa) {
    static constexpr SimdTable<const NarrowWindows> kTable = {.scalar = &no_windows, VMAF_VECTOR_VERSIONS(windows)};
    return *kTable.pick(isa);
}

const NarrowDecimation &pick_decimation(Isa isa) {
    static constexpr SimdTable<const NarrowDecimation> kTable = {.scalar = &no_decimation,
                                                                 VMAF_VECTOR_VERSIONS(decimation)};
    return *kTable.pick(isa);
}

} // namespace vmaf::narrow
#endif
