#include <algorithm>
#include <array>
#include <vector>

#include "equality/equality.hpp"
#include "metrics/adm/adm.hpp"
#include "metrics/adm/row_workload.hpp"
#include "metrics/adm/rows.hpp"
#include "metrics/adm/sweep.hpp"

namespace vmaf::adm {
namespace {

using equality::Call;
using equality::Registration;
using equality::Workload;

// Bounds of adm.md 3.12; pictures never have rows whose neighbours are all as large as kLargestMasked.
constexpr double kLargest0 = 22930, kLargestMasked = 18000, kLargest1 = 1.5e9, kLargest23 = 7.6e8;

// A plan whose options vary with the workload.
Plan some_plan(Workload &w, int width, int height) {
    static const OptionTexts settings[] = {
        {},
        {{"adm_csf_mode", "2"}, {"adm_enhn_gain_limit", "1"}},
        {{"adm_csf_mode", "3"}, {"adm_norm_view_dist", "5"}, {"adm_enhn_gain_limit", "1.2"}},
        {{"adm_norm_view_dist", "9"}, {"adm_enhn_gain_limit", "33.3"}},
    };
    const OptionTexts &texts = settings[w.height > 900 ? 0 : w.random()() % 4];
    const PictureFormat format = {PixelFormat::yuv400p, w.bits, unsigned(width), unsigned(height)};
    return make_plan(read_options(OptionValues("adm", adm_metric.options, texts)), format);
}
// For bands of a given width.
Plan some_band_plan(Workload &w) { return some_plan(w, 2 * w.width + 16, 64); }

template <class T> Call vertical0(Workload &w, Isa isa) {
    const PlaneView<T> plane = w.plane<T>();
    const int base = w.height > 900 ? 0 : int(w.random()() % unsigned((w.width + 1) / 2)) / 64 * 64;
    const int count = std::min(w.width + 2, 2 * base + 1027) - (2 * base - 1);
    std::int16_t *const low = work_row<std::int16_t>(w, count), *const high = work_row<std::int16_t>(w, count);
    std::int16_t *const out = w.output<std::int16_t>(2 * std::size_t(count));
    const bool with_high = w.random()() % 4 != 0;
    const Rows<T> rows = {plane.row(0), plane.row(1), plane.row(2), plane.row(3)};
    const RowFunctions &functions = rows_for(isa);
    const auto function = [&functions] {
        if constexpr (sizeof(T) == 1)
            return functions.vertical0_bytes;
        else
            return functions.vertical0_words;
    }();
    return [=, bits = int(w.bits), repeats = w.height > 900 ? w.height : 1, width = w.width] {
        for (int i = 0; i < repeats; i++)
            function(rows, width, bits, 2 * base - 1, count, low, with_high ? high : nullptr);
        std::copy(low, low + count, out);
        if (with_high)
            std::copy(high, high + count, out + count);
        else
            std::fill(out + count, out + 2 * count, std::int16_t(0));
    };
}
const Registration vertical0_equality({
    .name = "adm.vertical0",
    .prepare = [](Workload &w,
                  Isa isa) { return w.bits == 8 ? vertical0<std::uint8_t>(w, isa) : vertical0<std::uint16_t>(w, isa); },
    .min_width = 2,
    .min_height = 4,
    .depths = {8, 9, 10, 11, 12, 13, 14, 15, 16},
});

const Registration horizontal0_equality({
    .name = "adm.horizontal0",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto fill = [&](auto &random, int) { return coefficient(w.pattern, 27411, random); };
        const std::int16_t *const low = input_row<std::int16_t>(w, 2 * w.width + 2 + kRowMargin, fill);
        const std::int16_t *const high = input_row<std::int16_t>(w, 2 * w.width + 2 + kRowMargin, fill);
        std::int16_t *const approx = work_row<std::int16_t>(w, w.width + 1);
        const Bands<std::int16_t> details = work_bands<std::int16_t>(w, w.width);
        const RowRange range(w);
        std::int16_t *const out = w.output<std::int16_t>(std::size_t(w.width + 3 * range.size()));
        return [=, width = w.width, function = rows_for(isa).horizontal0] {
            for (int i = 0; i < range.repeats; i++) function(low, high, width, approx, range.from, range.to, details);
            std::copy(approx + 1, approx + 1 + width, out);
            copy_bands(details, range.from, range.to, out + width);
        };
    },
    .depths = {8},
});

template <class T> Call decouple(Workload &w, Isa isa, double largest) {
    const DetailRows<T> rows(w, w.width, largest);
    const double gain_limit = some_band_plan(w).options.enhn_gain_limit;
    const Bands<T> r = work_bands<T>(w, w.width), a = work_bands<T>(w, w.width);
    const RowRange range(w);
    T *const out = w.output<T>(6 * std::size_t(range.size()));
    const RowFunctions &functions = rows_for(isa);
    const auto function = [&functions] {
        if constexpr (sizeof(T) == 2)
            return functions.decouple0;
        else
            return functions.decouple;
    }();
    return [=] {
        for (int i = 0; i < range.repeats; i++) function(rows.o, rows.t, range.from, range.to, gain_limit, r, a);
        copy_bands(r, range.from, range.to, out);
        copy_bands(a, range.from, range.to, out + 3 * range.size());
    };
}
const Registration decouple0_equality({
    .name = "adm.decouple0",
    .prepare = [](Workload &w, Isa isa) { return decouple<std::int16_t>(w, isa, kLargest0); },
    .depths = {8},
});
const Registration decouple_equality({
    .name = "adm.decouple",
    .prepare = [](Workload &w, Isa isa) { return decouple<std::int32_t>(w, isa, kLargest1); },
    .depths = {8},
});

const Registration denominator0_equality({
    .name = "adm.denominator0",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto *o = input_row<std::int16_t>(
            w, w.width, [&](auto &random, int) { return coefficient(w.pattern, kLargest0, random); });
        const RowRange range(w);
        std::uint64_t *const sum = w.output<std::uint64_t>(1);
        return [=, function = rows_for(isa).denominator0] {
            for (int i = 0; i < range.repeats; i++) *sum = function(o, range.from, range.to);
        };
    },
    .depths = {8},
});
const Registration denominator_equality({
    .name = "adm.denominator",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const Plan plan = some_band_plan(w);
        const std::size_t scale = 1 + w.random()() % 3;
        const auto *o = input_row<std::int32_t>(w, w.width, [&](auto &random, int) {
            return coefficient(w.pattern, scale == 1 ? kLargest1 : kLargest23, random);
        });
        const RowRange range(w);
        std::uint64_t *const sum = w.output<std::uint64_t>(1);
        return [=, function = rows_for(isa).denominator] {
            for (int i = 0; i < range.repeats; i++) *sum = function(o, range.from, range.to, plan.scale[scale]);
        };
    },
    .depths = {8},
});

