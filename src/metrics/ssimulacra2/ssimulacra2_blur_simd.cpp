// Sections 8 and 9 on vectors. The blurs have the bits of the scalar code; the maps are computed to 1e-13 and added up
// in another order, the same for all instruction sets.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ssimulacra2/ssimulacra2_blur_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::ssimulacra2::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DD = hn::ScalableTag<double>;
using DHalf = hn::Half<DF>;
using V = hn::Vec<DF>;
using VD = hn::Vec<DD>;

constexpr int kLanes = int(HWY_LANES(float));
constexpr int kStrip = 508; // with kBlurAhead columns more a multiple of every vector's lanes

// Section 8: the three recursions of as many lines as there are lanes.
struct Recursion {
    V last[kPoles], before[kPoles];

    Recursion() {} // a constructor that compilers make themselves lacks the target's attributes

    HWY_INLINE V step(V sum) {
        const DF d;
        V o[kPoles];
        for (int k = 0; k < kPoles; k++) {
            const V gain = hn::Set(d, kBlurGain[std::size_t(k)]), pole = hn::Set(d, kBlurPole[std::size_t(k)]);
            o[k] = hn::Sub(hn::Sub(hn::Mul(gain, sum), hn::Mul(pole, last[k])), before[k]);
            before[k] = last[k];
            last[k] = o[k];
        }
        return hn::Add(hn::Add(o[0], o[1]), o[2]);
    }

    // A recursion takes two vectors, which lie `stride` floats apart.
    HWY_INLINE void load(const float *from, std::ptrdiff_t stride) {
        for (int k = 0; k < kPoles; k++) {
            last[k] = hn::LoadU(DF(), from + 2 * k * stride);
            before[k] = hn::LoadU(DF(), from + (2 * k + 1) * stride);
        }
    }
    HWY_INLINE void store(float *to, std::ptrdiff_t stride) const {
        for (int k = 0; k < kPoles; k++) {
            hn::StoreU(last[k], DF(), to + 2 * k * stride);
            hn::StoreU(before[k], DF(), to + (2 * k + 1) * stride);
        }
    }
};

// Rows that are blurred together lie in columns: four samples of a row become lanes of four vectors, and back.
// A vector's blocks of 128 bits hold rows 4b to 4b + 3.
HWY_INLINE void transpose_blocks(V (&v)[4]) {
    const DF d;
    const hn::Repartition<double, DF> pairs;
    const auto low = [&](V a, V b) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveLower(d, a, b)); };
    const auto high = [&](V a, V b) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)); };
    const auto t0 = low(v[0], v[1]), t1 = low(v[2], v[3]), t2 = high(v[0], v[1]), t3 = high(v[2], v[3]);
    v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, t0, t1));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, t0, t1));
    v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, t2, t3));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, t2, t3));
}

// Rows 0, 4, ... of a list, four samples from column x on each.
template <class D> HWY_INLINE hn::Vec<D> load_blocks(D d, const float *const *rows, int x) {
    if constexpr (hn::MaxLanes(D()) == 4) {
        return hn::LoadU(d, rows[0] + x);
    } else {
        const hn::Half<D> half;
        return hn::Combine(d, load_blocks(half, rows + hn::MaxLanes(half), x), load_blocks(half, rows, x));
    }
}

template <class D> HWY_INLINE void store_blocks(D d, hn::Vec<D> v, float *const *rows, int x) {
    if constexpr (hn::MaxLanes(D()) == 4) {
        hn::StoreU(v, d, rows[0] + x);
    } else {
        const hn::Half<D> half;
        store_blocks(half, hn::LowerHalf(half, v), rows, x);
        store_blocks(half, hn::UpperHalf(half, v), rows + hn::MaxLanes(half), x);
    }
}

// The horizontal blur of kLanes rows of a strip. Both pictures are brought into columns, then two or three signals at a
// time are blurred, since one alone would wait for its own results.
class RowBlur {
  public:
    RowBlur(const RowGroup &group, int first)
        : group_(group), first_(first), start_(group.left == 0 ? 0 : kBlurAhead),
          carry_(group.carry + std::ptrdiff_t(first - group.first) * (kCarryFloats / kGroup)) {
        if (group.left == 0) {
            std::fill_n(carry_, kCarryFloats / kGroup * kLanes, 0.0f);
        }
        load_columns(0);
        load_columns(1);
    }

    void run() {
        blur<Mean<0>, Mean<1>>({kMean1, kMean2});
        if (group_.signals == kSignals)
            blur<Product<0, 0>, Product<1, 1>, Product<0, 1>>({kSquare1, kSquare2, kProduct});
        const int entered = group_.columns + kBlurAhead - start_;
        for (int picture = 0; picture < 2; picture++)
            std::copy_n(columns_[picture][entered], kBlurSpan * kLanes, history(picture));
    }

