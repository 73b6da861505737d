// Large pages for memory that is read sequentially.
#pragma once

#include <cstddef>

namespace vmaf::system {

// A hint, to be given before the first write.
void prefer_large_pages(void *memory, std::size_t bytes) noexcept;

} // namespace vmaf::system
