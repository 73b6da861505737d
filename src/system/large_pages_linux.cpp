#include "system/large_pages.hpp"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace vmaf::system {

void prefer_large_pages(void *memory, std::size_t bytes) noexcept {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
    if (first < end) (void)madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
}

} // namespace vmaf::system
