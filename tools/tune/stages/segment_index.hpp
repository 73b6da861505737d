// The index of a fragmented MP4 file, which MPEG-DASH players read first (ISO/IEC 14496-12, `sidx`).
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

// Empty for a file without a `moov` box followed by a `sidx` box.
std::optional<SegmentIndex> segment_index(const std::string &path);

} // namespace vmaf::tune
