// Section 8's window counts and section 9's pooling on vectors, with the same bits.
//
// Every column of the picture has a histogram over the rows of the window, one byte a level, which a pixel that enters
// or leaves changes in one place. Along a row, a block of neighbouring levels is summed over the columns of the window
// and kept up to date by adding the column that enters and subtracting the one that leaves; it is summed anew when a
// pixel's level and its contrast steps do not lie inside the block. Levels are shifted so that the lowest one that
// counts is 0 ("codes").
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/aligned.hpp"
#include "metrics/cambi/cambi_stages.hpp"

#ifndef VMAF_CAMBI_COUNT_LAYOUT // once for all targets
#define VMAF_CAMBI_COUNT_LAYOUT
namespace vmaf::cambi {
namespace {

constexpr int kChunk = 64; // columns that are queried together

// Steps are examined in groups of four.
int padded_steps(const Setup &setup) { return std::max(setup.steps, 4); }

// The smallest block that has room for a pixel's level, its steps to both sides, and a few levels more.
int block_levels(const Setup &setup) { return setup.steps <= 8 ? 32 : 4 * setup.steps; }

// Where things lie in the memory of pick_c_values().
struct CountLayout {
    int steps, lowest, codes; // codes: number of levels counted
    std::ptrdiff_t column;    // bytes per histogram; the last one is never looked at: pixels that do not count go there
    std::ptrdiff_t row;       // codes per row of pixels
    int ring_rows;
    std::size_t histograms, step_masks, rows, blocks, found, bytes; // offsets

    CountLayout(const Setup &setup, int width, int radius) {
        steps = padded_steps(setup);
        lowest = setup.lowest_query - steps;
        codes = setup.highest_query + steps - lowest + 1;
        column = round_up(codes + block_levels(setup) + 1, 64);
        row = round_up(width, kChunk);
        ring_rows = 2 * radius + 3; // one more for pixels outside of the picture
        std::size_t end = 0;
        const auto place = [&](std::size_t size) {
            const std::size_t start = end;
            end += round_up(size + kOverreadBytes, kAlignment);
            return start;
        };
        histograms = place(std::size_t(column) * std::size_t(width + 2 * radius));
        step_masks = place(sizeof(std::uint16_t) * std::size_t(codes) * std::size_t(steps));
        rows = place(sizeof(std::uint16_t) * std::size_t(row) * std::size_t(ring_rows));
        blocks = place(sizeof(std::uint16_t) * std::size_t(kChunk) * std::size_t(block_levels(setup)));
        found = place(std::size_t(kChunk) *
                      (sizeof(std::uint16_t) * std::size_t(2 * steps + 4) + sizeof(float) * std::size_t(steps)));
        bytes = end;
    }
    std::uint16_t nowhere() const { return std::uint16_t(column - 1); }
};

} // namespace
} // namespace vmaf::cambi
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/cambi/cambi_counts_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::cambi::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D16 = hn::ScalableTag<std::uint16_t>;
using DI16 = hn::ScalableTag<std::int16_t>;
using D8 = hn::Rebind<std::uint8_t, D16>; // as many levels as fit a vector of sums
using DI8 = hn::Rebind<std::int8_t, D16>;
using D4 = hn::CappedTag<std::uint16_t, 4>;
using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<std::int32_t>;
using DU = hn::Rebind<std::uint16_t, DI>; // four steps of as many pixels as fit a vector of floats
using V16 = hn::Vec<D16>;

constexpr int kLanes16 = int(HWY_LANES(std::uint16_t)), kLanesF = int(HWY_LANES(float));

