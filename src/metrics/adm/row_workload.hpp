// Rows with margins in an equality workload's memory, and coefficients for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "equality/workload.hpp"
#include "metrics/adm/sweep_parts.hpp"

namespace vmaf::adm {

// Reads may extend kRowMargin elements beyond both ends.
template <class T, class Fill> const T *input_row(equality::Workload &w, int width, const Fill &fill) {
    return w.input<T>(std::size_t(width) + 2 * kRowMargin, [&](auto &random, std::size_t i) {
        return T(fill(random, int(i) - kRowMargin));
    }) + kRowMargin;
}
// So may writes.
template <class T> T *work_row(equality::Workload &w, int width) {
    return reinterpret_cast<T *>(w.scratch((std::size_t(width) + 2 * kRowMargin) * sizeof(T))) + kRowMargin;
}
template <class T> Bands<T> work_bands(equality::Workload &w, int width) {
    return {work_row<T>(w, width), work_row<T>(w, width), work_row<T>(w, width)};
}

// A coefficient of at most `largest` in magnitude; all magnitudes are equally likely unless the pattern says
// otherwise.
template <class Random> double coefficient(equality::Pattern pattern, double largest, Random &random) {
    const double sign = random() & 1 ? -1 : 1;
    switch (pattern) {
    case equality::Pattern::extreme: return sign * largest;
    case equality::Pattern::opposite: return random() % 8 ? 0 : sign * double(random() % 3);
    case equality::Pattern::content: return sign * double(random() % 200) * std::max(1.0, largest / 32768 / 16);
    default: return sign * largest / double(std::uint64_t(1) << random() % 32) * double(random() % 1024) / 1024;
    }
}

// Details of two pictures: the second equals the first up to a gain and noise.
template <class T> struct DetailRows {
    In<T> o, t;

    DetailRows(equality::Workload &w, int width, double largest) {
        const double gain = double(w.random()() % 300) / 100 - 0.5;
        for (std::size_t b = 0; b < kBands; b++) {
            o[b] = input_row<T>(w, width, [&](auto &random, int) { return coefficient(w.pattern, largest, random); });
            t[b] = input_row<T>(w, width, [&](auto &random, int i) {
                if (w.pattern == equality::Pattern::same) return double(o[b][i]);
                if (random() % 4 == 0) return coefficient(w.pattern, largest, random);
                const double noise = random() % 2 ? 0 : coefficient(w.pattern, largest / 16, random);
                return std::clamp(gain * double(o[b][i]) + noise, -largest, largest);
            });
        }
    }
};

template <class T> void copy_bands(const Bands<T> &from, int begin, int end, T *out) {
    for (const T *band : from) {
        std::copy(band + begin, band + end, out);
        out += end - begin;
    }
}

// A range inside a row; large workloads (for timing) use whole rows, as often as there are rows.
struct RowRange {
    int from, to, repeats;

    explicit RowRange(equality::Workload &w) : from(0), to(w.width), repeats(w.height > 900 ? w.height : 1) {
        if (repeats > 1) return;
        from = int(w.random()() % unsigned(w.width));
        to = from + 1 + int(w.random()() % unsigned(w.width - from));
    }
    int size() const { return to - from; }
};

} // namespace vmaf::adm
