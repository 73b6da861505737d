#include "system/dynamic_library.hpp"

namespace vmaf::system {

DynamicLibrary::DynamicLibrary(const std::string &name) : handle_(nullptr) {
    throw Error(ENOENT, "'" + name + "' cannot be loaded: WebAssembly has no dynamic libraries");
}

DynamicLibrary::~DynamicLibrary() = default;

void *DynamicLibrary::symbol(const char *) const { return handle_; }

void DynamicLibrary::keep() {}

} // namespace vmaf::system
