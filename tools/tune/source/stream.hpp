// What is known of a stream: what ffprobe says about it, and what its colours mean (tune.md 3).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "source/source.hpp"

namespace vmaf::tune {

// Of a container or a YUV4MPEG2 file, by ffprobe. Throws Error.
void describe_stream(Source &source, const SourceRequest &request);

// `stream`: as ffprobe shows it, if it was asked.
void set_hdr(Source &source, HdrWish wish, const nlohmann::json *stream);

std::int64_t frame_bytes(const PixelLayout &layout, int width, int height);

} // namespace vmaf::tune
