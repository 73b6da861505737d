#include "io/raw_reader.hpp"

#include "base/error.hpp"

namespace vmaf {

RawReader::RawReader(ByteSource source, const RawGeometry &g)
    : source_(std::move(source)), stored_({g.pixel_format, g.bits, g.width, g.height}, ChromaConversion::none),
      loader_(stored_, g.bits) {}

bool RawReader::read(const Picture &picture) {
    std::uint64_t got = 0;
    if (loader_.load(source_, picture, got)) {
        frames_read_++;
        return true;
    }
    if (got == 0) return false;
    throw invalid(source_.name() + " ends inside frame " + std::to_string(frames_read_) + ": " + std::to_string(got) +
                  " of its " + std::to_string(stored_.bytes()) +
                  " bytes are there; check width, height, pixel format and bit depth, or whether the file is complete");
}

std::optional<std::uint64_t> RawReader::frames_left() const {
    const auto bytes = source_.bytes_left();
    if (!bytes) return std::nullopt;
    return *bytes / stored_.bytes();
}

std::unique_ptr<ClipReader> open_raw_clip(const std::string &path, const RawGeometry &geometry) {
    return std::make_unique<RawReader>(ByteSource::open(path), geometry);
}

} // namespace vmaf
