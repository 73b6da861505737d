// The data in libvmaf: packed models and device code. Programs have no copy; they read it from the library of the same
// build.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace vmaf {

struct Resource {
    const char *name; // "models", "cuda/vif"
    const void *bytes;
};

// libvmaf exports one as `vmaf_private_resources`, for the project's own programs only.
struct ResourceTable {
    const char *edition; // identifies the content: version and digest
    const Resource *first;
    std::size_t count;
};

// Throws Error (ENOENT) if a program does not find its library.
std::span<const Resource> resources();

const void *find_resource(std::string_view name); // null if missing

} // namespace vmaf
