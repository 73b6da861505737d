// The targets of this build's device code.
#pragma once

#include <string_view>

namespace vmaf::hip {

extern const std::string_view kTargets; // "gfx90a gfx1030"; empty without device code

} // namespace vmaf::hip
