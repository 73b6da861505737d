// For systems without a linker fingerprint that we read.
#include "system/build_id.hpp"

namespace vmaf::system {

std::string build_id() { return {}; }

} // namespace vmaf::system
