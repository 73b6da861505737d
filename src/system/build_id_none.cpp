// For systems whose linker leaves no fingerprint, or none that is read here.
#include "system/build_id.hpp"

namespace vmaf::system {

std::string build_id() { return {}; }

} // namespace vmaf::system
