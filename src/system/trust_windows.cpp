#include "system/trust.hpp"

#include "system/files.hpp"
#include "system/filesystem.hpp"

namespace vmaf::system {

// Windows keeps program and user folders to their owners and has no folder like /tmp. We do not check
// access lists.
std::string who_else_can_change(const std::string &, Reach) { return {}; }

std::string content_if_own(const std::string &path, std::string &danger) {
    danger.clear();
    fs::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool make_own_folder(const std::string &path) try {
    make_folders(path);
    return true;
} catch (const Error &) {
    return false;
}

} // namespace vmaf::system