// Totals for functions with tiles, of a row of `width` columns.
class TotalsUnderTest {
  public:
    TotalsUnderTest(Workload &w, int width, int scale)
        : odd_(scale == 0 ? 0 : round_up(width / 2 + 1, kRowMargin)),
          length_(scale == 0 ? (width + 3) / kColumnsPerTotal0 : int(odd_) + width / 2),
          out_(w.output<std::int64_t>(kBands * std::size_t(length_))) {
        for (std::int64_t *&band : totals_) band = work_row<std::int64_t>(w, length_);
    }
    // For functions without tiles.
    TotalsUnderTest() = default;
    ColumnTotals cleared() const {
        for (std::int64_t *band : totals_) std::fill_n(band, length_, 0);
        return {totals_, odd_};
    }
    void copy_out() const {
        for (std::size_t b = 0; b < kBands; b++) std::copy_n(totals_[b], length_, out_ + b * std::size_t(length_));
    }

  private:
    std::ptrdiff_t odd_ = 0;
    int length_ = 0;
    std::int64_t *out_ = nullptr;
    std::array<std::int64_t *, kBands> totals_{};
};

const Registration tile_denominator0_equality({
    .name = "adm.tile_denominator0",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto *o = input_row<std::int16_t>(
            w, w.width, [&](auto &random, int) { return coefficient(w.pattern, kLargest0, random); });
        const RowRange range(w);
        const TotalsUnderTest totals(w, w.width, 0);
        std::uint64_t *const sum = w.output<std::uint64_t>(1);
        return [=, width = w.width, function = rows_for(isa).tile_denominator0] {
            for (int i = 0; i < range.repeats; i++)
                *sum = function(o, width, {range.from, range.to}, totals.cleared().at[0]);
            totals.copy_out();
        };
    },
    .depths = {8},
});
const Registration tile_denominator_equality({
    .name = "adm.tile_denominator",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const Plan plan = some_band_plan(w);
        const std::size_t scale = 1 + w.random()() % 3;
        const auto *o = input_row<std::int32_t>(w, w.width, [&](auto &random, int) {
            return coefficient(w.pattern, scale == 1 ? kLargest1 : kLargest23, random);
        });
        const RowRange range(w);
        const TotalsUnderTest totals(w, w.width, int(scale));
        std::uint64_t *const sum = w.output<std::uint64_t>(1);
        return [=, width = w.width, function = rows_for(isa).tile_denominator] {
            for (int i = 0; i < range.repeats; i++) {
                const ColumnTotals to = totals.cleared();
                *sum = function(o, width, {range.from, range.to}, plan.scale[scale], to.at[0], to.odd);
            }
            totals.copy_out();
        };
    },
    .depths = {8},
});

