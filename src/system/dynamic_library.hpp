// A library loaded at run time.
#pragma once

#include <string>

#include "base/error.hpp"

namespace vmaf::system {

class DynamicLibrary {
  public:
    // By path, or by name alone for a system library. Throws Error (ENOENT) with the loader's reason.
    explicit DynamicLibrary(const std::string &name);
    DynamicLibrary(const DynamicLibrary &) = delete;
    DynamicLibrary &operator=(const DynamicLibrary &) = delete;
    ~DynamicLibrary();

    void *symbol(const char *name) const; // nullptr if missing
    void keep();                          // keeps it loaded until the program ends

  private:
    void *handle_;
};

} // namespace vmaf::system
