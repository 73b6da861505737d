// Which build this is.
#pragma once

#include <string>

namespace vmaf::system {

std::string build_id(); // the linker's fingerprint of this executable in hexadecimal, or empty

} // namespace vmaf::system
