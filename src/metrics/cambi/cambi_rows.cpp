#include "metrics/cambi/cambi_rows.hpp"

#include <algorithm>

namespace vmaf::cambi {

namespace {

void widen(const std::uint8_t *from, std::uint16_t *to, int count) {
    for (int x = 0; x < count; x++) to[x] = std::uint16_t(from[x] << 2);
}

// Above 10 bits the top codes round up to 1024.
void convert(const std::uint16_t *from, std::uint16_t *to, int count, unsigned bits) {
    if (bits <= 10)
        for (int x = 0; x < count; x++) to[x] = std::uint16_t(from[x] << (10 - bits));
    else
        for (int x = 0; x < count; x++) to[x] = std::uint16_t((from[x] + (1 << (bits - 11))) >> (bits - 10));
}

// In raster order, since it reads only samples to the right and below.
void remove_dither(std::uint16_t *row, const std::uint16_t *below, int count) {
    for (int x = 0; x < count; x++) row[x] = std::uint16_t((row[x] + row[x + 1] + below[x] + below[x + 1]) >> 2);
}

void sum_of_four(const std::uint8_t *row, const std::uint8_t *below, std::uint16_t *to, int count) {
    for (int x = 0; x < count; x++) to[x] = std::uint16_t(row[x] + row[x + 1] + below[x] + below[x + 1]);
}

void mark_flat(const std::uint16_t *row, const std::uint16_t *below, std::uint8_t *flat, std::uint8_t *totals,
               int count) {
    for (int x = 0; x < count; x++) {
        const auto is_flat = std::uint8_t((row[x] == row[x + 1]) & (row[x] == below[x]));
        totals[x] = std::uint8_t(totals[x] + is_flat - flat[x]);
        flat[x] = is_flat;
    }
}

template <int kStep> void mask(const std::uint8_t *totals, int threshold, std::uint8_t *mask, int count) {
    for (int x = 0; x < count; x++) {
        const std::uint8_t *const t = totals + kStep * x;
        mask[x] = t[-3] + t[-2] + t[-1] + t[0] + t[1] + t[2] + t[3] > threshold;
    }
}

template <class T> void decimate(const T *from, T *to, int count) {
    for (int x = 0; x < count; x++) to[x] = from[2 * x];
}

std::uint16_t mode_of_three(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    const std::uint16_t least = std::min(std::min(a, b), c);
    return b == c ? b : a == b || a == c ? a : least;
}

void mode_along(const std::uint16_t *row, std::uint16_t *out, int count) {
    for (int x = 0; x < count; x++) out[x] = mode_of_three(row[x - 1], row[x], row[x + 1]);
}

void mode_across(const std::uint16_t *above, const std::uint16_t *here, const std::uint16_t *below, std::uint16_t *out,
                 int count) {
    for (int x = 0; x < count; x++) out[x] = mode_of_three(above[x], here[x], below[x]);
}

} // namespace

const RowFunctions scalar_rows = {widen,
                                  convert,
                                  remove_dither,
                                  sum_of_four,
                                  mark_flat,
                                  mask<1>,
                                  mask<2>,
                                  decimate<std::uint16_t>,
                                  decimate<std::uint8_t>,
                                  mode_along,
                                  mode_across};

} // namespace vmaf::cambi
