#include "metrics/adm/sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace vmaf::adm {

namespace {

constexpr int kPiece = 512; // band columns of scale 0 that pass through all stages together, to stay in the L1 cache

// One component (restored or additive) of a row whose neighbours are not complete yet.
struct Component0 {
    std::array<Row<std::int16_t>, kBands> values;
    Row<std::int16_t> narrow_neighbour;
    Row<std::int32_t> neighbour, centre, centre_odd;

    Component0(int width, bool narrow) {
        for (auto &v : values) v = Row<std::int16_t>(width);
        if (narrow) {
            narrow_neighbour = Row<std::int16_t>(width);
            centre = Row<std::int32_t>(width / 2 + 1), centre_odd = Row<std::int32_t>(width / 2 + 1);
        } else {
            neighbour = Row<std::int32_t>(width), centre = Row<std::int32_t>(width);
        }
    }
    NarrowMaskRow narrow_mask() { return {narrow_neighbour.get(), centre.get(), centre_odd.get()}; }
    MaskRow mask() { return {neighbour.get(), centre.get()}; }
};

struct Component {
    std::array<Row<std::int32_t>, kBands> magnitude;
    Row<std::int32_t> neighbour, centre;

    explicit Component(int width) : neighbour(width), centre(width) {
        for (auto &m : magnitude) m = Row<std::int32_t>(width);
    }
    MaskRow mask() { return {neighbour.get(), centre.get()}; }
};

// Kept details come from memory, earlier than hardware prefetching would request them.
template <class T> void prefetch_bands(const Bands<T> &bands, int from, int to) {
    constexpr int line = 64 / int(sizeof(T));
    for (const T *band : bands)
        for (int x = from; x < to; x += line) __builtin_prefetch(band + x);
}

// What one variant computes from the details of a scale: components, masks and sums. Rows of `components` are pooled
// once the row below has masks.
template <class Component> struct LateHalf {
    const ScalePlan &plan;
    const std::size_t variant; // owner of these sums
    const double gain_limit;
    const bool with_aim;
    std::vector<std::array<Component, 2>> ring; // [row mod 3][restored, additive]
    Row<std::uint32_t> scratch;

    LateHalf(const Plan &p, int scale, std::size_t v)
        : plan(p.scale[std::size_t(scale)]), variant(v), gain_limit(p.options.enhn_gain_limit),
          with_aim(!p.options.skip_aim), scratch(3 * (plan.window.width + 2 * kRowMargin)) {}

    std::array<Component, 2> &slot(int row) { return ring[std::size_t(row % 3)]; }

    // Row `row` has its masks: pools the row above it, and itself if it is the last.
    template <class Pool> void pool_behind(int row, Range pooled, ScaleTiles &tiles, ScaleSums &sums, Pool pool) {
        for (const int done : {row - 1, row}) {
            if (!pooled.has(done) || (done == row && row != plan.window.height - 1)) continue;
            for (std::size_t c = 0; c < (with_aim ? 2u : 1u); c++) {
                const std::array<int, 3> rows = mask_rows(done, plan.window.height);
                const RowSums row_sums = row_of(rows, c, tiles, pool);
                if (done < plan.window.top || done >= plan.window.bottom) continue;
                auto &total = c == 0 ? sums.num : sums.aim;
                for (std::size_t b = 0; b < kBands; b++)
                    total[b] += (row_sums[b] + half_of(plan.num_row_shift)) >> plan.num_row_shift;
            }
        }
    }

    // What the frame counts of a row; tiles get all of it.
    template <class Pool>
    RowSums row_of(const std::array<int, 3> &rows, std::size_t component, ScaleTiles &tiles, Pool pool) {
        if (!tiles.wanted()) return pool(rows, component, nullptr);
        const ColumnTotals totals = tiles.row(rows[1], component == 0 ? ScaleTiles::kNum : ScaleTiles::kAim);
        return pool(rows, component, &totals);
    }
    Range scored_columns() const { return {plan.window.left, plan.window.right}; }
};

template <class T> using DetailRows = std::array<std::array<Row<T>, kBands>, 2>; // [picture][band]
template <class T> using DetailInputs = std::array<In<T>, 2>;

template <class T> In<T> inputs(const Bands<T> &bands, int at) { return {bands[0] + at, bands[1] + at, bands[2] + at}; }

template <class T> void copy_bands(const In<T> &from, const Bands<T> &to, int first, int end) {
    for (std::size_t b = 0; b < kBands; b++) std::copy(from[b] + first, from[b] + end, to[b] + first);
}

// Shared by all gain limits (RowFunctions::restore).
template <class T> struct Restored {
    std::array<Row<T>, kBands> magnitude;
    Row<T> same_angle;

    explicit Restored(int length) : same_angle(length) {
        for (auto &row : magnitude) row = Row<T>(length);
    }
};

class FirstLate : public LateHalf<Component0> {
  public:
    FirstLate(const Plan &p, std::size_t v, const RowFunctions &f)
        : LateHalf(p, 0, v), functions_(f), narrow_(f.narrow_mask0 && fits_narrow(plan)) {
        for (int i = 0; i < 3; i++)
            ring.push_back({Component0(plan.window.width, narrow_), Component0(plan.window.width, narrow_)});
    }

