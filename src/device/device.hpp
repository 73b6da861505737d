// What a GPU is to us: memory, queues that work in order, events between queues, and kernels that run on them.
// Nothing here knows metrics; one folder beside this file implements it for each runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "device/kernel.hpp"

namespace vmaf {

using kernels::KernelShape;

struct DispatchRequest;

// A kernel by name: the set that it belongs to (one image for each, docs/development/gpu.md) and its own. String
// literals.
struct Kernel {
    const char *set, *name;
};

// A kernel that a device is ready to run, with the sizes that it has there. Valid as long as the device.
struct LoadedKernel {
    const char *name = nullptr;
    KernelShape shape{};
    const void *entry = nullptr; // the runtime's own
};

struct DeviceInfo {
    std::string backend; // "host", or a name of kBackends
    unsigned index = 0;
    std::string name;   // "NVIDIA H200"
    std::string arch;   // "sm_90"
    std::string driver; // "13.0"
    std::uint64_t memory_bytes = 0;
    unsigned multiprocessors = 1;
    unsigned group_width = 32; // lanes that run in step
    bool is_processor = false; // the CPU itself under another name: never chosen unasked
};

// A block of memory that a device can reach.
class DeviceMemory {
  public:
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;
    virtual ~DeviceMemory() = default;
    std::byte *data() const { return data_; }
    std::size_t size() const { return size_; }

  protected:
    DeviceMemory(std::byte *data, std::size_t size) : data_(data), size_(size) {}

  private:
    std::byte *data_;
    std::size_t size_;
};

// A rectangle of bytes in device memory, in host memory, or in both (src and dst of a copy have the same size).
struct CopyShape {
    std::size_t row_bytes = 0, rows = 0;
};

// What a device's queues have brought to the host: results, a few KiB at a time, and pieces that may be pictures.
struct HostCopies {
    static constexpr std::size_t kLarge = std::size_t{64} << 10;
    std::uint64_t small = 0, large = 0; // copies of less than kLarge bytes; others
    std::uint64_t small_bytes = 0, large_bytes = 0;
};

// A place in the work of a queue.
class Event {
  public:
    virtual ~Event() = default;
    virtual void wait() = 0;    // the calling thread waits until the place is reached; at once if never recorded
    virtual bool reached() = 0; // without waiting
    virtual float milliseconds_since(Event &earlier) = 0; // both reached, both made with timing
};

struct Grid {
    unsigned x = 1, y = 1, frames = 1;
};

// Work done one piece after the other, while the caller goes on. The caller keeps a Device::Scope.
class Queue {
  public:
    virtual ~Queue() = default;
    // Host memory should be page-locked, and stays untouched until the copy is done.
    virtual void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                        CopyShape shape) = 0;
    virtual void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                          CopyShape shape) = 0;
    virtual void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                      CopyShape shape) = 0;                   // device to device
    virtual void clear(std::byte *at, std::size_t bytes) = 0; // a multiple of 4
    virtual void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t args_bytes) = 0;
    virtual void record(Event &event) = 0;
    virtual void wait(Event &event) = 0; // later work of this queue starts after the event
    // Later work of this queue starts after what the process has put into the device's default queue so far: copies
    // that callers made into our pictures, which the driver does not wait for (cuMemcpy2D from device to device).
    virtual void wait_for_default() {}
    virtual void finish() = 0; // the calling thread waits until all is done
    // The runtime's own handle, for libraries that put work into the queue themselves; null: there is none.
    virtual void *native() const { return nullptr; }
};

class Device {
  public:
    virtual ~Device() = default;
    virtual const DeviceInfo &info() const = 0;

    // While it lives, the calling thread may put work into queues of this device.
    class Scope {
      public:
        explicit Scope(Device &device) : device_(device) { device_.enter(); }
        ~Scope() { device_.leave(); }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

      private:
        Device &device_;
    };

    // These need no Scope. They throw Error(ENOMEM) when memory is short.
    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    virtual std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) = 0; // host memory for fast copies
    // Where kernels see memory that allocate_pinned() gave, on devices that share it with the host; null: it has to be
    // uploaded.
    virtual std::byte *reach(const std::byte * /*pinned*/) { return nullptr; }
    virtual std::unique_ptr<Queue> make_queue() = 0;
    virtual std::unique_ptr<Event> make_event(bool timing = false) = 0;
    // Makes a kernel ready to run; throws Error where the device cannot run it.
    virtual LoadedKernel load(const Kernel &kernel) = 0;
    // What the runtime's variable in the environment says; by default there is none (dispatch.hpp).
    virtual DispatchRequest dispatch_request() const;
    // The runtime's own handle of what the queues belong to (a CUcontext), for other libraries; null: there is none.
    virtual void *native_context() const { return nullptr; }
    virtual HostCopies host_copies() const { return {}; }

  private:
    virtual void enter() {}
    virtual void leave() noexcept {}
};

} // namespace vmaf