// Masks three rows and pools the middle one, with any kind of masks.
template <bool WithTiles> Call masked0(Workload &w, Isa isa) {
    const Plan plan = some_band_plan(w);
    const int width = w.width + 2;
    std::array<In<std::int16_t>, 3> y;
    In<std::int16_t> x;
    const auto fill = [&](auto &random, int) { return coefficient(w.pattern, kLargestMasked, random); };
    for (auto &row : y)
        for (auto &band : row) band = input_row<std::int16_t>(w, width, fill);
    for (auto &band : x) band = input_row<std::int16_t>(w, width, fill);
    std::array<NarrowMaskRow, 3> narrow;
    std::array<MaskRow, 3> wide;
    for (std::size_t i = 0; i < 3; i++) {
        narrow[i] = {work_row<std::int16_t>(w, width), work_row<std::int32_t>(w, width),
                     work_row<std::int32_t>(w, width)};
        wide[i] = {work_row<std::int32_t>(w, width), work_row<std::int32_t>(w, width)};
    }
    auto *const scratch = work_row<std::uint32_t>(w, 3 * (plan.scale[0].window.width + 2 * kRowMargin));
    const RowRange range(w);
    const TotalsUnderTest totals = WithTiles ? TotalsUnderTest(w, width, 0) : TotalsUnderTest();
    RowSums *const sums = w.output<RowSums>(1);
    return [=, functions = rows_for(isa)] {
        ScalePlan p = plan.scale[0];
        p.window.width = width;
        const auto pooled = [&](const auto &masks, auto *alone, auto *with_tiles) {
            for (const auto &mask : masks) fold_mask(mask.neighbour, {0, width}, width);
            const Range scored = {range.from + 1, range.to + 1};
            return WithTiles ? with_tiles(x, masks, scored, p, scratch, totals.cleared())
                             : alone(x, masks, scored, p, scratch);
        };
        for (int k = 0; k < range.repeats; k++) {
            for (std::size_t i = k ? 2 : 0; i < 3; i++)
                if (functions.narrow_mask0)
                    functions.narrow_mask0(y[i], 0, width, p, narrow[i]);
                else
                    functions.mask0(y[i], 0, width, p, wide[i]);
            *sums = functions.narrow_mask0 ? pooled(narrow, functions.narrow_pool0, functions.narrow_tile_pool0)
                                           : pooled(wide, functions.pool0, functions.tile_pool0);
        }
        totals.copy_out();
    };
}
const Registration masked0_equality({.name = "adm.mask0_pool0", .prepare = masked0<false>, .depths = {8}});
const Registration tile_masked0_equality({.name = "adm.mask0_tile_pool0", .prepare = masked0<true>, .depths = {8}});

template <bool WithTiles> Call masked(Workload &w, Isa isa) {
    const Plan plan = some_band_plan(w);
    const std::size_t scale = 1 + w.random()() % 3;
    const int width = w.width + 2;
    std::array<In<std::int32_t>, 3> y;
    std::array<Bands<std::int32_t>, 3> magnitude;
    std::array<MaskRow, 3> mask;
    for (std::size_t i = 0; i < 3; i++) {
        for (auto &band : y[i])
            band = input_row<std::int32_t>(w, width, [&](auto &random, int) {
                return coefficient(w.pattern, scale == 1 ? kLargest1 : kLargest23, random);
            });
        magnitude[i] = work_bands<std::int32_t>(w, width);
        mask[i] = {work_row<std::int32_t>(w, width), work_row<std::int32_t>(w, width)};
    }
    auto *const scratch = work_row<std::uint32_t>(w, 3 * (plan.scale[0].window.width + 2 * kRowMargin));
    const RowRange range(w);
    const TotalsUnderTest totals = WithTiles ? TotalsUnderTest(w, width, int(scale)) : TotalsUnderTest();
    RowSums *const sums = w.output<RowSums>(1);
    std::int32_t *const magnitude_out = w.output<std::int32_t>(3 * std::size_t(width));
    return [=, functions = rows_for(isa)] {
        ScalePlan p = plan.scale[scale];
        p.window.width = width;
        const Range scored = {range.from + 1, range.to + 1};
        for (int k = 0; k < range.repeats; k++) {
            for (std::size_t i = k ? 2 : 0; i < 3; i++) {
                functions.mask(y[i], 0, width, p, magnitude[i], mask[i]);
                fold_mask(mask[i].neighbour, {0, width}, width);
            }
            const In<std::int32_t> x = {magnitude[0][0], magnitude[2][1], magnitude[1][2]};
            *sums = WithTiles ? functions.tile_pool(x, mask, scored, p, scratch, totals.cleared())
                              : functions.pool(x, mask, scored, p, scratch);
        }
        copy_bands(magnitude[1], 0, width, magnitude_out);
        totals.copy_out();
    };
}
const Registration masked_equality({.name = "adm.mask_pool", .prepare = masked<false>, .depths = {8}});
const Registration tile_masked_equality({.name = "adm.mask_tile_pool", .prepare = masked<true>, .depths = {8}});

