// Limited range to full range and back, as tables over all values of a sample.
#pragma once

#include <cstdint>
#include <vector>

#include "io/video_file.hpp"

namespace vmaf {

struct RangeTables {
    std::vector<std::uint16_t> luma, chroma; // 2^bits entries; empty: nothing changes
};
RangeTables range_tables(RangeChange change, unsigned bits);

} // namespace vmaf
