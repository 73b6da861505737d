// A device that is the host itself: the same kernels, run by threads of the CPU. For tests and for the parity gate on
// machines without a GPU; not a backend for users.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace vmaf {

// group_width 32: doubles as on data-centre GPUs; 64: kernels run without doubles. shares_memory: kernels read pinned
// memory where it is, as on devices that have the host's memory.
std::unique_ptr<Device> open_host_device(unsigned group_width = 32, bool shares_memory = false);

// With kernels from elsewhere: those that the function finds, null where there is none.
struct HostBody;
using FindHostBody = const HostBody *(*)(const Kernel &kernel);
std::unique_ptr<Device> open_host_device(const char *arch, unsigned group_width, FindHostBody find,
                                         bool shares_memory = false);

} // namespace vmaf