  private:
    // The first kBlurSpan are those of the strip before.
    using Columns = float[kBlurSpan + kStrip + kBlurAhead][kLanes];

    template <int kPicture> struct Mean {
        static HWY_INLINE V at(const Columns (&columns)[2], int i) { return hn::Load(DF(), columns[kPicture][i]); }
    };
    template <int kFirst, int kSecond> struct Product {
        static HWY_INLINE V at(const Columns (&columns)[2], int i) {
            return hn::Mul(hn::Load(DF(), columns[kFirst][i]), hn::Load(DF(), columns[kSecond][i]));
        }
    };

    float *state(int signal) const { return carry_ + signal * 2 * kPoles * kLanes; }
    float *history(int picture) const { return state(kSignals) + picture * kBlurSpan * kLanes; }

    // The columns that enter, zero where the picture has ended.
    void load_columns(int picture) {
        const DF d;
        std::copy_n(history(picture), kBlurSpan * kLanes, columns_[picture][0]);
        const float *rows[kLanes];
        for (int i = 0; i < kLanes; i++)
            rows[i] = first_ + i < group_.height ? group_.xyb_row(picture, first_ + i) : group_.zeros;
        float(*column)[kLanes] = columns_[picture] + kBlurSpan;
        const int end = group_.columns + kBlurAhead, last = std::min(end, group_.width - group_.left);
        for (int x = start_; x < end; x += 4, column += 4) {
            V v[4];
            for (int k = 0; k < 4; k++) v[k] = load_blocks(d, rows + k, x);
            transpose_blocks(v);
            for (int k = 0; k < 4; k++) hn::Store(x + k < last ? v[k] : hn::Zero(d), d, column[k]);
        }
    }

    template <class... Signals> void blur(const std::array<int, sizeof...(Signals)> &numbers) {
        const DF d;
        constexpr std::size_t kCount = sizeof...(Signals);
        Recursion recursions[kCount];
        float *rows[kCount][kLanes];
        for (std::size_t s = 0; s < kCount; s++) {
            recursions[s].load(state(numbers[s]), kLanes);
            for (int i = 0; i < kLanes; i++)
                rows[s][i] = group_.blurred_row(numbers[s], first_ + i); // rows after the last one are never read
        }
        const int count = group_.columns + kBlurAhead - start_;
        for (int i = 0; i < count; i += 4) {
            V out[kCount][4];
            for (int k = 0; k < 4; k++) {
                std::size_t s = 0;
                ((out[s][k] = recursions[s].step(
                      hn::Add(Signals::at(columns_, i + k), Signals::at(columns_, i + k + kBlurSpan))),
                  s++),
                 ...);
            }
            const int t = start_ + i - kBlurAhead;
            if (t < 0) continue;
            for (std::size_t s = 0; s < kCount; s++) {
                transpose_blocks(out[s]);
                for (int k = 0; k < 4; k++) store_blocks(d, out[s][k], rows[s] + k, t);
            }
        }
        for (std::size_t s = 0; s < kCount; s++) recursions[s].store(state(numbers[s]), kLanes);
    }

    const RowGroup &group_;
    const int first_, start_; // first row, first entering column
    float *const carry_;
    alignas(kAlignment) Columns columns_[2];
};

void blur_rows(const RowGroup &group) {
    for (int y = group.first; y < std::min(group.first + group.count, group.height); y += kLanes)
        RowBlur(group, y).run();
}

// The vertical blur of one signal in a tile of columns; a row of outputs has kTile values.
void blur_columns(const RowGroup &group, int signal, int x0, int columns, float *out) {
    const DF d;
    const float *entering[kGroup], *leaving[kGroup];
    for (int i = 0; i < group.count; i++) {
        entering[i] = group.input_row(signal, group.first + i) + x0;
        leaving[i] = group.input_row(signal, group.first + i - kBlurSpan) + x0;
    }
    float *const state = group.state(signal) + x0;
    constexpr int kVectors = 2; // at once, since one alone would wait for its own results
    for (int x = 0; x < columns; x += kVectors * kLanes) {
        Recursion recursions[kVectors];
        for (int v = 0; v < kVectors; v++) recursions[v].load(state + x + v * kLanes, group.stride);
        for (int i = 0; i < group.count; i++)
            for (int v = 0; v < kVectors; v++) {
                const int at = x + v * kLanes;
                const V sum = hn::Add(hn::LoadU(d, leaving[i] + at), hn::LoadU(d, entering[i] + at));
                hn::Store(recursions[v].step(sum), d, out + i * kTile + at);
            }
        for (int v = 0; v < kVectors; v++) recursions[v].store(state + x + v * kLanes, group.stride);
    }
}