    // Columns [from, to) of a piece that begins at column `base`. `restored` is null unless another half needs it.
    void add_piece(const DetailInputs<std::int16_t> &details, Restored<std::int16_t> *restored, int row, int base,
                   int from, int to) {
        auto &components = slot(row);
        const Bands<std::int16_t> r = pointers(components[0].values, base), a = pointers(components[1].values, base);
        if (restored)
            functions_.limit0(details[0], details[1], inputs(restored->magnitude), restored->same_angle.get(), from, to,
                              gain_limit, r, a);
        else
            functions_.decouple0(details[0], details[1], from, to, gain_limit, r, a);
        for (Component0 &c : components)
            if (narrow_)
                functions_.narrow_mask0(inputs(c.values, base), from, to, plan, c.narrow_mask().at(base));
            else
                functions_.mask0(inputs(c.values), base + from, base + to, plan, c.mask());
    }

    void finish_row(int row, const Share &share, ScaleTiles &tiles, ScaleSums &sums) {
        for (Component0 &c : slot(row)) {
            if (narrow_)
                fold_mask(c.narrow_neighbour.get(), share.detail_columns, plan.window.width);
            else
                fold_mask(c.neighbour.get(), share.detail_columns, plan.window.width);
        }
        const auto pool = [&](const std::array<int, 3> &rows, std::size_t x, const ColumnTotals *totals) {
            const std::size_t y = x ^ 1;
            const In<std::int16_t> signal = inputs(slot(rows[1])[x].values);
            const auto pooled = [&](const auto &masks, auto *alone, auto *with_tiles) {
                if (totals) return with_tiles(signal, masks, scored_columns(), plan, scratch.get(), *totals);
                return alone(signal, masks, scored_columns(), plan, scratch.get());
            };
            if (narrow_)
                return pooled(std::array{slot(rows[0])[y].narrow_mask(), slot(rows[1])[y].narrow_mask(),
                                         slot(rows[2])[y].narrow_mask()},
                              functions_.narrow_pool0, functions_.narrow_tile_pool0);
            return pooled(std::array{slot(rows[0])[y].mask(), slot(rows[1])[y].mask(), slot(rows[2])[y].mask()},
                          functions_.pool0, functions_.tile_pool0);
        };
        pool_behind(row, share.pooled, tiles, sums, pool);
    }

  private:
    const RowFunctions &functions_;
    const bool narrow_;
};

class LaterLate : public LateHalf<Component> {
  public:
    LaterLate(const Plan &p, int scale, std::size_t v, const RowFunctions &f)
        : LateHalf(p, scale, v), functions_(f), masks_(fits_vector(plan, scale) ? f : scalar_rows()) {
        const int width = plan.window.width;
        for (int i = 0; i < 3; i++) ring.push_back({Component(width), Component(width)});
    }