// Vectors, each of kLanes16 levels, that make a block of kVectors * kLanes16 levels.
template <int kVectors, int kSteps> class Counter {
  public:
    static constexpr int kBlock = kVectors * kLanes16;
    static constexpr int kGroups = kSteps / 4;
    static_assert(kBlock > 2 * kSteps);

    Counter(const Canvas &canvas, int radius, const Setup &setup, std::byte *memory, float *c, Wanted wanted)
        : canvas_(canvas), radius_(radius), c_(c), has_zeros_(wanted == Wanted::all),
          layout_(setup, canvas.width, radius),
          histograms_(reinterpret_cast<std::uint8_t *>(memory + layout_.histograms)),
          step_masks_(reinterpret_cast<std::uint16_t *>(memory + layout_.step_masks)),
          rows_(reinterpret_cast<std::uint16_t *>(memory + layout_.rows)),
          blocks_(reinterpret_cast<std::uint16_t *>(memory + layout_.blocks)), found_(memory + layout_.found),
          first_query_(std::uint16_t(layout_.steps)),
          last_query_(std::uint16_t(setup.highest_query - setup.lowest_query)), // relative to the first
          columns_per_byte_(255 / (2 * radius + 1)) {
        std::memset(histograms_, 0, std::size_t(layout_.column) * std::size_t(canvas.width + 2 * radius));
        std::fill_n(code_row(-1), layout_.row, layout_.nowhere());
        make_step_masks(setup);
    }

    std::size_t run(int begin, int end) {
        const float *const first = c_;
        for (int y = std::max(begin - radius_, 0); y < std::min(begin + radius_, canvas_.height); y++) {
            encode_row(y);
            change_columns(0, int(layout_.row), code_row(y), code_row(-1));
        }
        if (begin > radius_) { // leaves with the first row
            encode_row(begin - radius_ - 1);
            change_columns(0, int(layout_.row), code_row(begin - radius_ - 1), code_row(-1));
        }
        for (int y = begin; y < end; y++) score_row(y);
        return std::size_t(c_ - first);
    }

  private:
    // The codes of a row of pixels; row -1 is all outside.
    std::uint16_t *code_row(int y) const {
        return rows_ + (y < 0 ? layout_.ring_rows - 1 : y % (layout_.ring_rows - 1)) * layout_.row;
    }

    // All ones for the steps that a level considers: a step that does not count has no neighbours.
    void make_step_masks(const Setup &setup) {
        for (int code = layout_.steps; code < layout_.codes - layout_.steps; code++) {
            const int v = code + layout_.lowest;
            for (int d = 1; d <= layout_.steps; d++) {
                const bool considered =
                    d <= setup.steps && v <= setup.limits[std::size_t(d)] && v + setup.steps + d > setup.dark_limit;
                step_masks_[code * layout_.steps + d - 1] = considered ? 0xffff : 0;
            }
        }
    }

    void encode_row(int y) {
        const D16 d;
        const V16 lowest = hn::Set(d, std::uint16_t(layout_.lowest)),
                  last = hn::Set(d, std::uint16_t(layout_.codes - 1));
        const V16 nowhere = hn::Set(d, layout_.nowhere()), zero = hn::Zero(d);
        const std::uint16_t *const image = canvas_.image_row(y);
        const std::uint8_t *const mask = canvas_.mask_row(y);
        std::uint16_t *const codes = code_row(y);
        for (int x = 0; x < canvas_.width; x += kLanes16) {
            const V16 code = hn::Sub(hn::LoadU(d, image + x), lowest);
            const V16 looked_at = hn::PromoteTo(d, hn::LoadU(D8(), mask + x));
            const auto counts = hn::AndNot(hn::Eq(looked_at, zero), hn::Eq(hn::SaturatedSub(code, last), zero));
            hn::Store(hn::IfThenElse(counts, code, nowhere), d, codes + x);
        }
        std::fill(codes + canvas_.width, codes + layout_.row, layout_.nowhere());
    }

    std::uint8_t *histogram(int column) const { return histograms_ + (column + radius_) * layout_.column; }

    // Columns begin <= x < end, both multiples of kChunk.
    void change_columns(int begin, int end, const std::uint16_t *entering, const std::uint16_t *leaving) {
        const D16 d;
        for (int x = begin; x < end; x += kChunk) {
            std::uint64_t differ = 0;
            for (int i = 0; i < kChunk; i += kLanes16)
                hn::StoreMaskBits(d, hn::Ne(hn::Load(d, entering + x + i), hn::Load(d, leaving + x + i)),
                                  reinterpret_cast<std::uint8_t *>(&differ) + i / 8);
            std::uint8_t *const counts = histogram(x);
            for (; differ; differ &= differ - 1) {
                const int i = std::countr_zero(differ);
                std::uint8_t *const column = counts + i * layout_.column;
                column[entering[x + i]]++;
                column[leaving[x + i]]--;
            }
        }
    }

    void score_row(int y) {
        const int width = canvas_.width, entering = y + radius_, leaving = y - radius_ - 1;
        const std::uint16_t *enter = code_row(-1);
        if (entering < canvas_.height) {
            encode_row(entering);
            enter = code_row(entering);
        }
        const std::uint16_t *const leave = code_row(std::max(leaving, -1)), *const codes = code_row(y);
        if (has_zeros_) std::fill_n(c_, width, 0.0f);
        window_.at = kNoColumn;
        int changed = 0;
        for (int x = 0; x < width; x += kChunk) {
            // Columns change just before the windows reach them, so that they are in the cache when they are summed.
            const int next = int(std::min<std::ptrdiff_t>(round_up(x + kChunk + radius_, kChunk), layout_.row));
            change_columns(changed, next, enter, leave);
            changed = next;
            const std::uint64_t queries = query_bits(codes + x);
            if (queries) score_chunk(x, codes, queries);
        }
        if (has_zeros_) c_ += width;
    }

    std::uint64_t query_bits(const std::uint16_t *codes) const {
        const D16 d;
        const V16 first = hn::Set(d, first_query_), last = hn::Set(d, last_query_);
        std::uint64_t bits = 0;
        for (int i = 0; i < kChunk; i += kLanes16) {
            const V16 level = hn::Sub(hn::Load(d, codes + i), first);
            hn::StoreMaskBits(d, hn::Eq(hn::SaturatedSub(level, last), hn::Zero(d)),
                              reinterpret_cast<std::uint8_t *>(&bits) + i / 8);
        }
        return bits;
    }

    // The sums of the levels from `base` on, over the window around column `at`.
    struct Window {
        V16 sums[kVectors];
        int base, at;
    };

    void score_chunk(int first, const std::uint16_t *codes, std::uint64_t queries) {
        int columns[kChunk], offsets[kChunk], count = 0;
        Window window = window_;
        for (; queries; queries &= queries - 1, count++) {
            const int x = first + std::countr_zero(queries), code = codes[x];
            move_window(window, x, code);
            for (int v = 0; v < kVectors; v++)
                hn::Store(window.sums[v], D16(), blocks_ + count * kBlock + v * kLanes16);
            columns[count] = x;
            offsets[count] = code - window.base;
        }
        window_ = window;
        bool any = false;
        for (int i = 0; i < count; i++) any |= find_steps(blocks_ + i * kBlock + offsets[i], codes[columns[i]], i);
        if (!any) return;
        for (int g = 0; g < kGroups; g++) look_up(g, count);
        for (int i = 0; i < count; i += kLanesF / 4) evaluate(i, std::min(kLanesF / 4, count - i), columns + i);
    }

    // Brings the sums to column x and to a block that has `code` and its steps inside.
    HWY_INLINE void move_window(Window &window, int x, int code) const {
        const int offset = code - window.base;
        if (offset < kSteps || offset >= kBlock - kSteps || x - window.at > kLongSlide)
            sum_window(window, x, code);
        else
            slide_window(window, x);
    }

    HWY_INLINE void slide_window(Window &window, int x) const {
        const std::uint8_t *enter = histogram(window.at + 1 + radius_) + window.base;
        const std::uint8_t *leave = histogram(window.at - radius_) + window.base;
        for (; window.at < x; window.at++, enter += layout_.column, leave += layout_.column)
            for (int v = 0; v < kVectors; v++) {
                // Counts are at most 65, so that the difference fits a signed byte.
                const auto change =
                    hn::Sub(hn::LoadU(D8(), enter + v * kLanes16), hn::LoadU(D8(), leave + v * kLanes16));
                window.sums[v] =
                    hn::Add(window.sums[v], hn::BitCast(D16(), hn::PromoteTo(DI16(), hn::BitCast(DI8(), change))));
            }
    }

    HWY_INLINE void sum_window(Window &window, int x, int code) const {
        window.base = std::max(code - kBlock / 2, 0);
        window.at = x;
        for (int v = 0; v < kVectors; v++) window.sums[v] = hn::Zero(D16());
        const std::uint8_t *counts = histogram(x - radius_) + window.base;
        for (int left = 2 * radius_ + 1; left > 0;) {
            const int columns = std::min(left, columns_per_byte_);
            hn::Vec<D8> partial[kVectors];
            for (int v = 0; v < kVectors; v++) partial[v] = hn::Zero(D8());
            for (int i = 0; i < columns; i++, counts += layout_.column)
                for (int v = 0; v < kVectors; v++)
                    partial[v] = hn::Add(partial[v], hn::LoadU(D8(), counts + v * kLanes16));
            for (int v = 0; v < kVectors; v++)
                window.sums[v] = hn::Add(window.sums[v], hn::PromoteTo(D16(), partial[v]));
            left -= columns;
        }
    }

    // Leaves p0, q of each step and their sum as entry i; `level` is the count of a pixel's own level. Says whether any
    // q is not zero.
    HWY_INLINE bool find_steps(const std::uint16_t *level, int code, int i) const {
        const D4 d;
        const auto p0 = hn::Set(d, *level);
        hn::Store(p0, d, found_.p0 + 4 * i);
        auto any = hn::Zero(d);
        for (int g = 0; g < kGroups; g++) {
            const auto above = hn::LoadU(d, level + 4 * g + 1);
            const auto below = hn::Reverse(d, hn::LoadU(d, level - 4 * g - 4));
            const auto considered = hn::LoadU(d, step_masks_ + code * kSteps + 4 * g);
            const auto q = hn::And(hn::Max(above, below), considered);
            any = hn::Or(any, q);
            hn::Store(q, d, found_.q + 4 * (g * kChunk + i));
            hn::Store(hn::Add(p0, q), d, found_.sum + 4 * (g * kChunk + i));
        }
        return hn::GetLane(hn::BitCast(hn::Repartition<std::uint64_t, D4>(), any)) != 0;
    }

    // One by one, because gather instructions are slow on many processors; the four sums of an entry are read together.
    HWY_INLINE void look_up(int group, int entries) const {
        const std::uint16_t *sum = found_.sum + 4 * group * kChunk;
        float *reciprocal = found_.reciprocal + 4 * group * kChunk;
        const float *const table = reciprocals_;
        for (int i = 0; i < entries; i++, sum += 4, reciprocal += 4) {
            std::uint64_t four;
            std::memcpy(&four, sum, sizeof four);
            reciprocal[0] = table[four & 0xffff];
            reciprocal[1] = table[(four >> 16) & 0xffff];
            reciprocal[2] = table[(four >> 32) & 0xffff];
            reciprocal[3] = table[four >> 48];
        }
    }

    // The c-values of the entries that fit a vector, four steps each.
    HWY_INLINE void evaluate(int first, int count, const int *columns) {
        const DF d;
        const DI di;
        const auto p0 = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(DU(), found_.p0 + 4 * first)));
        auto best = hn::Zero(d);
        for (int g = 0; g < kGroups; g++) {
            const int at = 4 * (g * kChunk + first);
            const auto q = hn::LoadU(DU(), found_.q + at);
            const auto weighted = hn::Mul(q, hn::LoadU(DU(), kStepWeights.data() + g * kLanesF)); // fits 16 bits
            // The product of two exact floats rounds as the exact integer product does.
            const auto product = hn::Mul(hn::ConvertTo(d, hn::PromoteTo(di, weighted)), p0);
            best = hn::Max(best, hn::Mul(product, hn::LoadU(d, found_.reciprocal + at)));
        }
        best = hn::Max(best, hn::Shuffle2301(best));
        best = hn::Max(best, hn::Shuffle1032(best));
        HWY_ALIGN float values[kLanesF];
        hn::Store(best, d, values);
        if (has_zeros_)
            for (int i = 0; i < count; i++) c_[columns[i]] = values[4 * i];
        else
            for (int i = 0; i < count; i++) *c_++ = values[4 * i];
    }

    // The weights of four steps, as often as they fit a vector.
    static constexpr std::array<std::uint16_t, kGroups *kLanesF> kStepWeights = [] {
        std::array<std::uint16_t, kGroups * kLanesF> weights{};
        for (std::size_t i = 0; i < weights.size(); i++)
            weights[i] = std::uint16_t(kWeights[i / kLanesF * 4 + i % 4 + 1]);
        return weights;
    }();
    static constexpr int kNoColumn = -(1 << 20);
    static constexpr int kLongSlide = 12; // columns; summing anew is faster

    const Canvas &canvas_;
    const int radius_;
    float *c_; // where the next values go: those of a row, or those that may not be zero
    const bool has_zeros_;
    const CountLayout layout_;
    std::uint8_t *const histograms_; // of columns -radius to width + radius - 1; those outside stay empty
    std::uint16_t *const step_masks_;
    std::uint16_t *const rows_; // ring
    std::uint16_t *const blocks_;
    // Contrast steps of the queries in work, four by four, group after group.
    struct Found {
        explicit Found(std::byte *memory)
            : p0(reinterpret_cast<std::uint16_t *>(memory)), q(p0 + 4 * kChunk), sum(q + kSteps * kChunk),
              reciprocal(reinterpret_cast<float *>(sum + kSteps * kChunk)) {}
        std::uint16_t *p0, *q, *sum;
        float *reciprocal;
    };
    const Found found_;
    const std::uint16_t first_query_, last_query_;
    const int columns_per_byte_; // columns whose counts can be added in a byte
    const float *const reciprocals_ = reciprocals().data();
    Window window_{};
};

