// Decodes parts of a file with NVIDIA's decoder directly: it then reports which pictures had errors.
#pragma once

#include <memory>

#include "io/libav/part_decoder.hpp"

namespace vmaf::libav {

// Whether the first device can decode such a stream.
enum class NvdecAnswer { unknown, no, yes };
NvdecAnswer nvdec_answer(const AVCodecParameters &stream);

// Leaves streams that must be decoded in one piece, and codecs that it does not support, to the libraries. Throws
// Error.
std::unique_ptr<PartDecoder> make_nvdec_decoder(std::shared_ptr<PartSource> source, const DecodingDevice &device,
                                                void *stream, const FrameKind &kind);

// Destroys decoders that wait for the next file.
void release_idle_decoders();

} // namespace vmaf::libav
