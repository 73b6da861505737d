// Packet sizes of a Matroska file with one track, from its block headers. Every probe needs them, and starting ffprobe
// would cost more than anything except encoding and scoring.
#include <cstdio>

#include "source/ebml.hpp"
#include "source/source.hpp"
#include "system/c_file.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

constexpr std::uint64_t kSegment = 0x18538067, kCluster = 0x1F43B675, kBlockGroup = 0xA0, kBlock = 0xA1,
                        kSimpleBlock = 0xA3;

} // namespace

std::optional<PacketSummary> matroska_packets(const std::string &path) {
    const system::CFile file = system::open_to_read(path);
    if (!file) return std::nullopt;
    std::error_code error;
    const auto length = static_cast<off_t>(system::fs::file_size(path, error));
    if (error) return std::nullopt;
    ebml::Reader reader{file.get()};
    PacketSummary summary;
    bool is_segment_seen = false;
    for (;;) {
        const auto id = reader.number(true);
        if (!id) break;
        const auto size = reader.number(false);
        if (!size || *size == ebml::kUnknownSize) return std::nullopt;
        if (*id == kSegment) is_segment_seen = true;
        if (*id == kSegment || *id == kCluster || *id == kBlockGroup) continue; // descend
        std::uint64_t left = *size;
        if (*id == kBlock || *id == kSimpleBlock) {
            int track_bytes = 0;
            const auto track = reader.number(false, &track_bytes);
            unsigned char rest[3]; // time and flags
            if (!track || *track != 1 || std::fread(rest, 1, sizeof rest, file.get()) != sizeof rest ||
                (rest[2] & 0x06))
                return std::nullopt;
            left -= static_cast<std::uint64_t>(track_bytes) + sizeof rest;
            summary.bytes += left;
            summary.packets++;
        }
        // Beyond the end: the file is truncated.
        if (fseeko(file.get(), static_cast<off_t>(left), SEEK_CUR) != 0 || ftello(file.get()) > length)
            return std::nullopt;
    }
    if (!is_segment_seen || summary.packets == 0) return std::nullopt;
    return summary;
}

} // namespace vmaf::tune