    // `split` is scratch memory for the components.
    void add_row(const DetailInputs<std::int32_t> &details, Restored<std::int32_t> *restored,
                 DetailRows<std::int32_t> &split, int row, const Share &share, ScaleTiles &tiles, ScaleSums &sums) {
        const Range columns = share.detail_columns;
        if (restored)
            functions_.limit(details[0], details[1], inputs(restored->magnitude), restored->same_angle.get(),
                             columns.from, columns.to, gain_limit, pointers(split[0]), pointers(split[1]));
        else
            functions_.decouple(details[0], details[1], columns.from, columns.to, gain_limit, pointers(split[0]),
                                pointers(split[1]));
        auto &components = slot(row);
        for (std::size_t c = 0; c < 2; c++) {
            masks_.mask(inputs(split[c]), columns.from, columns.to, plan, pointers(components[c].magnitude),
                        components[c].mask());
            fold_mask(components[c].neighbour.get(), columns, plan.window.width);
        }
        const auto pool = [&](const std::array<int, 3> &rows, std::size_t x, const ColumnTotals *totals) {
            const std::size_t y = x ^ 1;
            const In<std::int32_t> signal = inputs(slot(rows[1])[x].magnitude);
            const std::array masks = {slot(rows[0])[y].mask(), slot(rows[1])[y].mask(), slot(rows[2])[y].mask()};
            if (totals) return masks_.tile_pool(signal, masks, scored_columns(), plan, scratch.get(), *totals);
            return masks_.pool(signal, masks, scored_columns(), plan, scratch.get());
        };
        pool_behind(row, share.pooled, tiles, sums, pool);
    }

  private:
    const RowFunctions &functions_;
    const RowFunctions &masks_; // scalar code if the weights are too large for vectors
};

// State of every scale: the wavelet, which does not depend on the variant, and the late halves. Geometry and the
// denominator's shifts are those of any plan.
template <class Coefficient, class Late> struct Level {
    const ScalePlan &plan;
    const Share share;
    const RowFunctions &functions;
    std::array<std::array<Row<Coefficient>, 4>, 2> approx; // [picture][row mod 4], element j is column j-1
    DetailRows<Coefficient> details;                       // of the current row (scale 0: piece)
    std::vector<Late> lates;
    ScaleTiles tiles;                              // of the only variant
    std::optional<Restored<Coefficient>> restored; // made once if there are several late halves
    WaveletUse reference;
    bool is_first = true, is_last = true; // position of the share in the picture

    void share_restored(int detail_length) {
        if (lates.size() > 1) restored.emplace(detail_length);
    }
    Restored<Coefficient> *shared_restored() { return restored ? &*restored : nullptr; }

    Level(const ScalePlan &p, const Share &s, const RowFunctions &f, int detail_length)
        : plan(p), share(s), functions(f) {
        for (auto &picture : approx)
            for (auto &row : picture) row = Row<Coefficient>(p.window.width + 3);
        for (auto &picture : details)
            for (auto &row : picture) row = Row<Coefficient>(detail_length);
    }

    // The first picture whose wavelets must be made.
    std::size_t first_picture() const { return reference.are_made ? 1 : 0; }
    // Rows around the pooled ones belong to several shares, one of which skips them.
    bool leaves(int row) const {
        if (!reference.wavelets || reference.are_made) return false;
        return share.pooled.has(row) || (is_first && row < share.pooled.from) || (is_last && row >= share.pooled.to);
    }

    Rows<Coefficient> input_of(int picture, int out_row) { // for the next scale
        const int height = plan.window.height;
        Rows<Coefficient> rows;
        for (int k = 0; k < 4; k++) {
            const int folded = fold(2 * out_row - 1 + k, height);
            rows[std::size_t(k)] = approx[std::size_t(picture)][std::size_t(folded & 3)].get();
        }
        return rows;
    }

    // Starts the denominators of a row.
    void begin_denominators(int row) {
        denominators_ = {};
        if (tiles.wanted()) totals_ = tiles.row(row, ScaleTiles::kDen);
    }

    // For columns base ... base + count - 1; `sum` receives the scored ones, counted from `base`, and the band's totals
    // or null.
    template <class Sum> void add_denominators(int base, int count, const Sum &sum) {
        const Range scored = {std::clamp(plan.window.left - base, 0, count),
                              std::clamp(plan.window.right - base, 0, count)};
        for (std::size_t b = 0; b < kBands; b++)
            denominators_[b] += sum(b, scored, tiles.wanted() ? totals_.at[b] : nullptr);
    }
    std::ptrdiff_t odd_totals() const { return totals_.odd; }

    void end_denominators(int row, std::size_t scale, std::span<FrameSums> sums) {
        if (row < plan.window.top || row >= plan.window.bottom) return;
        for (std::size_t b = 0; b < kBands; b++) {
            const std::uint64_t den =
                (denominators_[b] + std::uint64_t(half_of(plan.den_row_shift))) >> plan.den_row_shift;
            for (const Late &late : lates) sums[late.variant][scale].den[b] += den;
        }
    }

  private:
    std::array<std::uint64_t, kBands> denominators_{}; // of a row
    ColumnTotals totals_{};                            // with tiles
};

class FirstScale : public Level<std::int16_t, FirstLate> {
  public:
    FirstScale(Variants variants, const Share &s, const RowFunctions &f)
        : Level(variants[0]->scale[0], s, f, kPiece), bits_(variants[0]->bits) {
        for (std::size_t v = 0; v < variants.size(); v++)
            if (!variants[v]->options.skip_scale0) lates.emplace_back(*variants[v], v, f);
        share_restored(kPiece);
        for (auto &line : low_) line = Row<std::int16_t>(2 * kPiece + 2);
        for (auto &line : high_) line = Row<std::int16_t>(2 * kPiece + 2);
    }

