// Whole pages of memory whose protection can be changed.
#pragma once

#include <cstddef>

namespace vmaf::system {

enum class Access { none, read };

std::size_t page_bytes();
std::byte *allocate_pages(std::size_t bytes); // readable, writable, zero-filled; throws std::bad_alloc
void release_pages(std::byte *pages, std::size_t bytes) noexcept;
void protect_pages(std::byte *pages, std::size_t bytes, Access access);

} // namespace vmaf::system