template <int kLevels, int kSteps>
std::size_t count_rows(const Canvas &canvas, int radius, const Setup &setup, int begin, int end, std::byte *memory,
                       float *c, Wanted wanted) {
    constexpr int kVectors = std::max(kLevels / kLanes16, 1);
    return Counter<kVectors, kSteps>(canvas, radius, setup, memory, c, wanted).run(begin, end);
}

std::size_t c_values(const Canvas &canvas, int radius, const Setup &setup, int begin, int end, std::byte *memory,
                     float *c, Wanted wanted) {
    // Where the window is larger than the picture, what lies outside of it counts, too (section 8).
    if (!setup.any_query() || canvas.width < radius || canvas.height < radius)
        return scalar_c_values(canvas, radius, setup, begin, end, memory, c, wanted);
    switch (setup.steps) {
    case 8: return count_rows<32, 8>(canvas, radius, setup, begin, end, memory, c, wanted);
    case 16: return count_rows<64, 16>(canvas, radius, setup, begin, end, memory, c, wanted);
    case 32: return count_rows<128, 32>(canvas, radius, setup, begin, end, memory, c, wanted);
    default: return count_rows<16, 4>(canvas, radius, setup, begin, end, memory, c, wanted);
    }
}

// Values are 0 or at least 0.5 and below 9506.25; bins of their bit patterns are in the order of the values.
constexpr std::uint32_t kLeastPattern = 0x3f000000;
constexpr int kBinShift = 14, kBins = 7296;

