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

// Bytes as they are. Null: it cannot be opened, or is no regular file (a pipe would make the caller wait, a device need
// not end), and errno says why.
CFile open_to_read(const std::string &path);

} // namespace vmaf::system
