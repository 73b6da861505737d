#include "metrics/adm/float_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "metrics/common/float_plane.hpp"

namespace vmaf::adm {

namespace {

using BandRows = std::array<Row<float>, kBands>;

BandRows band_rows(int width) { return {Row<float>(width), Row<float>(width), Row<float>(width)}; }

// The last four rows of band A, or of the picture, for both pictures; stored one column late.
struct Lines {
    std::array<std::array<Row<float>, 4>, 2> rows; // [picture][row mod 4]

    explicit Lines(int width) {
        for (auto &picture : rows)
            for (auto &row : picture) row = Row<float>(width + 3);
    }
    float *at(std::size_t picture, int row) { return rows[picture][std::size_t(row & 3)].get(); }
    Rows<float> input_of(std::size_t picture, int out_row, int height) {
        Rows<float> input;
        for (int k = 0; k < 4; k++) input[std::size_t(k)] = at(picture, fold(2 * out_row - 1 + k, height));
        return input;
    }
};

// One component (restored or additive) of a row whose neighbours are not complete yet.
struct Component {
    BandRows magnitude, neighbour;

    explicit Component(int width) : magnitude(band_rows(width)), neighbour(band_rows(width)) {}
    FloatMask mask() { return {inputs(magnitude), inputs(neighbour)}; }
};

class Level {
  public:
    Level(const FloatPlan &plan, const Window &window, const Share &share, int scale, const FloatRowFunctions &f)
        : approx(window.width), share_(share), plan_(plan), window_(window), factor_(plan.factor[std::size_t(scale)]),
          functions_(f), low_(window.in_width + 3), high_(window.in_width + 3), values_(band_rows(window.width)),
          terms_(window.width) {
        for (auto &d : details_) d = band_rows(window.width);
        for (auto &part : split_) part = band_rows(window.width);
        for (int i = 0; i < 3; i++) ring_.push_back({Component(window.width), Component(window.width)});
    }

    Lines approx; // for the next scale

    const Window &window() const { return window_; }
    const Share &share() const { return share_; }

    void make_row(Lines &before, int row, FloatRowSums &sums, RealTiles *tiles) {
        tiles_ = tiles;
        const bool with_details = share_.detail_rows.has(row), with_approx = share_.approx_rows.has(row);
        const Range columns = with_details ? share_.columns() : share_.approx_columns;
        const int from = 2 * columns.from, to = 2 * columns.to + 2; // elements of the lines, one column late
        float *high = with_details ? high_.get() : nullptr;
        for (std::size_t p = 0; p < 2; p++) {
            functions_.vertical(before.input_of(p, row, window_.in_height), from, to, low_.get(), high);
            float *a = with_approx ? approx.at(p, row) : nullptr;
            functions_.horizontal(low_.get(), high, share_.approx_columns.from, share_.approx_columns.to, a,
                                  share_.detail_columns.from, share_.detail_columns.to, pointers(details_[p]));
            if (a) fold_approx(a, window_.width);
        }
        if (with_details) score_row(row, sums);
    }

  private:
    std::array<Component, 2> &slot(int row) { return ring_[std::size_t(row % 3)]; }

    void score_row(int row, FloatRowSums &sums) {
        const Range columns = share_.detail_columns;
        functions_.decouple(inputs(details_[0]), inputs(details_[1]), columns.from, columns.to, plan_.gain_limit,
                            pointers(split_[0]), pointers(split_[1]));
        auto &components = slot(row);
        for (std::size_t c = 0; c < 2; c++) {
            functions_.magnitudes(inputs(split_[c]), factor_, columns.from, columns.to,
                                  pointers(components[c].magnitude));
            if (plan_.bypass_masking) continue;
            functions_.neighbours(inputs(components[c].magnitude), columns.from, columns.to,
                                  pointers(components[c].neighbour));
            for (Row<float> &band : components[c].neighbour) fold_mask(band.get(), columns, window_.width);
        }
        if (share_.pooled.has(row)) {
            const Range valued = valued_columns();
            functions_.magnitudes(inputs(details_[0]), factor_, valued.from, valued.to, pointers(values_));
            sums.den[std::size_t(row)] = power_sums(row, 0);
        }
        // The row above now has all its neighbours, and so does the last row.
        for (const int done : {row - 1, row}) {
            if (!share_.pooled.has(done) || (done == row && row != window_.height - 1)) continue;
            sums.num[std::size_t(done)] = pool(done, 0);
            sums.aim[std::size_t(done)] = pool(done, 1);
        }
    }

