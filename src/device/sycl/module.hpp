// What the SYCL module offers: plain C functions over plain data, because another compiler made it, perhaps with
// another C++ library. Only the module knows SYCL, and only it needs a SYCL runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel.hpp"

namespace vmaf::sycl {

// Facts about a device.
struct Facts {
    char name[256], vendor[128], arch[32], driver[128]; // arch: the vendor's number ("0x8086")
    std::uint64_t memory_bytes;
    std::uint32_t compute_units;
    std::uint32_t group_width;     // lanes of the groups that kernels work in
    std::uint8_t is_processor;     // the CPU itself
    std::uint8_t has_doubles;      // else kernels compute them in integers
    std::uint8_t has_native_group; // else groups meet in local memory
};

struct Rectangle {
    std::byte *to;
    std::ptrdiff_t to_pitch;
    const std::byte *from;
    std::ptrdiff_t from_pitch;
    std::size_t row_bytes, rows;
    std::uint8_t may_fill_gaps; // what lies between rows of equal pitches may come along
};

struct LaunchGrid {
    std::uint32_t x, y, frames;
};

struct DeviceHandle; // the module's own
struct QueueHandle;
struct EventHandle;

inline constexpr int kDefaultDevice = -1; // what SYCL's default selector gives

// Under the name vmaf_sycl_module. Functions that return int return 0 or a positive errno value; error() then has the
// sentence, for the thread that called. Nothing throws.
struct Module {
    const char *interface; // of interface.h, made by the build: changes with every kernel
    const char *compiler;  // "AdaptiveCpp 24.06.0"
    const char *(*error)();

    int (*count_gpus)(std::uint32_t *count);
    int (*describe_gpu)(std::uint32_t index, Facts *facts);
    // index: a GPU in the order of enumeration, or kDefaultDevice.
    int (*open)(int index, DeviceHandle **device);
    void (*close)(DeviceHandle *device);
    const Facts *(*facts)(const DeviceHandle *device);
    int (*load)(DeviceHandle *device, const char *set, const char *name, kernels::KernelShape *shape,
                const void **entry);

    int (*allocate)(DeviceHandle *device, std::size_t bytes, int pinned_host, void **at);
    void (*release)(DeviceHandle *device, void *at);

    int (*make_queue)(DeviceHandle *device, QueueHandle **queue);
    void (*end_queue)(QueueHandle *queue); // waits
    int (*copy)(QueueHandle *queue, const Rectangle *rectangle);
    int (*clear)(QueueHandle *queue, void *at, std::size_t bytes);
    int (*launch)(QueueHandle *queue, const void *entry, LaunchGrid grid, const void *args);
    int (*record)(QueueHandle *queue, EventHandle *event);
    int (*wait)(QueueHandle *queue, EventHandle *event);
    int (*finish)(QueueHandle *queue);

    // timing: knows when it was reached; recording such an event waits until it is.
    int (*make_event)(DeviceHandle *device, int timing, EventHandle **event);
    void (*end_event)(EventHandle *event);
    int (*wait_event)(EventHandle *event);
    int (*is_reached)(EventHandle *event, int *reached);
    int (*milliseconds)(EventHandle *from, EventHandle *to, float *time);
};

} // namespace vmaf::sycl
