// Unpacks raw LZMA without literal and position contexts (lc = lp = pb = 0), as Python's lzma module writes it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vmaf {

// The first `size` unpacked bytes. Throws Error (EINVAL) if the stream is invalid.
std::string unpack(std::span<const unsigned char> packed, std::size_t size);

} // namespace vmaf
