// Files of the C library, by names in UTF-8.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace vmaf::system {

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using CFile = std::unique_ptr<std::FILE, CloseFile>;

// Opens a regular file in binary mode. Returns null with errno set if it cannot be opened or is not regular (a pipe
// could block the caller, a device might not end).
CFile open_to_read(const std::string &path);

} // namespace vmaf::system