    template <class T> void make_row(const std::array<PlaneView<T>, 2> &pictures, int row, std::span<FrameSums> sums) {
        const Window &w = plan.window;
        std::array<Rows<T>, 2> rows;
        for (std::size_t p = 0; p < 2; p++)
            for (int k = 0; k < 4; k++) {
                rows[p][std::size_t(k)] = pictures[p].row(fold(2 * row - 1 + k, w.in_height));
            }
        const bool details = share.detail_rows.has(row);
        const Range columns = details ? share.columns() : share.approx_columns;
        const bool with_denominators = share.pooled.has(row) && !reference.are_made;
        if (with_denominators) begin_denominators(row);
        for (int base = columns.from / kRowMargin * kRowMargin; base < columns.to; base += kPiece)
            make_piece(rows, row, base, std::min(kPiece, columns.to - base), details);
        for (std::size_t p = first_picture(); p < 2; p++) fold_approx(approx[p][std::size_t(row & 3)].get(), w.width);
        if (!details) return;
        if (with_denominators) end_denominators(row, 0, sums);
        for (FirstLate &late : lates) late.finish_row(row, share, tiles, sums[late.variant][0]);
    }

  private:
    template <class T>
    void make_piece(const std::array<Rows<T>, 2> &rows, int row, int base, int count, bool with_details) {
        const Window &w = plan.window;
        const int from = std::clamp(share.detail_columns.from - base, 0, count);
        const int to = with_details ? std::clamp(share.detail_columns.to - base, 0, count) : from;
        const auto vertical = [&] {
            if constexpr (sizeof(T) == 1)
                return functions.vertical0_bytes;
            else
                return functions.vertical0_words;
        }();
        for (std::size_t p = first_picture(); p < 2; p++) {
            std::int16_t *high = from < to ? high_[p].get() : nullptr;
            vertical(rows[p], w.in_width, bits_, 2 * base - 1, 2 * count + 2, low_[p].get(), high);
            functions.horizontal0(low_[p].get(), high, count, approx[p][std::size_t(row & 3)].get() + base, from, to,
                                  pointers(details[p]));
        }
        if (from >= to) return;
        DetailInputs<std::int16_t> both = {inputs(details[0]), inputs(details[1])};
        if (reference.are_made) {
            both[0] = inputs(reference.wavelets->first_row(row), base);
            if (share.detail_rows.has(row + 1))
                prefetch_bands(reference.wavelets->first_row(row + 1), base + from, base + to);
        }
        if (leaves(row)) {
            const Bands<std::int16_t> kept = reference.wavelets->first_row(row);
            copy_bands(both[0], {kept[0] + base, kept[1] + base, kept[2] + base}, from, to);
        }
        if (restored)
            functions.restore0(both[0], both[1], from, to, pointers(restored->magnitude), restored->same_angle.get());
        for (FirstLate &late : lates) late.add_piece(both, shared_restored(), row, base, from, to);
        if (!share.pooled.has(row) || reference.are_made) return;
        add_denominators(base, count, [&](std::size_t b, Range scored, std::int64_t *totals) {
            const std::int16_t *o = details[0][b].get();
            if (!totals) return functions.denominator0(o, scored.from, scored.to);
            return functions.tile_denominator0(o, count, scored, totals + base / kColumnsPerTotal0);
        });
    }

