// Maps parts of a regular file: cheaper than reading them if the file is cached.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace vmaf::system {

// Call it before the first map_part(), in programs only, never in the library. It handles
// SIGBUS: lost bytes (a truncated file, a failed disk) read as zeros and set `is_lost`; other
// SIGBUS signals act as before. Without this call, or on systems without support, nothing is
// mapped.
bool allow_mapped_parts() noexcept; // false: not supported

// Maps `bytes` of the file from `offset`, read-only, until the last copy of the pointer is dropped; null if that is
// impossible. `is_lost` becomes true if bytes turn out to be missing.
std::shared_ptr<const std::byte> map_part(int descriptor, std::uint64_t offset, std::size_t bytes,
                                          std::shared_ptr<std::atomic<bool>> is_lost);

} // namespace vmaf::system
