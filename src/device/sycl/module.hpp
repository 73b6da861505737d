// The interface of the SYCL module: plain C functions over plain data, since it may be built with another compiler and
// C++ library. Only the module uses SYCL and needs a SYCL runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel.hpp"

namespace vmaf::sycl {

// Facts about a device.
struct Facts {
    char name[256], vendor[128], arch[32], driver[128]; // arch: the vendor ID ("0x8086")
    std::uint64_t memory_bytes;
    std::uint32_t compute_units;
    std::uint32_t group_width;     // lanes of a kernel's groups
    std::uint8_t is_processor;     // the CPU itself
    std::uint8_t has_doubles;      // else kernels emulate them
    std::uint8_t has_native_group; // else groups meet in local memory
};

struct Rectangle {
    std::byte *to;
    std::ptrdiff_t to_pitch;
    const std::byte *from;
    std::ptrdiff_t from_pitch;
    std::size_t row_bytes, rows;
    std::uint8_t may_fill_gaps; // may copy padding between rows of equal pitch
};

struct LaunchGrid {
    std::uint32_t x, y, frames;
};

struct DeviceHandle; // opaque
struct QueueHandle;
struct EventHandle;

inline constexpr int kDefaultDevice = -1; // SYCL's default selector

// Exported as vmaf_sycl_module. Functions returning int return 0 or a positive errno value; error() then returns the
// message for the calling thread. Nothing throws.
struct Module {
    const char *interface; // from the generated interface.h: changes with every kernel
    const char *compiler;  // "AdaptiveCpp 24.06.0"
    const char *(*error)();

    int (*count_gpus)(std::uint32_t *count);
    int (*describe_gpu)(std::uint32_t index, Facts *facts);
    // index: a GPU in enumeration order, or kDefaultDevice.
    int (*open)(int index, DeviceHandle **device);
    void (*close)(DeviceHandle *device);
    const Facts *(*facts)(const DeviceHandle *device);
    int (*load)(DeviceHandle *device, const char *set, const char *name, kernels::KernelShape *shape,
                const void **entry);

    int (*allocate)(DeviceHandle *device, std::size_t bytes, int pinned_host, void **at);
    void (*release)(DeviceHandle *device, void *at);

    int (*make_queue)(DeviceHandle *device, QueueHandle **queue);
    void (*end_queue)(QueueHandle *queue); // blocks until it is idle
    int (*copy)(QueueHandle *queue, const Rectangle *rectangle);
    int (*clear)(QueueHandle *queue, void *at, std::size_t bytes);
    int (*launch)(QueueHandle *queue, const void *entry, LaunchGrid grid, const void *args);
    int (*record)(QueueHandle *queue, EventHandle *event);
    int (*wait)(QueueHandle *queue, EventHandle *event);
    int (*finish)(QueueHandle *queue);

    // timing: records when it was reached; recording such an event blocks until then.
    int (*make_event)(DeviceHandle *device, int timing, EventHandle **event);
    void (*end_event)(EventHandle *event);
    int (*wait_event)(EventHandle *event);
    int (*is_reached)(EventHandle *event, int *reached);
    int (*milliseconds)(EventHandle *from, EventHandle *to, float *time);
};

} // namespace vmaf::sycl