    const int bits_;
    std::array<Row<std::int16_t>, 2> low_, high_; // vertical pass of a piece
};

class LaterScale : public Level<std::int32_t, LaterLate> {
  public:
    LaterScale(Variants variants, int index, const Share &s, const RowFunctions &f)
        : Level(variants[0]->scale[std::size_t(index)], s, f, variants[0]->scale[std::size_t(index)].window.width),
          index_(index) {
        for (std::size_t v = 0; v < variants.size(); v++) lates.emplace_back(*variants[v], index, v, f);
        share_restored(plan.window.width);
        for (auto &component : split_)
            for (auto &row : component) row = Row<std::int32_t>(plan.window.width);
        low_ = Row<std::int32_t>(plan.window.in_width + 3), high_ = Row<std::int32_t>(plan.window.in_width + 3);
    }

    template <class Before> void make_row(Before &before, int row, std::span<FrameSums> sums) {
        const Window &w = plan.window;
        const bool with_details = share.detail_rows.has(row), with_approx = share.approx_rows.has(row);
        const Range columns = with_details ? share.columns() : share.approx_columns;
        const int from = 2 * columns.from, to = 2 * columns.to + 2; // elements of the lines, one column late
        std::int32_t *high = with_details ? high_.get() : nullptr;
        for (int p = int(first_picture()); p < 2; p++) {
            const auto input = before.input_of(p, row);
            if constexpr (std::is_same_v<Before, FirstScale>)
                functions.vertical1(input, from, to, low_.get(), high);
            else
                functions.vertical23(input, from, to, low_.get(), high);
            std::int32_t *a = with_approx ? approx[std::size_t(p)][std::size_t(row & 3)].get() : nullptr;
            functions.horizontal(low_.get(), high, index_ == 2 ? 16 : 15, share.approx_columns.from,
                                 share.approx_columns.to, a, share.detail_columns.from, share.detail_columns.to,
                                 pointers(details[std::size_t(p)]));
            if (a) fold_approx(a, w.width);
        }
        if (with_details) score_row(row, sums);
    }

  private:
    void score_row(int row, std::span<FrameSums> sums) {
        const auto scale = std::size_t(index_);
        const Range columns = share.detail_columns;
        DetailInputs<std::int32_t> both = {inputs(details[0]), inputs(details[1])};
        if (reference.are_made) {
            both[0] = inputs(reference.wavelets->later_row(scale, row), 0);
            if (share.detail_rows.has(row + 1))
                prefetch_bands(reference.wavelets->later_row(scale, row + 1), columns.from, columns.to);
        }
        if (leaves(row)) copy_bands(both[0], reference.wavelets->later_row(scale, row), columns.from, columns.to);
        if (share.pooled.has(row) && !reference.are_made) {
            begin_denominators(row);
            const int w = plan.window.width;
            add_denominators(0, w, [&](std::size_t b, Range scored, std::int64_t *totals) {
                const std::int32_t *o = details[0][b].get();
                if (!totals) return functions.denominator(o, scored.from, scored.to, plan);
                return functions.tile_denominator(o, w, scored, plan, totals, odd_totals());
            });
            end_denominators(row, scale, sums);
        }
        if (restored)
            functions.restore(both[0], both[1], columns.from, columns.to, pointers(restored->magnitude),
                              restored->same_angle.get());
        for (LaterLate &late : lates)
            late.add_row(both, shared_restored(), split_, row, share, tiles, sums[late.variant][scale]);
    }

