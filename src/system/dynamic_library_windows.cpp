#include "system/dynamic_library.hpp"

#include "system/windows.hpp"

namespace vmaf::system {

DynamicLibrary::DynamicLibrary(const std::string &name) : handle_(nullptr) {
    // A file's dependencies are found in its own folder; a bare name is never searched for in the current folder.
    const bool is_file = name.find_first_of("/\\") != std::string::npos;
    std::wstring text = wide(name);
    std::replace(text.begin(), text.end(), L'/', L'\\');
    handle_ = reinterpret_cast<void *>(LoadLibraryExW(
        text.c_str(), nullptr, is_file ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS));
    if (!handle_) throw Error(ENOENT, "'" + name + "' cannot be loaded: " + reason_of(GetLastError()));
}

DynamicLibrary::~DynamicLibrary() {
    if (handle_) FreeLibrary(static_cast<HMODULE>(handle_));
}

void *DynamicLibrary::symbol(const char *name) const {
    return handle_ ? reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(handle_), name)) : nullptr;
}

void DynamicLibrary::keep() { handle_ = nullptr; } // a handle that is never closed

} // namespace vmaf::system
