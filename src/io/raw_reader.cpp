#include "io/raw_reader.hpp"

#include <vector>

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
    throw cut_off(frames_read_, got);
}

Error RawReader::cut_off(std::uint64_t frame, std::uint64_t got) const {
    return invalid(
        source_.name() + " ends inside frame " + std::to_string(frame) + ": " + std::to_string(got) + " of its " +
        std::to_string(stored_.bytes()) +
        " bytes are there; check width, height, pixel format and bit depth, or whether the file is complete");
}

bool RawReader::read_luma_at(std::uint64_t frame, const Picture &picture) const {
    const std::uint64_t bytes = source_.bytes_left().value_or(0), whole = bytes / stored_.bytes();
    if (frame >= whole) {
        const std::uint64_t rest = bytes % stored_.bytes();
        if (frame == whole && rest > 0) throw cut_off(frames_read_ + frame, rest);
        return false;
    }
    const auto row_bytes = static_cast<std::size_t>(stored_.row_bytes(0));
    const auto stride = static_cast<std::size_t>(picture.stride_bytes(0));
    const std::size_t rows = stored_.picture.height;
    std::vector<iovec> parts;
    if (stride == row_bytes)
        parts.push_back({picture.data(0), rows * row_bytes});
    else
        for (std::size_t y = 0; y < rows; y++) parts.push_back({picture.data(0) + y * stride, row_bytes});
    source_.read_at(source_.position().value_or(0) + frame * stored_.bytes(), parts);
    return true;
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
