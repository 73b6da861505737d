// A library that is loaded while the program runs.
#pragma once

#include <string>

#include "base/error.hpp"

namespace vmaf::system {

class DynamicLibrary {
  public:
    // By file, or by name alone for a library of the system. Throws Error (ENOENT) with the loader's reason.
    explicit DynamicLibrary(const std::string &name);
    DynamicLibrary(const DynamicLibrary &) = delete;
    DynamicLibrary &operator=(const DynamicLibrary &) = delete;
    ~DynamicLibrary();

    void *symbol(const char *name) const; // nullptr: it has none of that name
    void keep();                          // in memory until the program ends

  private:
    void *handle_;
};

} // namespace vmaf::system
