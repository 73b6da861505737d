#include "system/trust.hpp"

#include "system/files.hpp"

namespace vmaf::system {

// Windows gives folders of programs and of users to their owners alone, and there is no folder like /tmp that everybody
// can add names to. Access lists are not looked into.
std::string who_else_can_change(const std::string &, Reach) { return {}; }

std::string who_else_can_change_own_folder(const std::string &path) {
    make_folders(path);
    return {};
}

} // namespace vmaf::system
