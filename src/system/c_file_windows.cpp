#include "system/c_file.hpp"

#include "system/windows.hpp"

namespace vmaf::system {

// Callers that do not use UTF-8 pass names in their code page.
CFile open_to_read(const std::string &path) {
    CFile file(_wfopen(wide_path(path).c_str(), L"rb"));
    return file ? std::move(file) : CFile(std::fopen(path.c_str(), "rb"));
}

} // namespace vmaf::system
