// A device that is the host itself: the same kernels, run by threads of the CPU. For tests and for the parity gate on
// machines without a GPU; not a backend for users.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace vmaf {

// group_width 32: doubles as on data-centre GPUs; 64: kernels run without doubles.
std::unique_ptr<Device> open_host_device(unsigned group_width = 32);

} // namespace vmaf
