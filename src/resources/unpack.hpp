// Packed texts: raw LZMA without literal and position contexts (lc = lp = pb = 0), as Python's lzma module writes it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vmaf {

// The first `size` bytes of what was packed. Throws Error (EINVAL) where the packed bytes are no such stream.
std::string unpack(std::span<const unsigned char> packed, std::size_t size);

} // namespace vmaf
