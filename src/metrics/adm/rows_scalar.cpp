// The specification of `adm` in plain C++ (adm.md 3.4 to 3.8), row by row.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>

#include "metrics/adm/rows.hpp"

namespace vmaf::adm {

namespace {

template <class T, class Sample> T taps(const std::array<int, 4> &c, Sample x0, Sample x1, Sample x2, Sample x3) {
    return T(c[0]) * T(x0) + T(c[1]) * T(x1) + T(c[2]) * T(x2) + T(c[3]) * T(x3);
}

template <class T>
void vertical0(const Rows<T> &rows, int width, int bits, int first, int count, std::int16_t *low, std::int16_t *high) {
    const int middle = 1 << (bits - 1); // subtracted first, so that 16-bit samples fit 32 bits
    const auto filtered = [&](const std::array<int, 4> &c, int x) {
        const int sum =
            taps<int>(c, rows[0][x] - middle, rows[1][x] - middle, rows[2][x] - middle, rows[3][x] - middle);
        return std::int16_t((sum + middle) >> bits);
    };
    const int from = std::max(first, 0), to = std::min(first + count, width);
    for (int x = from; x < to; x++) low[x - first] = filtered(kLow, x);
    if (high)
        for (int x = from; x < to; x++) high[x - first] = filtered(kHigh, x);
    for (std::int16_t *line : {low, high}) {
        if (!line) continue;
        if (first < 0) line[0] = line[2];
        for (int x = to; x < std::min(first + count, width + 2); x++) line[x - first] = line[fold(x, width) - first];
    }
}

template <int Shift, class Wide, class T> T band_sample(const std::array<int, 4> &c, const T *line, int j) {
    const Wide sum = taps<Wide>(c, line[2 * j], line[2 * j + 1], line[2 * j + 2], line[2 * j + 3]);
    return T((sum + (Wide(1) << (Shift - 1))) >> Shift);
}

template <int Shift, class Wide, class T>
void horizontal_pass(const T *low, const T *high, int approx_from, int approx_to, T *approx, int from, int to,
                     const Bands<T> &details) {
    if (approx)
        for (int j = approx_from; j < approx_to; j++) approx[j + 1] = band_sample<Shift, Wide>(kLow, low, j);
    if (!high) return;
    for (int j = from; j < to; j++) {
        details[0][j] = band_sample<Shift, Wide>(kLow, high, j);
        details[1][j] = band_sample<Shift, Wide>(kHigh, low, j);
        details[2][j] = band_sample<Shift, Wide>(kHigh, high, j);
    }
}

void horizontal0(const std::int16_t *low, const std::int16_t *high, int count, std::int16_t *approx, int from, int to,
                 const Bands<std::int16_t> &details) {
    horizontal_pass<16, std::int32_t>(low, high, 0, count, approx, from, to, details);
}

void vertical1(const Rows<std::int16_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high) {
    for (int x = from; x < to; x++) low[x] = taps<std::int32_t>(kLow, rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
    if (!high) return;
    for (int x = from; x < to; x++) high[x] = taps<std::int32_t>(kHigh, rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
}

void vertical23(const Rows<std::int32_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high) {
    const auto filtered = [&](const std::array<int, 4> &c, int x) {
        return std::int32_t((taps<std::int64_t>(c, rows[0][x], rows[1][x], rows[2][x], rows[3][x]) + 32768) >> 16);
    };
    for (int x = from; x < to; x++) low[x] = filtered(kLow, x);
    if (!high) return;
    for (int x = from; x < to; x++) high[x] = filtered(kHigh, x);
}

void horizontal(const std::int32_t *low, const std::int32_t *high, int shift, int approx_from, int approx_to,
                std::int32_t *approx, int from, int to, const Bands<std::int32_t> &details) {
    const auto pass =
        shift == 16 ? horizontal_pass<16, std::int64_t, std::int32_t> : horizontal_pass<15, std::int64_t, std::int32_t>;
    pass(low, high, approx_from, approx_to, approx, from, to, details);
}

// 3.5: the gain k, 0..32768 for 0..1. o is not 0.
template <class T> std::int64_t gain_of(T o, T t) {
    std::uint32_t m = std::uint32_t(std::abs(int(o)));
    int e = 0;
    if (sizeof(T) == 4 && m >= 32768) {
        e = 17 - std::countl_zero(m);
        m = (m + (1u << (e - 1))) >> e;
    }
    const std::int64_t reciprocal = (1u << 30) / m;
    const std::int64_t product = (o < 0 ? -reciprocal : reciprocal) * t;
    return std::clamp<std::int64_t>((product + (std::int64_t(1) << (14 + e))) >> (15 + e), 0, 32768);
}

template <class T> T restored(T o, T t) { return o == 0 ? T(0) : T((gain_of(o, t) * o + 16384) >> 15); }

// For r0, if the angles agree. If the gain is 0, so is r0, and t does not point in the direction of o.
template <class T> T enhanced(T o, T t, T r0, double gain_limit) {
    if (r0 == 0) return 0;
    const double limited = double(r0) * gain_limit;
    return T(o > 0 ? std::min(limited, double(t)) : std::max(limited, double(t)));
}

// Whether the distorted detail points in the direction of the reference detail, to within one degree. The three sums
// are first rounded to float.
bool same_angle(std::int64_t oh, std::int64_t ov, std::int64_t th, std::int64_t tv) {
    constexpr double cosine_squared = double(0x1.ffd814p-1f);
    const double p = double(float(oh * th + ov * tv)) / 4096.0;
    const double o = double(float(oh * oh + ov * ov)) / 4096.0;
    const double t = double(float(th * th + tv * tv)) / 4096.0;
    return p >= 0 && p * p >= (cosine_squared * o) * t;
}

template <class T>
void decouple(const In<T> &o, const In<T> &t, int from, int to, double gain_limit, const Bands<T> &r,
              const Bands<T> &a) {
    for (int j = from; j < to; j++) {
        const bool aligned = same_angle(o[0][j], o[1][j], t[0][j], t[1][j]);
        for (std::size_t b = 0; b < kBands; b++) {
            const T r0 = restored(o[b][j], t[b][j]);
            r[b][j] = aligned ? enhanced(o[b][j], t[b][j], r0, gain_limit) : r0;
            a[b][j] = T(t[b][j] - r[b][j]);
        }
    }
}

template <class T> void restore(const In<T> &o, const In<T> &t, int from, int to, const Bands<T> &r0, T *aligned) {
    for (int j = from; j < to; j++) {
        aligned[j] = same_angle(o[0][j], o[1][j], t[0][j], t[1][j]) ? T(-1) : T(0);
        for (std::size_t b = 0; b < kBands; b++) r0[b][j] = T(std::abs(int(restored(o[b][j], t[b][j]))));
    }
}

template <class T>
void limit(const In<T> &o, const In<T> &t, const In<T> &r0, const T *aligned, int from, int to, double gain_limit,
           const Bands<T> &r, const Bands<T> &a) {
    for (int j = from; j < to; j++)
        for (std::size_t b = 0; b < kBands; b++) {
            const T signed_r0 = o[b][j] < 0 ? T(-r0[b][j]) : r0[b][j];
            r[b][j] = aligned[j] ? enhanced(o[b][j], t[b][j], signed_r0, gain_limit) : signed_r0;
            a[b][j] = T(t[b][j] - r[b][j]);
        }
}

std::uint64_t denominator0(const std::int16_t *o, int from, int to) {
    std::uint64_t sum = 0;
    for (int j = from; j < to; j++) {
        const std::uint32_t x = std::uint32_t(std::abs(int(o[j])));
        sum += std::uint64_t(x * x) * x;
    }
    return sum;
}

std::uint64_t denominator(const std::int32_t *o, int from, int to, const ScalePlan &plan) {
    const int q = plan.den_square_shift, c = plan.den_term_shift;
    const std::uint64_t round = std::uint64_t(half_of(c));
    std::uint64_t sum = 0;
    for (int j = from; j < to; j++) {
        const std::uint64_t x = std::uint64_t(std::abs(std::int64_t(o[j])));
        sum += (((x * x + (std::uint64_t(1) << q)) >> q) * x + round) >> c; // 2^q, not half of it (a quirk)
    }
    return sum;
}

std::uint64_t tile_denominator0(const std::int16_t *o, int count, Range scored, std::int64_t *totals) {
    for (int j = 0; j < count; j++) totals[j / kColumnsPerTotal0] += std::int64_t(denominator0(o, j, j + 1));
    return denominator0(o, scored.from, scored.to);
}

std::uint64_t tile_denominator(const std::int32_t *o, int count, Range scored, const ScalePlan &plan,
                               std::int64_t *totals, std::ptrdiff_t odd) {
    for (int j = 0; j < count; j++) totals[j / 2 + (j % 2 ? odd : 0)] += std::int64_t(denominator(o, j, j + 1, plan));
    return denominator(o, scored.from, scored.to, plan);
}

void mask0(const In<std::int16_t> &y, int from, int to, const ScalePlan &plan, const MaskRow &out) {
    constexpr std::array<int, kBands> kRound = {16384, 16384, 65535}, kShift = {15, 15, 17}; // 65535: a quirk
    for (int j = from; j < to; j++) {
        std::int32_t neighbour = 0, centre = 0;
        for (std::size_t b = 0; b < kBands; b++) {
            const std::int32_t c = std::int16_t((std::int32_t(plan.weight[b]) * y[b][j] + kRound[b]) >> kShift[b]);
            neighbour += std::int16_t((4369 * std::abs(c) + 2048) >> 12);
            centre += std::int16_t((8738 * std::abs(c) + 2048) >> 12); // wraps from 15360 on (a quirk)
        }
        out.neighbour[j] = neighbour;
        out.centre[j] = centre - neighbour;
    }
}

std::int32_t weighted(std::uint32_t weight, std::int32_t v) {
    return std::int32_t((std::int64_t(weight) * v + (1 << 27)) >> 28);
}

// -2^31 stays unchanged.
std::int32_t wrapping_abs(std::int32_t v) { return v < 0 ? std::int32_t(0u - std::uint32_t(v)) : v; }

void mask(const In<std::int32_t> &y, int from, int to, const ScalePlan &plan, const Bands<std::int32_t> &magnitude,
          const MaskRow &out) {
    constexpr std::int64_t kRound = -(std::int64_t(1) << 31); // the sign is a quirk
    for (int j = from; j < to; j++) {
        std::uint32_t neighbour = 0, centre = 0;
        for (std::size_t b = 0; b < kBands; b++) {
            const std::int64_t c = magnitude[b][j] = wrapping_abs(weighted(plan.weight[b], y[b][j]));
            neighbour += std::uint32_t((143165577 * c + kRound) >> 32);
            centre += std::uint32_t((286331153 * c + kRound) >> 32);
        }
        out.neighbour[j] = std::int32_t(neighbour);
        out.centre[j] = std::int32_t(centre - neighbour);
    }
}

// Thresholds of [from, to): box sums of the neighbours' contributions, plus the centre's surplus.
void thresholds(const std::array<MaskRow, 3> &mask, int from, int to, std::uint32_t *out, std::uint32_t *columns) {
    for (int j = from - 1; j <= to; j++)
        columns[j - from + 1] = std::uint32_t(mask[0].neighbour[j]) + std::uint32_t(mask[1].neighbour[j]) +
                                std::uint32_t(mask[2].neighbour[j]);
    for (int j = from; j < to; j++) {
        const std::uint32_t *sum = columns + (j - from);
        out[j - from] = sum[0] + sum[1] + sum[2] + std::uint32_t(mask[1].centre[j]);
    }
}

// (((x*x + half) >> Q) * x + half) >> c, for the excess over the threshold.
template <int Q> std::int64_t cube(std::uint32_t magnitude, std::uint32_t threshold, int c) {
    const std::int64_t x = std::int32_t(magnitude - threshold);
    if (x <= 0) return 0;
    const std::int64_t square = std::int32_t((x * x + (std::int64_t(1) << (Q - 1))) >> Q);
    return (square * x + half_of(c)) >> c;
}

// Calls take(band, column, term) for columns [from, to).
template <class Take>
void for_terms0(const In<std::int16_t> &x, const std::array<MaskRow, 3> &mask, int from, int to, const ScalePlan &plan,
                std::uint32_t *scratch, const Take &take) {
    std::uint32_t *threshold = scratch;
    thresholds(mask, from, to, threshold, scratch + plan.window.width + kRowMargin);
    const auto row = [&]<int Q, int Up>(std::size_t b) {
        for (int j = from; j < to; j++)
            take(b, j,
                 cube<Q>(plan.weight[b] * std::uint32_t(std::abs(int(x[b][j]))), threshold[j - from] << Up,
                         plan.num_term_shift[b]));
    };
    row.template operator()<29, 10>(0);
    row.template operator()<29, 10>(1);
    row.template operator()<30, 12>(2);
}

template <class Take>
void for_terms(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, int from, int to,
               const ScalePlan &plan, std::uint32_t *scratch, const Take &take) {
    std::uint32_t *threshold = scratch;
    thresholds(mask, from, to, threshold, scratch + plan.window.width + kRowMargin);
    for (std::size_t b = 0; b < kBands; b++)
        for (int j = from; j < to; j++)
            take(b, j, cube<30>(std::uint32_t(magnitude[b][j]), threshold[j - from], plan.num_term_shift[b]));
}

// Adds up terms.
struct ScoredSums {
    Range columns;
    std::array<std::uint64_t, kBands> sums{}; // wrap if weights are absurd

    void add(std::size_t band, int column, std::int64_t term) {
        if (columns.has(column)) sums[band] += std::uint64_t(term);
    }
    RowSums row() const { return {std::int64_t(sums[0]), std::int64_t(sums[1]), std::int64_t(sums[2])}; }
};

RowSums pool0(const In<std::int16_t> &x, const std::array<MaskRow, 3> &mask, Range scored, const ScalePlan &plan,
              std::uint32_t *scratch) {
    ScoredSums sums{scored};
    for_terms0(x, mask, scored.from, scored.to, plan, scratch,
               [&](std::size_t b, int column, std::int64_t term) { sums.add(b, column, term); });
    return sums.row();
}
RowSums tile_pool0(const In<std::int16_t> &x, const std::array<MaskRow, 3> &mask, Range scored, const ScalePlan &plan,
                   std::uint32_t *scratch, const ColumnTotals &totals) {
    ScoredSums sums{scored};
    for_terms0(x, mask, 0, plan.window.width, plan, scratch, [&](std::size_t b, int column, std::int64_t term) {
        sums.add(b, column, term);
        totals.at[b][column / kColumnsPerTotal0] += term;
    });
    return sums.row();
}

RowSums pool(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range scored, const ScalePlan &plan,
             std::uint32_t *scratch) {
    ScoredSums sums{scored};
    for_terms(magnitude, mask, scored.from, scored.to, plan, scratch,
              [&](std::size_t b, int column, std::int64_t term) { sums.add(b, column, term); });
    return sums.row();
}
RowSums tile_pool(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range scored,
                  const ScalePlan &plan, std::uint32_t *scratch, const ColumnTotals &totals) {
    ScoredSums sums{scored};
    for_terms(magnitude, mask, 0, plan.window.width, plan, scratch, [&](std::size_t b, int column, std::int64_t term) {
        sums.add(b, column, term);
        totals.at[b][column / 2 + (column % 2 ? totals.odd : 0)] += term;
    });
    return sums.row();
}

} // namespace

const RowFunctions &scalar_rows() {
    static constexpr RowFunctions functions = {
        .vertical0_bytes = vertical0<std::uint8_t>,
        .vertical0_words = vertical0<std::uint16_t>,
        .horizontal0 = horizontal0,
        .decouple0 = decouple<std::int16_t>,
        .restore0 = restore<std::int16_t>,
        .limit0 = limit<std::int16_t>,
        .denominator0 = denominator0,
        .tile_denominator0 = tile_denominator0,
        .mask0 = mask0,
        .pool0 = pool0,
        .tile_pool0 = tile_pool0,
        .narrow_mask0 = nullptr,
        .narrow_pool0 = nullptr,
        .narrow_tile_pool0 = nullptr,
        .vertical1 = vertical1,
        .vertical23 = vertical23,
        .horizontal = horizontal,
        .decouple = decouple<std::int32_t>,
        .restore = restore<std::int32_t>,
        .limit = limit<std::int32_t>,
        .denominator = denominator,
        .tile_denominator = tile_denominator,
        .mask = mask,
        .pool = pool,
        .tile_pool = tile_pool,
    };
    return functions;
}

bool fits_narrow(const ScalePlan &plan) {
    // Restored and additive coefficients are at most 22930 (3.12). The sum of the three nu, 16/15 |c| each, must stay
    // below 2^16, the squared excess of D below 2^31.
    const double edges = plan.weight[0] * 22930.0 / (1 << 15), diagonal = plan.weight[2] * 22930.0 / (1 << 17);
    return 2 * edges + diagonal < 61000 && plan.weight[2] < 53000;
}

bool fits_vector(const ScalePlan &plan, int scale) {
    // |c| and the squared excess stay below 2^31 for coefficients of 1.5e9 (scale 1) or 7.6e8 (3.12).
    const double largest = std::max(plan.weight[0], plan.weight[2]) * (scale == 1 ? 1.5e9 : 7.6e8) / (1 << 28);
    return largest < 1.5e9;
}

} // namespace vmaf::adm
