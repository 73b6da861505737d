// Replaces device/built_backends.cpp in a test command without GPUs, for builds that have GPU backends.
#include "device/backends.hpp"

namespace vmaf {

std::span<const BuiltBackend> built_backends() { return {}; }

} // namespace vmaf