// Sums of a map: eight, each of every eighth column, however many lanes a vector has, so that all vector code has the
// same bits. A round takes as many vectors as that needs.
constexpr int kSums = 8, kDoubles = int(HWY_LANES(double)), kRound = std::max(kLanes, kSums);
static_assert(kSums % kDoubles == 0 && kLanes == 2 * kDoubles && kRound <= 2 * kLanes && kTile % kRound == 0);

struct Tally {
    static constexpr int kParts = kSums / kDoubles;
    VD sum[kParts], sum_of_fourth[kParts];

    Tally() {
        for (int i = 0; i < kParts; i++) sum[i] = sum_of_fourth[i] = hn::Zero(DD());
    }

    // The values of columns that begin kColumn after the round's first.
    template <int kColumn> HWY_INLINE void add(VD value) {
        constexpr int kPart = kColumn % kSums / kDoubles;
        const VD square = hn::Mul(value, value);
        sum[kPart] = hn::Add(sum[kPart], value);
        sum_of_fourth[kPart] = hn::Add(sum_of_fourth[kPart], hn::Mul(square, square));
    }
    void add_to(NormSums &sums) const {
        sums.sum += total(sum);
        sums.sum_of_fourth += total(sum_of_fourth);
    }

  private:
    static double total(const VD *parts) {
        alignas(kAlignment) double s[kSums];
        for (int i = 0; i < kParts; i++) hn::Store(parts[i], DD(), s + i * kDoubles);
        return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
};

HWY_INLINE VD lower(V v) { return hn::PromoteTo(DD(), hn::LowerHalf(DHalf(), v)); }
HWY_INLINE VD upper(V v) { return hn::PromoteTo(DD(), hn::UpperHalf(DHalf(), v)); }

// Loads for a row of a map: zero after the last column, where every map is zero, too.
class Loader {
  public:
    explicit Loader(int columns) : columns_(columns) {}
    HWY_INLINE V operator()(const float *row, int x) const {
        const V v = hn::LoadU(DF(), row + x);
        if (x + kLanes <= columns_) return v;
        return hn::IfThenElseZero(hn::FirstN(DF(), std::size_t(std::max(columns_ - x, 0))), v);
    }

  private:
    int columns_;
};

// Calls map.add<C>(x + C) for each vector of each round.
template <class Map> HWY_INLINE void for_each_vector(Map &map, int columns) {
    for (int x = 0; x < columns; x += kRound) {
        map.template add<0>(x);
        if constexpr (kRound > kLanes) map.template add<kLanes>(x + kLanes);
    }
}

// 1 / d, from its value in single precision by one step of Newton's method: to 1e-13.
HWY_INLINE VD reciprocal(VD d, VD guess) { return hn::Mul(guess, hn::Sub(hn::Set(DD(), 2.0), hn::Mul(d, guess))); }

struct StructureMap {
    const float *m1, *m2, *square1, *square2, *product;
    Loader load;
    Tally tally;

    StructureMap(const std::array<const float *, kSignals> &blurred, int columns, const Tally &before)
        : m1(blurred[kMean1]), m2(blurred[kMean2]), square1(blurred[kSquare1]), square2(blurred[kSquare2]),
          product(blurred[kProduct]), load(columns), tally(before) {}

    template <int kColumn> HWY_INLINE void add(int x) {
        const DF d;
        const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f), c2 = hn::Set(d, 0.0009f);
        const V a = load(m1, x), b = load(m2, x);
        const V difference = hn::Sub(a, b);
        const V nm = hn::Sub(one, hn::Mul(difference, difference));
        const V ns = hn::Add(hn::Mul(two, hn::Sub(load(product, x), hn::Mul(a, b))), c2);
        const V ds =
            hn::Add(hn::Add(hn::Sub(load(square1, x), hn::Mul(a, a)), hn::Sub(load(square2, x), hn::Mul(b, b))), c2);
        const V guess = hn::Div(one, ds);
        add_half<kColumn>(lower(nm), lower(ns), lower(ds), lower(guess));
        add_half<kColumn + kDoubles>(upper(nm), upper(ns), upper(ds), upper(guess));
    }

  private:
    // 1 - nm * ns / ds as one fraction, which is zero where the pictures are equal.
    template <int kColumn> HWY_INLINE void add_half(VD nm, VD ns, VD ds, VD guess) {
        const VD e = hn::Mul(hn::Sub(ds, hn::Mul(nm, ns)), reciprocal(ds, guess));
        tally.add<kColumn>(hn::Max(e, hn::Zero(DD())));
    }
};

