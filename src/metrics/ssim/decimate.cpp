#include "metrics/ssim/decimate.hpp"

#include <algorithm>
#include <cstdint>

namespace vmaf {

namespace {

// Every product is rounded to f32 before it is added in f64. The sum of all 81 is exact (8.4), so rows can be summed
// separately, and a row's sum under one row of the low-pass serves both output rows that need it.
void sum_under(const float *row, int columns, const float *taps, double *sums) {
    for (int x = 0; x < columns; x++) {
        const float *centre = row + 2 * x;
        double sum = centre[-4] * taps[4];
        sum += double(centre[-3] * taps[3]);
        sum += double(centre[-2] * taps[2]);
        sum += double(centre[-1] * taps[1]);
        sum += double(centre[0] * taps[0]);
        sum += double(centre[1] * taps[1]);
        sum += double(centre[2] * taps[2]);
        sum += double(centre[3] * taps[3]);
        sum += double(centre[4] * taps[4]);
        sums[x] = sum;
    }
}

void row_sums(const float *row, int columns, bool odd, const RowSums &sums, double *) {
    for (int distance = odd ? 1 : 0, i = 0; distance <= kLowPassRadius; distance += 2, i++)
        sum_under(row, columns, kLowPass[std::size_t(distance)].data(), sums[std::size_t(i)]);
}

void add_rows(const std::array<const double *, 9> &sums, int columns, float *out) {
    for (int x = 0; x < columns; x++) {
        double sum = sums[0][x];
        for (std::size_t i = 1; i < 9; i++) sum += sums[i][x];
        out[x] = float(sum);
    }
}

// Room around a padded row: whole vectors of its columns are read, and one more at both ends.
constexpr int kBefore = 32, kBehind = 128;

} // namespace

const DecimateFunctions decimate_scalar = {row_sums, add_rows};

Decimator::Worker::Worker(int width, bool narrow)
    : samples(std::size_t(width)), padded(std::size_t(width + kBefore + kBehind)),
      sums(kRing * 3 * std::size_t(round_up(decimated(width), 8))),
      scratch(DecimateFunctions::scratch_size(decimated(width))) {
    const auto divide = [](auto *next, std::ptrdiff_t size, auto &rows) {
        for (auto &row : rows)
            for (auto *&sum : row) {
                sum = next;
                next += size;
            }
    };
    divide(sums.data(), round_up(decimated(width), 8), ring);
    if (!narrow) return;
    const int pitch = 2 * round_up(decimated(width), 16);
    narrow_sums = AlignedArray<float>(kRing * 3 * std::size_t(pitch));
    divide(narrow_sums.data(), pitch, narrow_ring);
    for (int i = 0; i < kRing; i++) {
        fits[std::size_t(i)].resize(std::size_t(decimated(width) / kNarrowBlock + 1));
        made[std::size_t(i)] = fits[std::size_t(i)];
    }
}

Decimator::Decimator(int width, Isa isa)
    : functions_(decimate_functions(isa)), narrow_(narrow::pick_decimation(isa)), width_(width) {
    workers_.emplace_back(width, narrow_.row_sums != nullptr);
}

const float *Decimator::padded_row(Worker &worker, const FloatRows &in, int position) const {
    const float *row = in.row(mirrored(position, in.height()), worker.samples.data());
    float *const padded = worker.padded.data() + kBefore;
    std::copy_n(row, in.width(), padded);
    for (int i = 1; i <= kLowPassRadius; i++) {
        padded[-i] = row[i - 1];
        padded[in.width() - 1 + i] = row[in.width() - i];
    }
    return padded;
}

// Position -1 is row 0 again: what is summed depends on the parity of the position, not of that row.
void Decimator::decimate_rows(Worker &worker, const FloatRows &in, FloatPlane &out, int first, int last) const {
    int summed = 2 * first - kLowPassRadius;
    for (int y = first; y < last; y++) {
        for (; summed <= 2 * y + kLowPassRadius; summed++)
            functions_.row_sums(padded_row(worker, in, summed), out.width(), summed & 1, worker.ring[slot(summed)],
                                worker.scratch.data());
        std::array<const double *, 9> sums;
        for (int v = -kLowPassRadius; v <= kLowPassRadius; v++)
            sums[std::size_t(v + kLowPassRadius)] = worker.ring[slot(2 * y + v)][std::size_t(std::abs(v) / 2)];
        functions_.add_rows(sums, out.width(), out.row(y));
    }
}

void Decimator::narrow_decimate_rows(Worker &worker, const FloatRows &in, FloatPlane &out, int first, int last) const {
    int summed = 2 * first - kLowPassRadius;
    for (int y = first; y < last; y++) {
        for (; summed <= 2 * y + kLowPassRadius; summed++) {
            const std::size_t at = slot(summed);
            std::fill(worker.made[at].begin(), worker.made[at].end(), std::uint8_t(0));
            narrow_.row_sums(padded_row(worker, in, summed), in.width(), out.width(), summed & 1,
                             worker.narrow_ring[at], worker.fits[at].data());
        }
        for (int x = 0; x < out.width(); x += kNarrowBlock) {
            const int columns = std::min(kNarrowBlock, out.width() - x);
            const std::size_t block = std::size_t(x / kNarrowBlock);
            bool fits = true;
            for (int v = -kLowPassRadius; v <= kLowPassRadius; v++) fits = fits && worker.fits[slot(2 * y + v)][block];
            std::array<const float *, 9> narrow_sums;
            std::array<const double *, 9> sums;
            for (int v = -kLowPassRadius; v <= kLowPassRadius; v++) {
                const std::size_t at = slot(2 * y + v), i = std::size_t(v + kLowPassRadius),
                                  which = std::size_t(std::abs(v) / 2);
                narrow_sums[i] = worker.narrow_ring[at][which] + 2 * x;
                sums[i] = worker.ring[at][which] + x;
                if (fits || worker.made[at][block]) continue;
                RowSums to = worker.ring[at];
                for (double *&sum : to) sum += x;
                functions_.row_sums(padded_row(worker, in, 2 * y + v) + 2 * x, columns, v & 1, to,
                                    worker.scratch.data());
                worker.made[at][block] = 1;
            }
            if (fits)
                narrow_.add_rows(narrow_sums, columns, out.row(y) + x);
            else
                functions_.add_rows(sums, columns, out.row(y) + x);
        }
    }
}

void Decimator::decimate(const FloatRows &in, FloatPlane &out, Parallel &parallel) {
    const unsigned tasks = out.height() < 64 ? 1 : parallel.threads();
    while (workers_.size() < tasks) workers_.emplace_back(width_, narrow_.row_sums != nullptr);
    const auto rows = [&](unsigned i) { return int(std::int64_t(out.height()) * i / tasks); };
    const auto decimate_some = narrow_.row_sums ? &Decimator::narrow_decimate_rows : &Decimator::decimate_rows;
    parallel.run(tasks, [&](unsigned i) { (this->*decimate_some)(workers_[i], in, out, rows(i), rows(i + 1)); });
}

} // namespace vmaf
