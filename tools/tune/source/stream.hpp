// Facts about a stream from ffprobe, and the meaning of its colours (tune.md 3).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "source/source.hpp"

namespace vmaf::tune {

// Of a container or a YUV4MPEG2 file, from ffprobe. Throws Error.
void describe_stream(Source &source, const SourceRequest &request);

// `stream`: ffprobe's description, if it was asked.
void set_hdr(Source &source, HdrWish wish, const nlohmann::json *stream);

std::int64_t frame_bytes(const PixelLayout &layout, int width, int height);

} // namespace vmaf::tune
