// Converts between limited and full range, with tables over all sample values.
#pragma once

#include <cstdint>
#include <vector>

#include "io/video_file.hpp"

namespace vmaf {

struct RangeTables {
    std::vector<std::uint16_t> luma, chroma; // 2^bits entries; empty: no change
};
RangeTables range_tables(RangeChange change, unsigned bits);

} // namespace vmaf
