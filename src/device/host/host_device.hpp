// The host as a device: the same kernels on CPU threads. For tests and the parity gate on machines without a GPU; not a
// backend for users.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace vmaf {

// group_width 32: doubles as on data-centre GPUs; 64: no doubles. shares_memory: kernels read pinned memory in place,
// as on devices that share the host's memory.
std::unique_ptr<Device> open_host_device(unsigned group_width = 32, bool shares_memory = false);

// Takes kernels from a lookup function, which returns null for unknown ones.
struct HostBody;
using FindHostBody = const HostBody *(*)(const Kernel &kernel);
std::unique_ptr<Device> open_host_device(const char *arch, unsigned group_width, FindHostBody find,
                                         bool shares_memory = false);

} // namespace vmaf
