#include "io/y4m_reader.hpp"

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "io/y4m_header.hpp"

namespace vmaf {

namespace {

constexpr std::string_view kFrame = "FRAME";
constexpr std::size_t kFrameHeaderBytes = 6;    // the word and one more byte, usually the newline
constexpr std::size_t kMaxFrameParameters = 78; // after those, before the newline

std::optional<char> read_char(ByteSource &source) {
    std::byte byte{};
    if (source.read(std::span(&byte, 1)) == 0) return std::nullopt;
    return static_cast<char>(byte);
}

StoredFrame read_clip_header(ByteSource &source) {
    std::string line;
    while (line.size() < kMaxY4mHeaderBytes) {
        const auto next = read_char(source);
        if (!next) {
            if (line.empty()) throw invalid(source.name() + " is empty; there is nothing to score");
            if (!line.starts_with("YUV4MPEG")) break; // not such a clip, whatever its length
            throw invalid(source.name() + " ends inside its YUV4MPEG2 header; the file is cut off");
        }
        if (*next == '\n') break;
        line.push_back(*next);
    }
    return parse_y4m_header(line, source.name());
}

} // namespace

Y4mReader::Y4mReader(ByteSource source) : Y4mReader(source, read_clip_header(source)) {}

Y4mReader::Y4mReader(ByteSource &source, const StoredFrame &stored)
    : ClipReader(std::move(source), stored, kFrameHeaderBytes) {}

// False at a clean end of the clip: ignores a few stray bytes.
bool Y4mReader::begin_frame(ByteSource &source, std::uint64_t frame) {
    std::array<char, kFrameHeaderBytes> header{};
    const std::size_t got = source.read(std::as_writable_bytes(std::span(header)));
    if (got < header.size()) return false;
    const auto lost = [&] {
        return invalid(source.name() + ": frame " + std::to_string(frame) +
                       " does not begin with a FRAME line; the file is damaged or its header states a wrong size");
    };
    if (!std::string_view(header.data(), header.size()).starts_with(kFrame)) throw lost();
    if (header.back() == '\n') return true;
    for (std::size_t i = 0; i <= kMaxFrameParameters; i++) {
        const auto next = read_char(source);
        if (!next) break;
        if (*next == '\n') return true;
    }
    throw lost();
}

std::unique_ptr<ClipReader> open_y4m_clip(const std::string &path) {
    return std::make_unique<Y4mReader>(ByteSource::open(path));
}

} // namespace vmaf
