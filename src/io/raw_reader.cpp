#include "io/raw_reader.hpp"

namespace vmaf {

RawReader::RawReader(ByteSource source, const RawGeometry &g)
    : ClipReader(std::move(source), StoredFrame({g.pixel_format, g.bits, g.width, g.height}, ChromaConversion::none),
                 0) {}

std::unique_ptr<ClipReader> open_raw_clip(const std::string &path, const RawGeometry &geometry) {
    return std::make_unique<RawReader>(ByteSource::open(path), geometry);
}

} // namespace vmaf
