// `vmaf --serve`: one process that scores what requests ask for, and keeps its device and models between them
// (docs/development/serve.md).
#pragma once

#include "system/channel.hpp"

namespace vmaf::cli {

inline constexpr int kServeProtocol = 1;
inline constexpr const char *kServeDescriptor = "descriptor:"; // and the place among those that came with the request

// Until the requests end. Throws Error where the framing is lost, Failure where answers do not arrive.
void serve(system::Channel &channel);

} // namespace vmaf::cli
