#include "system/pages.hpp"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace vmaf::system {

std::size_t page_bytes() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::byte *allocate_pages(std::size_t bytes) {
    void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte *>(memory);
}

void release_pages(std::byte *pages, std::size_t bytes) noexcept { munmap(pages, bytes); }

void protect_pages(std::byte *pages, std::size_t bytes, Access access) {
    mprotect(pages, bytes, access == Access::none ? PROT_NONE : PROT_READ);
}

} // namespace vmaf::system
