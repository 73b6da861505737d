#include "system/trust.hpp"

#include "system/files.hpp"
#include "system/filesystem.hpp"

namespace vmaf::system {

// Windows gives folders of programs and of users to their owners alone, and there is no folder like /tmp that everybody
// can add names to. Access lists are not looked into.
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
