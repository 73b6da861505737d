#include "metrics/ssim/ssim_core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/plain_arithmetic.hpp"

namespace vmaf {

namespace {

constexpr int kBandRows = 32; // rows of a band if several threads share a frame
constexpr int kCarried = kSsimTaps - 1;
constexpr std::ptrdiff_t kRowFloats = kSsimChannels * kSsimStrip; // of a windowed row in a strip
constexpr int kSampleStride = kSsimStrip + 64;                    // a strip of samples
static_assert(kSsimGroup >= kCarried);

// 6.2: eleven products, each rounded to f32, added in f64 in ascending order.
void windowed_row(const std::array<const float *, kSsimTaps> &in, int columns, float *out) {
    constexpr auto &g = kSsimWindow;
    for (int x = 0; x < columns; x++) {
        double sum = in[0][x] * g[0];
        for (std::size_t k = 1; k < kSsimTaps; k++) sum += double(in[k][x] * g[k]);
        out[x] = float(sum);
    }
}

void windowed_along_row(const float *in, int columns, float *out) {
    std::array<const float *, kSsimTaps> shifted;
    for (std::size_t k = 0; k < kSsimTaps; k++) shifted[k] = in + k;
    windowed_row(shifted, columns, out);
}

void horizontal(const float *a, const float *b, int columns, const SsimRow &out, float *scratch) {
    const int width = columns + kSsimTaps - 1;
    windowed_along_row(a, columns, out[0]);
    windowed_along_row(b, columns, out[1]);
    for (int x = 0; x < width; x++) scratch[x] = a[x] * a[x];
    windowed_along_row(scratch, columns, out[2]);
    for (int x = 0; x < width; x++) scratch[x] = b[x] * b[x];
    windowed_along_row(scratch, columns, out[3]);
    for (int x = 0; x < width; x++) scratch[x] = a[x] * b[x];
    windowed_along_row(scratch, columns, out[4]);
}

// 6.3, 6.4: the mixture of f32 and f64 is that of the specification.
void terms_of_row(const SsimRow &windowed, int columns, const SsimTermRow &terms) {
    const auto &[mean_a, mean_b, square_a, square_b, product] = windowed;
    for (int x = 0; x < columns; x++) {
        const kernels::SsimPosition<PlainArithmetic> position(mean_a[x], mean_b[x], square_a[x], square_b[x],
                                                              product[x], terms.luminance != nullptr);
        terms.contrast[x] = position.contrast;
        terms.structure[x] = position.structure;
        if (!terms.luminance) continue;
        terms.luminance[x] = position.luminance;
        if (terms.ssim) terms.ssim[x] = position.ssim();
    }
}

void vertical(const SsimRow *rows, int columns, int count, const SsimTermRow *terms, SsimAdder &, float *scratch) {
    SsimRow windowed;
    for (std::size_t c = 0; c < kSsimChannels; c++) windowed[c] = scratch + std::ptrdiff_t(c) * round_up(columns, 16);
    for (int i = 0; i < count; i++) {
        for (std::size_t c = 0; c < kSsimChannels; c++) {
            std::array<const float *, kSsimTaps> in;
            for (std::size_t k = 0; k < kSsimTaps; k++) in[k] = rows[std::size_t(i) + k][c];
            windowed_row(in, columns, windowed[c]);
        }
        terms_of_row(windowed, columns, terms[i]);
    }
}

SsimRow strip_row(float *rows, int i) {
    SsimRow row;
    for (std::size_t c = 0; c < kSsimChannels; c++) row[c] = rows + i * kRowFloats + std::ptrdiff_t(c) * kSsimStrip;
    return row;
}

SsimTermRow from_column(const SsimTermRow &row, int x) {
    return {row.ssim ? row.ssim + x : nullptr, row.luminance ? row.luminance + x : nullptr, row.contrast + x,
            row.structure + x};
}

} // namespace

const SsimFunctions ssim_scalar = {horizontal, vertical};

RealTiles::Axis ssim_tile_axis(int samples, int factor) {
    return {std::max(samples - kSsimTaps + 1, 0), factor, 1, kSsimTaps / 2 * factor};
}

SsimCore::Worker::Worker(int width, int rows)
    : stride(round_up(width, 16)),
      carried(std::size_t(round_up(width, kSsimStrip) / kSsimStrip * kCarried * kRowFloats)),
      windowed(std::size_t(kSsimGroup * kRowFloats)), samples(2 * std::size_t(kSampleStride)),
      scratch(SsimFunctions::scratch_size(kSsimStrip)), structure(std::size_t(rows) * std::size_t(stride)),
      ssim(structure.size()), luminance(structure.size()), contrast(structure.size()) {}

SsimTermRow SsimCore::Worker::term_row(int i, SsimWanted wanted) {
    const std::ptrdiff_t at = i * stride;
    return {wanted.ssim ? ssim.data() + at : nullptr, wanted.ssim || wanted.luminance ? luminance.data() + at : nullptr,
            contrast.data() + at, structure.data() + at};
}

SsimCore::SsimCore(int width, Isa isa)
    : functions_(ssim_functions(isa)), narrow_(narrow::pick_windows(isa)), width_(width) {
    workers_.emplace_back(width, 2 * kSsimGroup);
}

SsimCore::TileLane::TileLane(int width, const NarrowWindows &narrow)
    : carried(std::size_t(round_up(width, kSsimStrip) / kSsimStrip * kCarried * kRowFloats)),
      windowed(std::size_t(kNarrowRows * kRowFloats)), samples(2 * std::size_t(kNarrowRowsAtOnce * kSampleStride)),
      scratch(std::max(narrow.scratch_size, SsimFunctions::scratch_size(kSsimStrip))),
      carried_fit(std::size_t(round_up(width, kSsimStrip) / kSsimStrip)),
      terms(std::size_t(3 * kSsimGroup * kSsimStrip)) {}

// Windows along input rows y ... y + count - 1 of a strip.
void SsimCore::window_rows(TileLane &worker, const FloatRows &a, const FloatRows &b, int y, int count, int x,
                           int columns, float *out) {
    const int samples = columns + kSsimTaps - 1;
    for (; count > 0; count -= kNarrowRowsAtOnce, y += kNarrowRowsAtOnce, out += kNarrowRowsAtOnce * kRowFloats) {
        const int rows = std::min(count, kNarrowRowsAtOnce);
        const float *rows_a[kNarrowRowsAtOnce], *rows_b[kNarrowRowsAtOnce];
        for (int i = 0; i < rows; i++) {
            float *const buffer = worker.samples.data() + 2 * i * kSampleStride;
            rows_a[i] = a.row(y + i, x, samples, buffer);
            rows_b[i] = b.row(y + i, x, samples, buffer + kSampleStride);
        }
        if (narrow_.rows(rows_a, rows_b, rows, columns, out, worker.scratch.data())) continue;
        for (int i = 0; i < rows; i++)
            functions_.horizontal(rows_a[i], rows_b[i], columns, strip_row(out, i), worker.scratch.data());
    }
}

void SsimCore::add_tiles(TileLane &worker, const FloatRows &a, const FloatRows &b, bool luminance, int first,
                         int count) {
    const int columns = a.width() - kSsimTaps + 1;
    for (int y = first; y < first + count; y += kNarrowRows) {
        const int group = std::min(kNarrowRows, first + count - y);
        for (int x = 0; x < columns; x += kSsimStrip) {
            const int strip = std::min(kSsimStrip, columns - x);
            float *const carried = worker.carried.data() + x / kSsimStrip * kCarried * kRowFloats;
            std::uint8_t &carried_fit = worker.carried_fit[std::size_t(x / kSsimStrip)];
            if (y == first) {
                window_rows(worker, a, b, y, kCarried, x, strip, carried);
                carried_fit = narrow_.fit(carried, kCarried, strip);
            }
            window_rows(worker, a, b, y + kCarried, group, x, strip, worker.windowed.data());
            const bool fit = narrow_.fit(worker.windowed.data(), group, strip);
            if (fit && carried_fit)
                narrow_.terms(carried, worker.windowed.data(), strip, group, luminance, worker.sums,
                              worker.scratch.data());
            else
                add_tile_in_doubles(worker, carried, strip, group, luminance);
            const float *const last = worker.windowed.data() + (kNarrowRows - kCarried) * kRowFloats;
            if (group == kNarrowRows) std::copy_n(last, kCarried * kRowFloats, carried);
            carried_fit = group == kNarrowRows && (fit || narrow_.fit(carried, kCarried, strip));
        }
    }
}

// The same if windows do not suit the narrow sums.
void SsimCore::add_tile_in_doubles(TileLane &worker, float *carried, int columns, int count, bool luminance) {
    SsimAdder none, adder;
    for (int i = 0; i < count; i += kSsimGroup) {
        const int group = std::min(kSsimGroup, count - i);
        std::array<SsimRow, kCarried + kSsimGroup> rows;
        for (int r = 0; r < kCarried + group; r++) {
            const int row = i + r - kCarried; // below 0: carried
            rows[std::size_t(r)] =
                row < 0 ? strip_row(carried, row + kCarried) : strip_row(worker.windowed.data(), row);
        }
        std::array<SsimTermRow, kSsimGroup> terms;
        for (int r = 0; r < group; r++) {
            double *const wide = worker.terms.data() + 2 * r * kSsimStrip;
            float *const structure = reinterpret_cast<float *>(worker.terms.data() + 2 * kSsimGroup * kSsimStrip);
            terms[std::size_t(r)] = {nullptr, luminance ? wide + kSsimStrip : nullptr, wide,
                                     structure + r * kSsimStrip};
        }
        functions_.vertical(rows.data(), columns, group, terms.data(), none, worker.scratch.data());
        adder.start(std::span(terms).first(std::size_t(group)), columns);
        adder.finish();
    }
    worker.sums.contrast[0] += adder.sums().contrast;
    worker.sums.structure[0] += adder.sums().structure;
    worker.sums.luminance[0] += adder.sums().luminance;
}

bool SsimCore::unordered_means(const FloatRows &a, const FloatRows &b, bool luminance, Parallel &parallel,
                               SsimMeans &means) {
    const int columns = a.width() - kSsimTaps + 1, rows = a.height() - kSsimTaps + 1;
    const unsigned bands = std::min(parallel.threads(), unsigned(rows / kBandRows + 1));
    while (tile_lanes_.size() < bands) tile_lanes_.emplace_back(width_, narrow_);
    const auto first = [&](unsigned i) { return int(std::int64_t(rows) * i / bands); };
    parallel.run(bands, [&](unsigned i) {
        tile_lanes_[i].sums = {};
        add_tiles(tile_lanes_[i], a, b, luminance, first(i), first(i + 1) - first(i));
    });
    SsimSums sums;
    for (unsigned i = 0; i < bands; i++)
        for (int worker = 0; worker < kNarrowSumLanes; worker++) {
            sums.contrast += tile_lanes_[i].sums.contrast[worker];
            sums.structure += tile_lanes_[i].sums.structure[worker];
            sums.luminance += tile_lanes_[i].sums.luminance[worker];
        }
    // Terms are at most 1.01. Each addition in order is off by 2^-53 of a partial sum: n^2 / 2 times that in total;
    // here the partial sums average a sixteenth of that length.
    const double n = columns * rows, doubt = 0.6 * n * 0x1p-53;
    bool sure = true;
    const auto mean = [&](double sum) {
        const double value = sum / n;
        sure = sure && float(value - doubt) == float(value + doubt);
        return float(value);
    };
    means = {0, luminance ? mean(sums.luminance) : 0, mean(sums.contrast), mean(sums.structure)};
    return sure;
}

// Makes `count` rows of terms from output row `first` on. With an adder, each group is summed while the next is made;
// without one, they stay in the worker in sequence.
void SsimCore::band(Worker &worker, const FloatRows &a, const FloatRows &b, SsimWanted wanted, int first, int count,
                    SsimAdder *adder) {
    const int columns = a.width() - kSsimTaps + 1;
    float *const samples_b = worker.samples.data() + kSampleStride;
    std::array<SsimRow, kCarried + kSsimGroup> rows;
    std::array<std::array<SsimTermRow, kSsimGroup>, 2> term_rows;
    SsimAdder none;
    SsimAdder &earlier = adder ? *adder : none;
    for (int i = 0; i < kSsimGroup; i++) rows[std::size_t(kCarried + i)] = strip_row(worker.windowed.data(), i);
    for (int y = first; y < first + count; y += kSsimGroup) {
        const int group = std::min(kSsimGroup, first + count - y);
        const int slot = adder ? (y - first) % (2 * kSsimGroup) : y - first;
        auto &terms = term_rows[std::size_t((y - first) / kSsimGroup % 2)];
        for (int i = 0; i < group; i++) terms[std::size_t(i)] = worker.term_row(slot + i, wanted);
        for (int x = 0; x < columns; x += kSsimStrip) {
            const int strip = std::min(kSsimStrip, columns - x), samples = strip + kSsimTaps - 1;
            float *const carried = worker.carried.data() + x / kSsimStrip * kCarried * kRowFloats;
            for (int i = 0; i < kCarried; i++) rows[std::size_t(i)] = strip_row(carried, i);
            for (int i = y == first ? 0 : kCarried; i < kCarried + group; i++)
                functions_.horizontal(a.row(y + i, x, samples, worker.samples.data()),
                                      b.row(y + i, x, samples, samples_b), strip, rows[std::size_t(i)],
                                      worker.scratch.data());
            std::array<SsimTermRow, kSsimGroup> strip_terms;
            for (std::size_t i = 0; i < std::size_t(group); i++) strip_terms[i] = from_column(terms[i], x);
            functions_.vertical(rows.data(), strip, group, strip_terms.data(), earlier, worker.scratch.data());
            for (std::size_t i = 0; i < kCarried && group == kSsimGroup; i++)
                for (std::size_t c = 0; c < kSsimChannels; c++) std::copy_n(rows[kSsimGroup + i][c], strip, rows[i][c]);
        }
        if (!adder) continue;
        adder->finish();
        adder->start(std::span(terms).first(std::size_t(group)), columns);
    }
    earlier.finish();
}

void SsimCore::each_row(const FloatRows &a, const FloatRows &b,
                        const std::function<void(int y, const double *ssim)> &take) {
    constexpr int kAtOnce = 2 * kSsimGroup; // what a worker has room for
    constexpr SsimWanted kWanted = {true, true};
    const int rows = a.width() < kSsimTaps ? 0 : a.height() - kSsimTaps + 1;
    for (int y = 0; y < rows; y += kAtOnce) {
        const int count = std::min(kAtOnce, rows - y);
        band(workers_[0], a, b, kWanted, y, count, nullptr);
        for (int i = 0; i < count; i++) take(y + i, workers_[0].term_row(i, kWanted).ssim);
    }
}

SsimMeans SsimCore::means(const FloatRows &a, const FloatRows &b, SsimWanted wanted, Parallel &parallel) {
    const int columns = a.width() - kSsimTaps + 1, rows = a.height() - kSsimTaps + 1;
    SsimAdder adder;
    if (columns > 0 && rows > 0) {
        SsimMeans unordered;
        if (narrow_.rows && !wanted.ssim && unordered_means(a, b, wanted.luminance, parallel, unordered))
            return unordered;
        const unsigned bands = parallel.threads();
        if (bands == 1 || rows < 2 * kBandRows) {
            band(workers_[0], a, b, wanted, 0, rows, &adder);
        } else {
            while (workers_.size() < bands + 1) workers_.emplace_back(width_, kBandRows);
            for (int y = 0; y < rows; y += int(bands) * kBandRows) {
                const auto rows_of = [&](unsigned i) {
                    return std::clamp(rows - y - int(i) * kBandRows, 0, kBandRows);
                };
                parallel.run(bands, [&](unsigned i) {
                    band(workers_[i + 1], a, b, wanted, y + int(i) * kBandRows, rows_of(i), nullptr);
                });
                for (unsigned i = 0; i < bands; i++)
                    for (int r = 0; r < rows_of(i); r++) {
                        const SsimTermRow row = workers_[i + 1].term_row(r, wanted);
                        adder.start({&row, 1}, columns);
                        adder.finish();
                    }
            }
        }
    }
    return ssim_means(adder.sums(), a.width(), a.height());
}

SsimMeans ssim_means(const SsimSums &sums, int width, int height) {
    const double n = (width - kSsimTaps + 1) * (height - kSsimTaps + 1); // not positive: NaN or a signed zero
    return {float(sums.ssim / n), float(sums.luminance / n), float(sums.contrast / n), float(sums.structure / n)};
}

double ssim_in_decibels(double ssim, double most) {
    const double decibels = -10.0 * std::log10(1 - ssim);
    return decibels < most ? decibels : most; // a NaN becomes `most` (1.1)
}

double ssim_most_decibels(const PictureFormat &format, bool clip) {
    if (!clip) return std::numeric_limits<double>::infinity();
    const std::uint32_t peak = (1u << format.bits) - 1;
    const double least_mse = 0.5 / (double(format.width) * double(format.height));
    return std::ceil(10.0 * std::log10(double(peak * peak) / least_mse));
}

} // namespace vmaf