void add_structure(const std::array<const float *, kSignals> &blurred, int columns, Tally &tally) {
    StructureMap map(blurred, columns, tally);
    for_each_vector(map, columns);
    tally = map.tally;
}

template <bool kArtifact, bool kLostDetail> struct EdgeMaps {
    const float *x1, *m1, *x2, *m2;
    Loader load;
    Tally artifact, lost_detail;

    EdgeMaps(const float *x1, const float *m1, const float *x2, const float *m2, int columns, const Tally &artifact,
             const Tally &lost_detail)
        : x1(x1), m1(m1), x2(x2), m2(m2), load(columns), artifact(artifact), lost_detail(lost_detail) {}

    template <int kColumn> HWY_INLINE void add(int x) {
        const DF d;
        const V one = hn::Set(d, 1.0f);
        const V a1 = load(x1, x), b1 = load(m1, x), a2 = load(x2, x), b2 = load(m2, x);
        const V e1 = hn::Abs(hn::Sub(a1, b1)), e2 = hn::Abs(hn::Sub(a2, b2));
        const V guess = hn::Div(one, hn::Add(one, e1));
        // Neither is more than twice the other: their difference is exact in single precision.
        if (hn::AllTrue(d, hn::And(hn::Le(e1, hn::Min(a1, b1)), hn::Le(e2, hn::Min(a2, b2))))) {
            add_half<kColumn>(lower(e1), lower(e2), lower(guess));
            add_half<kColumn + kDoubles>(upper(e1), upper(e2), upper(guess));
            return;
        }
        add_half<kColumn>(apart(lower(a1), lower(b1)), apart(lower(a2), lower(b2)), lower(guess));
        add_half<kColumn + kDoubles>(apart(upper(a1), upper(b1)), apart(upper(a2), upper(b2)), upper(guess));
    }

  private:
    static HWY_INLINE VD apart(VD a, VD b) { return hn::Abs(hn::Sub(a, b)); }

    // (1 + e2) / (1 + e1) - 1 as one fraction.
    template <int kColumn> HWY_INLINE void add_half(VD e1, VD e2, VD guess) {
        const DD d;
        const VD v = hn::Mul(hn::Sub(e2, e1), reciprocal(hn::Add(hn::Set(d, 1.0), e1), guess));
        if constexpr (kArtifact) artifact.template add<kColumn>(hn::Max(v, hn::Zero(d)));
        if constexpr (kLostDetail) lost_detail.template add<kColumn>(hn::Max(hn::Neg(v), hn::Zero(d)));
    }
};

template <bool kArtifact, bool kLostDetail>
void add_edges(const float *x1, const float *m1, const float *x2, const float *m2, int columns, Tally &artifact,
               Tally &lost_detail) {
    EdgeMaps<kArtifact, kLostDetail> maps(x1, m1, x2, m2, columns, artifact, lost_detail);
    for_each_vector(maps, columns);
    artifact = maps.artifact;
    lost_detail = maps.lost_detail;
}

void score_rows(const RowGroup &group, const Needs &needs, MapSums &sums) {
    Tally structure, artifact, lost_detail;
    auto *const add_edges_of = !needs.lost_detail ? &add_edges<true, false>
                               : !needs.artifact  ? &add_edges<false, true>
                                                  : &add_edges<true, true>;
    const auto output = [&](int signal) { return group.outputs + signal * kGroup * kTile; };
    for (int x = 0; x < group.columns; x += kTile) {
        const int columns = std::min(kTile, group.columns - x);
        for (int s = 0; s < group.signals; s++) blur_columns(group, s, x, columns, output(s));
        for (int i = 0; i < group.count; i++) {
            const int y = group.first + i - kBlurAhead;
            if (y < 0) continue;
            std::array<const float *, kSignals> blurred;
            for (int s = 0; s < kSignals; s++) blurred[std::size_t(s)] = output(s) + i * kTile;
            if (needs.structure) add_structure(blurred, columns, structure);
            if (needs.edges())
                add_edges_of(group.xyb_row(0, y) + x, blurred[kMean1], group.xyb_row(1, y) + x, blurred[kMean2],
                             columns, artifact, lost_detail);
        }
    }
    structure.add_to(sums.structure);
    artifact.add_to(sums.artifact);
    lost_detail.add_to(sums.lost_detail);
}

constexpr BlurFunctions kBlur = {kStrip, blur_rows, score_rows};

} // namespace vmaf::ssimulacra2::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::ssimulacra2 {

const BlurFunctions &pick_blur(Isa isa) {
    static constexpr SimdTable<const BlurFunctions> kTable = {.scalar = &scalar_blur, VMAF_VECTOR_VERSIONS(kBlur)};
    return *kTable.pick(isa);
}

} // namespace vmaf::ssimulacra2
#endif
