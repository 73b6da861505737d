#include "io/y4m_reader.hpp"

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "io/y4m_header.hpp"

namespace vmaf {

namespace {

constexpr std::string_view kFrame = "FRAME";
constexpr std::size_t kFrameHeaderBytes = 6;    // the word and one byte more, usually the newline
constexpr std::size_t kMaxFrameParameters = 78; // behind those, before the newline

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
            if (!line.starts_with("YUV4MPEG")) break; // no such clip, whatever its length
            throw invalid(source.name() + " ends inside its YUV4MPEG2 header; the file is cut off");
        }
        if (*next == '\n') break;
        line.push_back(*next);
    }
    return parse_y4m_header(line, source.name());
}

} // namespace

Y4mReader::Y4mReader(ByteSource source)
    : source_(std::move(source)), stored_(read_clip_header(source_)), loader_(stored_, stored_.picture.bits) {}

// False at a clean end of the clip: a few stray bytes do not count.
bool Y4mReader::read_frame_header() {
    std::array<char, kFrameHeaderBytes> header{};
    const std::size_t got = source_.read(std::as_writable_bytes(std::span(header)));
    if (got < header.size()) return false;
    const auto lost = [&] {
        return invalid(source_.name() + ": frame " + std::to_string(frames_read_) +
                       " does not begin with a FRAME line; the file is damaged or its header states a wrong size");
    };
    if (!std::string_view(header.data(), header.size()).starts_with(kFrame)) throw lost();
    if (header.back() == '\n') return true;
    for (std::size_t i = 0; i <= kMaxFrameParameters; i++) {
        const auto next = read_char(source_);
        if (!next) break;
        if (*next == '\n') return true;
    }
    throw lost();
}

bool Y4mReader::read(const Picture &picture) {
    if (!read_frame_header()) return false;
    std::uint64_t got = 0;
    if (!loader_.load(source_, picture, got))
        throw invalid(source_.name() + " ends inside frame " + std::to_string(frames_read_) + ": " +
                      std::to_string(got) + " of its " + std::to_string(stored_.bytes()) +
                      " bytes are there; the file is cut off");
    frames_read_++;
    return true;
}

bool Y4mReader::skip() {
    if (!read_frame_header() || source_.skip(stored_.bytes()) < stored_.bytes()) return false;
    frames_read_++;
    return true;
}

std::optional<std::uint64_t> Y4mReader::frames_left() const {
    const auto bytes = source_.bytes_left();
    if (!bytes) return std::nullopt;
    return *bytes / (kFrameHeaderBytes + stored_.bytes());
}

std::unique_ptr<ClipReader> open_y4m_clip(const std::string &path) {
    return std::make_unique<Y4mReader>(ByteSource::open(path));
}

} // namespace vmaf
