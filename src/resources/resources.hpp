// What libvmaf carries besides its code: the packed models, and images of device code. Programs have no copy; they read
// those of the library that was built with them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace vmaf {

struct Resource {
    const char *name; // "models", "cuda/vif"
    const void *bytes;
};

// libvmaf exports one, as `vmaf_private_resources`: for the project's own programs only.
struct ResourceTable {
    const char *edition; // of the same content: version and digest
    const Resource *first;
    std::size_t count;
};

// Throws Error (ENOENT) where a program does not find its library.
std::span<const Resource> resources();

const void *find_resource(std::string_view name); // null: there is none

} // namespace vmaf
