// Stands before device/built_backends.cpp in a command for tests: one without GPUs, in builds that have backends for
// them.
#include "device/backends.hpp"

namespace vmaf {

std::span<const BuiltBackend> built_backends() { return {}; }

} // namespace vmaf
