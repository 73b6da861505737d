// A file whose pictures are made on the host (scaled, converted, or by decoders with memory of their own), in one part
// for a device that copies them.
#pragma once

#include <memory>

#include "io/video_clip.hpp"

namespace vmaf {

// Pictures of the output's format. `use`: skipped frames are decoded, but not stored.
std::unique_ptr<VideoParts> make_host_parts(std::unique_ptr<VideoFile> file, const ClipUse &use);

} // namespace vmaf
