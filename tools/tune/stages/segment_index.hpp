// Where a fragmented MP4 file keeps its index: what players of MPEG-DASH read first (ISO/IEC 14496-12, `sidx`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vmaf::tune {

struct SegmentIndex {
    std::uint64_t head_end = 0;        // last byte of the initialisation: `ftyp` and `moov`
    std::uint64_t first = 0, last = 0; // bytes of the `sidx` box
    std::uint32_t timescale = 0, segments = 0;
};

// Nothing for a file without a `moov` box and a `sidx` box after it.
std::optional<SegmentIndex> segment_index(const std::string &path);

} // namespace vmaf::tune
