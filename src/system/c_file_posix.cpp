#include "system/c_file.hpp"

namespace vmaf::system {

CFile open_to_read(const std::string &path) { return CFile(std::fopen(path.c_str(), "rb")); }

} // namespace vmaf::system
