#include "system/pages.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace vmaf::system {

// Memory cannot be protected: small pages, so that there is less to fill and to look at.
std::size_t page_bytes() { return 4096; }

std::byte *allocate_pages(std::size_t bytes) {
    void *const memory = std::aligned_alloc(page_bytes(), bytes);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, bytes);
    return static_cast<std::byte *>(memory);
}

void release_pages(std::byte *pages, std::size_t) noexcept { std::free(pages); }

void protect_pages(std::byte *, std::size_t, Access) {}

} // namespace vmaf::system
