// The GPU interface: memory, in-order queues, events between queues, and kernels. It does not know metrics; each
// runtime implements it in a folder here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/kernel.hpp"

namespace vmaf {

using kernels::KernelShape;

struct DispatchRequest;

// Names a kernel: its set (one image per set, docs/development/gpu.md) and its name within it. String
// literals.
struct Kernel {
    const char *set, *name;
};

// A kernel ready to run on a device, with its sizes there. Valid while the device exists.
struct LoadedKernel {
    const char *name = nullptr;
    KernelShape shape{};
    const void *entry = nullptr; // the runtime's handle
};

struct DeviceInfo {
    std::string backend; // "host", or a name of kBackends
    unsigned index = 0;
    std::string name;   // "NVIDIA H200"
    std::string arch;   // "sm_90"
    std::string driver; // "13.0"
    std::uint64_t memory_bytes = 0;
    unsigned multiprocessors = 1;
    unsigned group_width = 32; // lanes that run in lockstep
    bool is_processor = false; // the CPU under another name: used only on request
};

// A block of memory that a device can access.
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

// A rectangle of bytes in device or host memory (source and destination of a copy have the same size).
struct CopyShape {
    std::size_t row_bytes = 0, rows = 0;
};

// What a device's queues copied to the host: results of a few KiB, and larger pieces that may be pictures.
struct HostCopies {
    static constexpr std::size_t kLarge = std::size_t{64} << 10;
    std::uint64_t small = 0, large = 0; // below kLarge bytes; others
    std::uint64_t small_bytes = 0, large_bytes = 0;
};

// A point in the work of a queue.
class Event {
  public:
    virtual ~Event() = default;
    virtual void wait() = 0;    // blocks until the point is reached; returns at once if never recorded
    virtual bool reached() = 0; // does not block
    virtual float milliseconds_since(Event &earlier) = 0; // both must be reached and have timing
};

struct Grid {
    unsigned x = 1, y = 1, frames = 1;
};

// Runs work in order and asynchronously. The caller must hold a Device::Scope.
class Queue {
  public:
    virtual ~Queue() = default;
    // Host memory should be page-locked, and must not change until the copy is done.
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
    // Later work of this queue starts after all current work of the device's default queue: callers copy into our
    // pictures there, and the driver does not wait for it (cuMemcpy2D from device to device).
    virtual void wait_for_default() {}
    virtual void finish() = 0; // blocks until all work is done
    // The runtime's handle, for libraries that add work to the queue; or null.
    virtual void *native() const { return nullptr; }
};

class Device {
  public:
    virtual ~Device() = default;
    virtual const DeviceInfo &info() const = 0;

    // Lets the calling thread add work to queues of this device while it exists.
    class Scope {
      public:
        explicit Scope(Device &device) : device_(device) { device_.enter(); }
        ~Scope() { device_.leave(); }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

      private:
        Device &device_;
    };

    // These need no Scope. They throw Error(ENOMEM) if memory is short.
    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    virtual std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) = 0; // host memory for fast copies
    // The device address of memory from allocate_pinned(), for devices that share host memory; null: upload
    // it.
    virtual std::byte *reach(const std::byte * /*pinned*/) { return nullptr; }
    virtual std::unique_ptr<Queue> make_queue() = 0;
    virtual std::unique_ptr<Event> make_event(bool timing = false) = 0;
    // Prepares a kernel; throws Error if the device cannot run it.
    virtual LoadedKernel load(const Kernel &kernel) = 0;
    // The request in the runtime's environment variable; empty by default (dispatch.hpp).
    virtual DispatchRequest dispatch_request() const;
    // The runtime's handle that the queues belong to (a CUcontext), for other libraries; or null.
    virtual void *native_context() const { return nullptr; }
    virtual HostCopies host_copies() const { return {}; }
    // Bytes that can still be allocated, if the runtime tells. Needs no Scope.
    virtual std::optional<std::uint64_t> free_memory() const { return std::nullopt; }

  private:
    virtual void enter() {}
    virtual void leave() noexcept {}
};

} // namespace vmaf