    // The sums of component x masked by the other one.
    FloatRowSums::PerBand pool(int row, std::size_t x) {
        const std::array<int, 3> rows = mask_rows(row, window_.height);
        BandRows &magnitude = slot(row)[x].magnitude;
        const Range valued = valued_columns();
        if (plan_.bypass_masking) {
            for (std::size_t b = 0; b < kBands; b++)
                std::copy(magnitude[b].get() + valued.from, magnitude[b].get() + valued.to,
                          values_[b].get() + valued.from);
        } else {
            const std::size_t y = x ^ 1;
            functions_.excess(inputs(magnitude),
                              {slot(rows[0])[y].mask(), slot(rows[1])[y].mask(), slot(rows[2])[y].mask()}, valued.from,
                              valued.to, pointers(values_));
        }
        return power_sums(row, 1 + x);
    }

    // Tiles use all columns.
    Range valued_columns() const { return tiles_ ? Range{0, window_.width} : Range{window_.left, window_.right}; }

    void add_tiles(int row, std::size_t kind) {
        const auto exponent = float(plan_.exponent);
        for (std::size_t b = 0; b < kBands; b++) {
            const float *const values = values_[b].get();
            float *const terms = terms_.get();
            for (int j = 0; j < window_.width; j++)
                terms[j] = plan_.exponent == 3.0 ? values[j] * values[j] * values[j] : std::pow(values[j], exponent);
            tiles_->add_row(row, terms, 2 * (kind * kBands + b));
        }
    }

    // Sums of the powers of values_, from left to right (4.6); `kind`: den, num, aim.
    FloatRowSums::PerBand power_sums(int row, std::size_t kind) {
        if (tiles_) add_tiles(row, kind);
        if (plan_.exponent == 3.0) return functions_.cube_sums(pointers(values_), window_.left, window_.right);
        FloatRowSums::PerBand sums{};
        const float exponent = float(plan_.exponent);
        for (std::size_t b = 0; b < kBands; b++)
            for (int j = window_.left; j < window_.right; j++) sums[b] += std::pow(values_[b].get()[j], exponent);
        return sums;
    }

    const Share share_;
    const FloatPlan &plan_;
    const Window window_;
    const std::array<float, kBands> factor_;
    const FloatRowFunctions &functions_;
    Row<float> low_, high_;                      // after the vertical pass
    std::array<BandRows, 2> details_;            // of the current row, [picture]
    std::array<BandRows, 2> split_;              // restored, additive
    std::vector<std::array<Component, 2>> ring_; // [row mod 3]
    BandRows values_;                            // to be pooled
    Row<float> terms_;                           // of tiles
    RealTiles *tiles_ = nullptr;
};

} // namespace

class FloatSweep::Impl {
  public:
    Impl(const FloatPlan &plan, const FloatRowFunctions &f, int part, int parts, bool with_tiles)
        : bits_(plan.bits), picture_(plan.width) {
        const auto windows = scale_windows(plan.width, plan.height);
        const auto shares = make_shares(windows, plan.skip_scale0, part, parts, with_tiles);
        for (int s = 0; s < kScales; s++)
            levels_.emplace_back(plan, windows[std::size_t(s)], shares[std::size_t(s)], s, f);
    }

