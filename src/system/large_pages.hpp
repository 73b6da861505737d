// Memory that is read from end to end, in few large pages where the system has them.
#pragma once

#include <cstddef>

namespace vmaf::system {

// Before it is first written to. A hint: without large pages nothing changes.
void prefer_large_pages(void *memory, std::size_t bytes) noexcept;

} // namespace vmaf::system
