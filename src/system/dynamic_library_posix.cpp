#include "system/dynamic_library.hpp"

#include <dlfcn.h>

namespace vmaf::system {

DynamicLibrary::DynamicLibrary(const std::string &name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) return;
    const char *const reason = dlerror();
    throw Error(ENOENT, reason ? reason : "'" + name + "' cannot be loaded");
}

DynamicLibrary::~DynamicLibrary() {
    if (handle_) dlclose(handle_);
}

void *DynamicLibrary::symbol(const char *name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

void DynamicLibrary::keep() { // a handle that is never closed
    if (handle_) handle_ = nullptr;
}

} // namespace vmaf::system