float bin_start(int bin) { return std::bit_cast<float>(kLeastPattern + (std::uint32_t(bin) << kBinShift)); }

struct Tally {
    std::size_t count;
    double sum;
};

// Number and sum of the values that are at least `limit`.
Tally add_from(std::span<const float> values, float limit) {
    const DF d;
    const hn::ScalableTag<double> dd;
    const auto least = hn::Set(d, limit);
    auto low = hn::Zero(dd), high = hn::Zero(dd);
    std::size_t count = 0, i = 0;
    for (; i + kLanesF <= values.size(); i += kLanesF) {
        const auto v = hn::LoadU(d, values.data() + i);
        const auto wanted = hn::Ge(v, least);
        if (hn::AllFalse(d, wanted)) continue;
        count += hn::CountTrue(d, wanted);
        const auto kept = hn::IfThenElseZero(wanted, v);
        low = hn::Add(low, hn::PromoteTo(dd, hn::LowerHalf(kept)));
        high = hn::Add(high, hn::PromoteTo(dd, hn::UpperHalf(hn::Half<DF>(), kept)));
    }
    Tally tally{count, hn::GetLane(hn::SumOfLanes(dd, hn::Add(low, high)))};
    for (; i < values.size(); i++)
        if (values[i] >= limit) {
            tally.count++;
            tally.sum += double(values[i]);
        }
    return tally;
}

