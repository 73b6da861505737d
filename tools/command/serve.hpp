// `vmaf --serve`: one process that answers scoring requests and keeps its device and models in between
// (docs/development/serve.md).
#pragma once

#include "system/channel.hpp"

namespace vmaf::cli {

inline constexpr int kServeProtocol = 1;
inline constexpr const char *kServeDescriptor = "descriptor:"; // followed by an index into the request's descriptors

// Runs until the requests end. Throws Error for broken framing, Failure if answers cannot be written.
void serve(system::Channel &channel);

} // namespace vmaf::cli