    template <class T>
    void run(const std::array<PlaneView<T>, 2> &pictures, FloatFrameSums &sums, std::span<RealTiles> tiles) {
        tiles_ = tiles;
        const Range rows = levels_[0].share().rows();
        int ready = std::max(0, 2 * rows.from - 1); // picture rows from this one on are not converted yet
        for (int row = rows.from; row < rows.to; row++) {
            for (; ready < std::min(2 * row + 3, pictures[0].height); ready++)
                for (std::size_t p = 0; p < 2; p++) {
                    float *line = picture_.at(p, ready);
                    to_float_row(pictures[p].row(ready), pictures[p].width, unsigned(bits_), -128.0f, line + 1);
                    fold_approx(line, pictures[p].width);
                }
            make(0, picture_, row, sums);
        }
    }

  private:
    // Makes a row of a scale, and the rows of the next scale that it completes.
    void make(std::size_t scale, Lines &before, int row, FloatFrameSums &sums) {
        Level &level = levels_[scale];
        if (!level.share().rows().has(row)) return;
        level.make_row(before, row, sums[scale], tiles_.empty() ? nullptr : &tiles_[scale]);
        if (scale + 1 == kScales) return;
        const int height = level.window().height;
        if (row >= 2 && row % 2 == 0) make(scale + 1, level.approx, row / 2 - 1, sums);
        if (row == height - 1) make(scale + 1, level.approx, (height - 1) / 2, sums);
    }

    const int bits_;
    Lines picture_;
    std::vector<Level> levels_;
    std::span<RealTiles> tiles_; // of the current frame
};

FloatRowSums::PerBand total(const std::vector<FloatRowSums::PerBand> &rows, const Window &window) {
    FloatRowSums::PerBand sums{};
    for (int row = window.top; row < window.bottom; row++)
        for (std::size_t b = 0; b < kBands; b++) sums[b] += rows[std::size_t(row)][b];
    return sums;
}

float pooled(FloatRowSums::PerBand sums, double coefficients, double exponent, double noise_weight) {
    const auto root = [&](float sum) { return std::pow(sum, float(1.0 / exponent)); };
    const float noise = root(float(coefficients * noise_weight));
    for (float &value : sums) value = root(value) + noise;
    return (sums[0] + sums[1]) + sums[2];
}

void store_scale(std::size_t scale, const ScaleValues &values, FrameResult &result) {
    result.values[3 * scale] = double(values.num);
    result.values[3 * scale + 1] = double(values.den);
    result.values[3 * scale + 2] = double(values.aim);
}

FloatFrameSums make_float_sums(int width, int height) {
    FloatFrameSums sums;
    const auto windows = scale_windows(width, height);
    for (std::size_t s = 0; s < kScales; s++)
        for (auto *rows : {&sums[s].den, &sums[s].num, &sums[s].aim}) rows->resize(std::size_t(windows[s].height));
    return sums;
}

FloatSweep::FloatSweep(const FloatPlan &plan, const FloatRowFunctions &functions, int part, int parts, bool with_tiles)
    : impl_(std::make_unique<Impl>(plan, functions, part, parts, with_tiles)) {}
FloatSweep::~FloatSweep() = default;
FloatSweep::FloatSweep(FloatSweep &&) noexcept = default;

template <class T>
void FloatSweep::run(const PlaneView<T> &ref, const PlaneView<T> &dist, FloatFrameSums &sums,
                     std::span<RealTiles> tiles) {
    impl_->run<T>({ref, dist}, sums, tiles);
}
template void FloatSweep::run(const PlaneView<std::uint8_t> &, const PlaneView<std::uint8_t> &, FloatFrameSums &,
                              std::span<RealTiles>);
template void FloatSweep::run(const PlaneView<std::uint16_t> &, const PlaneView<std::uint16_t> &, FloatFrameSums &,
                              std::span<RealTiles>);

} // namespace vmaf::adm