template <class T> Call vertical(Workload &w, Isa isa, double largest) {
    Rows<T> rows;
    for (auto &row : rows)
        row = input_row<T>(w, w.width, [&](auto &random, int) { return coefficient(w.pattern, largest, random); });
    std::int32_t *const low = work_row<std::int32_t>(w, w.width), *const high = work_row<std::int32_t>(w, w.width);
    const RowRange range(w);
    std::int32_t *const out = w.output<std::int32_t>(2 * std::size_t(range.size()));
    const RowFunctions &functions = rows_for(isa);
    const auto function = [&functions] {
        if constexpr (sizeof(T) == 2)
            return functions.vertical1;
        else
            return functions.vertical23;
    }();
    return [=] {
        for (int i = 0; i < range.repeats; i++) function(rows, range.from, range.to, low, high);
        std::copy(low + range.from, low + range.to, out);
        std::copy(high + range.from, high + range.to, out + range.size());
    };
}
const Registration vertical1_equality({
    .name = "adm.vertical1",
    .prepare = [](Workload &w, Isa isa) { return vertical<std::int16_t>(w, isa, kLargest0); },
    .depths = {8},
});
const Registration vertical23_equality({
    .name = "adm.vertical23",
    .prepare = [](Workload &w, Isa isa) { return vertical<std::int32_t>(w, isa, kLargest1); },
    .depths = {8},
});

const Registration horizontal_equality({
    .name = "adm.horizontal",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const int shift = w.random()() % 2 ? 15 : 16;
        const auto fill = [&](auto &random, int) { return coefficient(w.pattern, shift == 16 ? 9e8 : 6e8, random); };
        const std::int32_t *const low = input_row<std::int32_t>(w, 2 * w.width + 2 + kRowMargin, fill);
        const std::int32_t *const high = input_row<std::int32_t>(w, 2 * w.width + 2 + kRowMargin, fill);
        std::int32_t *const approx = work_row<std::int32_t>(w, w.width + 1);
        const Bands<std::int32_t> details = work_bands<std::int32_t>(w, w.width);
        const RowRange a(w), range(w);
        std::int32_t *const out = w.output<std::int32_t>(std::size_t(a.size() + 3 * range.size()));
        return [=, function = rows_for(isa).horizontal] {
            for (int i = 0; i < range.repeats; i++)
                function(low, high, shift, a.from, a.to, approx, range.from, range.to, details);
            std::copy(approx + 1 + a.from, approx + 1 + a.to, out);
            copy_bands(details, range.from, range.to, out + a.size());
        };
    },
    .depths = {8},
});

// Whole pictures, with every option that affects the work on pixels.
template <class T> Call frame(Workload &w, Isa isa) {
    const PlaneView<T> ref = w.plane<T>(), dist = w.plane<T>();
    using Family = std::array<Plan, 2>;
    const auto plans =
        std::make_shared<const Family>(Family{some_plan(w, w.width, w.height), some_plan(w, w.width, w.height)});
    const Plan *const variants[] = {&(*plans)[0], &(*plans)[1]};
    const auto sweep = std::make_shared<Sweep>(variants, rows_for(isa));
    std::int64_t *const out = w.output<std::int64_t>(2 * 3 * kScales * kBands);
    return [=, keep = plans] { // the sweep only refers to its plans
        std::array<FrameSums, 2> sums{};
        sweep->run(ref, dist, std::span<FrameSums>(sums));
        std::memcpy(out, sums.data(), sizeof sums);
    };
}
const Registration frame_equality({
    .name = "adm.frame",
    .prepare = [](Workload &w,
                  Isa isa) { return w.bits == 8 ? frame<std::uint8_t>(w, isa) : frame<std::uint16_t>(w, isa); },
    .min_width = kSmallestSide,
    .min_height = kSmallestSide,
});

} // namespace
} // namespace vmaf::adm
