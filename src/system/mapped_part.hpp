// Bytes of a regular file as memory: cheaper than reading them, where a file lies in memory already.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace vmaf::system {

// Before the first map_part(), by programs, never by the library: a file that becomes shorter, or a disk that fails,
// would end a process that looks at mapped bytes (SIGBUS). Then they read as zeros, and `is_lost` is set. Other such
// signals do what they did before. Where this was not called, or the system has no such thing, nothing is mapped.
bool allow_mapped_parts() noexcept; // false: it has none

// `bytes` of the file from `offset`, all there and to be read only, until the last copy of the pointer is gone. Null
// where that is not possible. `is_lost` becomes true when bytes turned out not to be there any more.
std::shared_ptr<const std::byte> map_part(int descriptor, std::uint64_t offset, std::size_t bytes,
                                          std::shared_ptr<std::atomic<bool>> is_lost);

} // namespace vmaf::system
