// Tells AddressSanitizer and ThreadSanitizer about fibers; empty in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define VMAF_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VMAF_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define VMAF_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VMAF_TSAN 1
#endif
#endif

#ifdef VMAF_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef VMAF_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace vmaf {

// Fibers never return, so their frames are still marked when their stacks are freed; clear the marks for the next user
// of that memory.
#ifdef VMAF_ASAN
inline void forget_frames(void *stack, std::size_t bytes) { __asan_unpoison_memory_region(stack, bytes); }
#else
inline void forget_frames(void *, std::size_t) {}
#endif

} // namespace vmaf