    const int index_;
    DetailRows<std::int32_t> split_; // restored, additive
    Row<std::int32_t> low_, high_;
};

} // namespace

class Sweep::Impl {
  public:
    Impl(Variants variants, const RowFunctions &f, const std::array<Share, kScales> &shares, bool is_first,
         bool is_last)
        : first_(variants, shares[0], f), second_(variants, 1, shares[1], f), third_(variants, 2, shares[2], f),
          fourth_(variants, 3, shares[3], f) {
        for_each_level([&](auto &level) { level.is_first = is_first, level.is_last = is_last; });
    }

    void begin_tiles(const TileGrid &grid, std::span<Tile> tiles) {
        int scale = 0;
        for_each_level([&](auto &level) { level.tiles.begin(grid, level.plan, scale++, tiles); });
    }

    template <class T>
    void run(const std::array<PlaneView<T>, 2> &pictures, std::span<FrameSums> sums, const WaveletUse &reference) {
        for_each_level([&](auto &level) { level.reference = reference; });
        const Range rows = first_.share.rows();
        for (int row = rows.from; row < rows.to; row++) {
            first_.make_row(pictures, row, sums);
            hand_on<1>(first_, second_, row, sums);
        }
        for_each_level([&](auto &level) { level.tiles.end(); });
    }

  private:
    template <class F> void for_each_level(F &&function) {
        function(first_), function(second_), function(third_), function(fourth_);
    }

    // Row `row` of a scale is complete: makes the rows of the next scale that it completes.
    template <std::size_t Index, class Before>
    void hand_on(Before &before, LaterScale &next, int row, std::span<FrameSums> sums) {
        const int height = before.plan.window.height;
        if (row >= 2 && row % 2 == 0) make<Index>(before, next, row / 2 - 1, sums);
        if (row == height - 1) make<Index>(before, next, (height - 1) / 2, sums);
    }

    template <std::size_t Index, class Before>
    void make(Before &before, LaterScale &next, int row, std::span<FrameSums> sums) {
        if (!next.share.rows().has(row)) return;
        next.make_row(before, row, sums);
        if constexpr (Index == 1) hand_on<2>(next, third_, row, sums);
        if constexpr (Index == 2) hand_on<3>(next, fourth_, row, sums);
    }

    FirstScale first_;
    LaterScale second_, third_, fourth_;
};

Sweep::Sweep(Variants variants, const RowFunctions &functions, int part, int parts, bool with_tiles) {
    const bool skip_scale0 =
        std::all_of(variants.begin(), variants.end(), [](const Plan *variant) { return variant->options.skip_scale0; });
    impl_ = std::make_unique<Impl>(
        variants, functions,
        make_shares(scale_windows(variants[0]->width, variants[0]->height), skip_scale0, part, parts, with_tiles),
        part == 0, part + 1 == parts);
}
Sweep::~Sweep() = default;
Sweep::Sweep(Sweep &&) noexcept = default;

void Sweep::begin_tiles(const TileGrid &grid, std::span<Tile> tiles) { impl_->begin_tiles(grid, tiles); }

template <class T>
void Sweep::run(const PlaneView<T> &ref, const PlaneView<T> &dist, std::span<FrameSums> sums,
                const WaveletUse &reference) {
    impl_->run<T>({ref, dist}, sums, reference);
}
template void Sweep::run(const PlaneView<std::uint8_t> &, const PlaneView<std::uint8_t> &, std::span<FrameSums>,
                         const WaveletUse &);
template void Sweep::run(const PlaneView<std::uint16_t> &, const PlaneView<std::uint16_t> &, std::span<FrameSums>,
                         const WaveletUse &);

} // namespace vmaf::adm
