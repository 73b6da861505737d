// The first line of a YUV4MPEG2 clip (cli-and-formats.md 10.1).
#pragma once

#include <string>
#include <string_view>

#include "io/stored_frame.hpp"

namespace vmaf {

inline constexpr std::size_t kMaxY4mHeaderBytes = 255; // before the newline

// `line` excludes the newline; `name` is the clip's, for messages. Throws Error for invalid headers; logs tolerable
// oddities as warnings.
StoredFrame parse_y4m_header(std::string_view line, const std::string &name);

} // namespace vmaf
