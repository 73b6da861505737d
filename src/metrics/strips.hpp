// Distributes the rows of a frame over the threads of a Parallel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "metrics/metric.hpp"

namespace vmaf {

// The number of strips of at least `min_rows` rows for a frame.
inline unsigned strip_count(const Parallel &parallel, int rows, int min_rows) {
    return std::clamp(unsigned(rows / min_rows), 1u, std::max(1u, parallel.threads()));
}

// Calls work(strip, begin, end) for `count` strips that together cover the rows 0 <= y < rows.
template <class Work> void for_each_strip(Parallel &parallel, int rows, unsigned count, const Work &work) {
    const auto bound = [&](unsigned strip) { return int(std::int64_t(rows) * strip / count); };
    if (count == 1)
        work(0u, 0, rows);
    else
        parallel.run(count, [&](unsigned strip) { work(strip, bound(strip), bound(strip + 1)); });
}

} // namespace vmaf
