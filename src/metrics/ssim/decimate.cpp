#include "metrics/ssim/decimate.hpp"

#include <algorithm>
#include <cstdint>

namespace vmaf {

namespace {

// Every product is rounded to f32 before it is added in f64. The sum of all 81 is exact (8.4), so rows may be summed
// apart, and a row's sum under one row of the low-pass serves both output rows that meet it there.
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

} // namespace

const DecimateKernels decimate_scalar = {row_sums, add_rows};

Decimator::Lane::Lane(int width)
    : samples(std::size_t(width)), padded(std::size_t(width + 16)),
      sums(kRing * 3 * std::size_t(round_up(decimated(width), 8))),
      scratch(DecimateKernels::scratch_size(decimated(width))) {
    double *next = sums.data();
    for (RowSums &row : ring)
        for (double *&sum : row) {
            sum = next;
            next += round_up(decimated(width), 8);
        }
}

Decimator::Decimator(int width, Isa isa) : kernels_(decimate_kernels(isa)), width_(width) {
    lanes_.emplace_back(width);
}

// Position -1 is row 0 again: what is summed depends on the position's parity, not on that of the row found there.
void Decimator::sum_row(Lane &lane, const FloatRows &in, int columns, int position) const {
    const float *row = in.row(mirrored(position, in.height()), lane.samples.data());
    float *const padded = lane.padded.data() + 8;
    std::copy_n(row, in.width(), padded);
    for (int i = 1; i <= kLowPassRadius; i++) {
        padded[-i] = row[i - 1];
        padded[in.width() - 1 + i] = row[in.width() - i];
    }
    kernels_.row_sums(padded, columns, position & 1, lane.ring[std::size_t(position & (kRing - 1))],
                      lane.scratch.data());
}

void Decimator::decimate_rows(Lane &lane, const FloatRows &in, FloatPlane &out, int first, int last) const {
    int summed = 2 * first - kLowPassRadius;
    for (int y = first; y < last; y++) {
        for (; summed <= 2 * y + kLowPassRadius; summed++) sum_row(lane, in, out.width(), summed);
        std::array<const double *, 9> sums;
        for (int v = -kLowPassRadius; v <= kLowPassRadius; v++)
            sums[std::size_t(v + kLowPassRadius)] =
                lane.ring[std::size_t((2 * y + v) & (kRing - 1))][std::size_t(std::abs(v) / 2)];
        kernels_.add_rows(sums, out.width(), out.row(y));
    }
}

void Decimator::decimate(const FloatRows &in, FloatPlane &out, Parallel &parallel) {
    const unsigned tasks = out.height() < 64 ? 1 : parallel.lanes();
    while (lanes_.size() < tasks) lanes_.emplace_back(width_);
    const auto rows = [&](unsigned i) { return int(std::int64_t(out.height()) * i / tasks); };
    parallel.run(tasks, [&](unsigned i) { decimate_rows(lanes_[i], in, out, rows(i), rows(i + 1)); });
}

} // namespace vmaf
