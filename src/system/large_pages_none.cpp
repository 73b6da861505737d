#include "system/large_pages.hpp"

namespace vmaf::system {

void prefer_large_pages(void *, std::size_t) noexcept {}

} // namespace vmaf::system
