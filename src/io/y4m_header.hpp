// The first line of a YUV4MPEG2 clip (cli-and-formats.md 10.1).
#pragma once

#include <string>
#include <string_view>

#include "io/stored_frame.hpp"

namespace vmaf {

inline constexpr std::size_t kMaxY4mHeaderBytes = 255; // before the newline

// `line` is without its newline; `name` is the clip's, for messages. Throws Error saying what is wrong; oddities that
// can be lived with are logged as warnings.
StoredFrame parse_y4m_header(std::string_view line, const std::string &name);

} // namespace vmaf
