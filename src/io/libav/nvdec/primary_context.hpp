// The context that everything in a process shares on the first CUDA device.
#pragma once

#include <memory>

namespace vmaf::nvdec {

// A CUcontext. Throws Error that says why there is none.
std::shared_ptr<void> primary_context();

} // namespace vmaf::nvdec
