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

CFile open_to_read(const std::string &path); // bytes as they are; null: it cannot be opened, and errno says why

} // namespace vmaf::system
