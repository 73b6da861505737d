#include "system/pages.hpp"

#include <new>

#include "system/windows.hpp"

namespace vmaf::system {

std::size_t page_bytes() {
    static const std::size_t size = [] {
        SYSTEM_INFO facts{};
        GetSystemInfo(&facts);
        return std::size_t{facts.dwPageSize};
    }();
    return size;
}

std::byte *allocate_pages(std::size_t bytes) {
    void *const memory = VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!memory) throw std::bad_alloc();
    return static_cast<std::byte *>(memory);
}

void release_pages(std::byte *pages, std::size_t) noexcept { VirtualFree(pages, 0, MEM_RELEASE); }

void protect_pages(std::byte *pages, std::size_t bytes, Access access) {
    DWORD before = 0;
    VirtualProtect(pages, bytes, access == Access::none ? PAGE_NOACCESS : PAGE_READONLY, &before);
}

} // namespace vmaf::system
