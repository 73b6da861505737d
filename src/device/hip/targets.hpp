// What the device code of this build was compiled for.
#pragma once

#include <string_view>

namespace vmaf::hip {

extern const std::string_view kTargets; // "gfx90a gfx1030"; empty: there is none

} // namespace vmaf::hip
