#include "stages/segment_index.hpp"

#include <array>
#include <string_view>

#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

// A big-endian number of `size` bytes; empty at the end of the file.
std::optional<std::uint64_t> number(std::istream &file, int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        const int byte = file.get();
        if (byte < 0) return std::nullopt;
        value = value << 8 | static_cast<std::uint64_t>(byte);
    }
    return value;
}

bool read_index(std::istream &file, SegmentIndex &index) {
    const auto version = number(file, 4);
    file.ignore(4); // track number
    const auto timescale = number(file, 4);
    file.ignore(version && *version >> 24 ? 16 : 8); // first time and distance to the first segment
    file.ignore(2);
    const auto segments = number(file, 2);
    if (!timescale || !segments) return false;
    index.timescale = static_cast<std::uint32_t>(*timescale);
    index.segments = static_cast<std::uint32_t>(*segments);
    return true;
}

} // namespace

std::optional<SegmentIndex> segment_index(const std::string &path) {
    system::fs::ifstream file(path, std::ios::binary);
    SegmentIndex index;
    for (std::uint64_t at = 0; file;) {
        file.seekg(static_cast<std::streamoff>(at));
        auto size = number(file, 4);
        std::array<char, 4> name{};
        if (!size || !file.read(name.data(), name.size())) return std::nullopt;
        if (*size == 1) size = number(file, 8);
        if (!size || *size < 8 || *size > UINT64_MAX - at) return std::nullopt; // 0: to the end of the file
        const std::string_view type(name.data(), name.size());
        if (type == "moov") index.head_end = at + *size - 1;
        if (type == "sidx" && index.head_end > 0) {
            index.first = at;
            index.last = at + *size - 1;
            return read_index(file, index) ? std::optional(index) : std::nullopt;
        }
        at += *size;
    }
    return std::nullopt;
}

} // namespace vmaf::tune