// Sums up to 2^29 are exact in every order (section 9); beyond, only the scalar order will do.
std::optional<double> pool(std::span<float> values, std::size_t pixels, double topk) {
    constexpr double kExactSum = 536870912.0;
    const std::ptrdiff_t k = pooled_count(pixels, topk);
    const Tally all = add_from(values, bin_start(0));
    if (std::ptrdiff_t(all.count) <= k)
        return all.sum <= kExactSum ? all.sum / double(k) : scalar_pool(values, pixels, topk);

    std::array<std::array<std::uint32_t, kBins>, 2> bins{}; // two, since neighbours often share a bin
    for (std::size_t i = 0; i < values.size(); i++) {
        const auto pattern = std::bit_cast<std::uint32_t>(values[i]);
        if (pattern != 0) bins[i % 2][(pattern - kLeastPattern) >> kBinShift]++;
    }
    int bin = kBins - 1;
    std::ptrdiff_t above = 0; // values in higher bins
    for (;; bin--) {
        const std::ptrdiff_t inside = std::ptrdiff_t(bins[0][std::size_t(bin)]) + bins[1][std::size_t(bin)];
        if (above + inside >= k) break;
        above += inside;
    }
    const float start = bin_start(bin), stop = bin_start(bin + 1);
    const Tally higher = add_from(values, stop);
    if (higher.sum + double(k - above) * double(stop) > kExactSum) return scalar_pool(values, pixels, topk);

    std::size_t inside = 0;
    for (const float v : values)
        if (v >= start && v < stop) values[inside++] = v;
    const auto first = values.begin(), last = first + std::ptrdiff_t(inside), middle = first + (k - above);
    std::nth_element(first, middle - 1, last, std::greater<>());
    double sum = higher.sum;
    for (auto it = first; it != middle; ++it) sum += double(*it);
    return sum / double(k);
}

} // namespace vmaf::cambi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::cambi {

std::size_t counts_bytes(const Setup &setup, int width, Isa isa) {
    if (isa == Isa::scalar || !setup.any_query()) return scalar_counts_bytes(setup, width);
    std::size_t bytes = 0;
    for (const Target *target : {&setup.encoded, &setup.source})
        bytes = std::max(bytes, CountLayout(setup, width, target->radius()).bytes);
    return setup.windows_fit() ? bytes
                               : std::max(bytes, scalar_counts_bytes(setup, width)); // where c_values() falls back
}

CValues *pick_c_values(Isa isa) {
    static constexpr SimdTable<CValues> kTable = {.scalar = &scalar_c_values, VMAF_VECTOR_VERSIONS(c_values)};
    return kTable.pick(isa);
}

Pool *pick_pool(Isa isa) {
    static constexpr SimdTable<Pool> kTable = {.scalar = &scalar_pool, VMAF_VECTOR_VERSIONS(pool)};
    return kTable.pick(isa);
}

} // namespace vmaf::cambi
#endif
