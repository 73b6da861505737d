#include "stages/segment_index.hpp"

#include "source/boxes.hpp"
#include "system/c_file.hpp"

namespace vmaf::tune {

std::optional<SegmentIndex> segment_index(const std::string &path) {
    const system::CFile file = system::open_to_read(path);
    if (!file) return std::nullopt;
    Boxes boxes(file.get());
    SegmentIndex index;
    off_t start = 0; // of the box
    boxes.each(0, boxes.end(), [&](const std::string &name, off_t first, off_t end) {
        if (name == "moov" && index.head_end == 0) index.head_end = std::uint64_t(end) - 1;
        if (name == "sidx" && index.head_end > 0 && index.last == 0) {
            // Version and flags, track number, time scale; then two times, of 8 bytes from version 1 on.
            const auto words = boxes.words(first, 8);
            if (words.size() == 8) {
                index.first = std::uint64_t(start);
                index.last = std::uint64_t(end) - 1;
                index.timescale = static_cast<std::uint32_t>(words[2]);
                index.segments = static_cast<std::uint32_t>(words[words[0] >> 24 ? 7 : 5] & 0xFFFF);
            }
        }
        start = end;
    });
    return index.last > 0 ? std::optional(index) : std::nullopt;
}

} // namespace vmaf::tune
