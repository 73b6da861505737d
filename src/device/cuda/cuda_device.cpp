#include "device/cuda/cuda_device.hpp"

#include <map>
#include <mutex>

#include "base/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/images.hpp"
#include "device/dispatch.hpp"

namespace vmaf {

namespace {

using namespace cuda;

constexpr unsigned kGroupWidth = 32;

DevicePointer address(const std::byte *p) { return reinterpret_cast<DevicePointer>(p); }

// A driver and a context of it, kept for as long as anything made in it lives.
class Context {
  public:
    Context(std::shared_ptr<const Driver> loaded, ContextHandle callers) : driver_(std::move(loaded)) {
        if (callers) {
            handle_ = callers;
            const Entered here(*this);
            driver_->check(driver_->cuCtxGetDevice(&device_), "cuCtxGetDevice");
        } else {
            driver_->device_count();
            driver_->check(driver_->cuDeviceGet(&device_, 0), "cuDeviceGet");
            driver_->check(driver_->cuDevicePrimaryCtxRetain(&handle_, device_), "cuDevicePrimaryCtxRetain");
            retained_ = true;
        }
    }
    ~Context() {
        if (retained_) driver_->cuDevicePrimaryCtxRelease(device_);
    }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    const Driver &driver() const { return *driver_; }
    DeviceHandle device() const { return device_; }
    bool retained() const { return retained_; }

    void push() const { driver_->check(driver_->cuCtxPushCurrent(handle_), "cuCtxPushCurrent"); }
    void pop() const noexcept {
        ContextHandle ignored = nullptr;
        driver_->cuCtxPopCurrent(&ignored);
    }
    // The context is current while this lives.
    class Entered {
      public:
        explicit Entered(const Context &context) : context_(context) { context_.push(); }
        ~Entered() { context_.pop(); }
        Entered(const Entered &) = delete;
        Entered &operator=(const Entered &) = delete;

      private:
        const Context &context_;
    };

  private:
    std::shared_ptr<const Driver> driver_;
    ContextHandle handle_ = nullptr;
    DeviceHandle device_ = 0;
    bool retained_ = false;
};
using ContextPointer = std::shared_ptr<const Context>;

// Runs `action` in the context if that is still possible: for destructors, which have nobody to complain to.
template <class F> void tidy_up(const Context &context, F action) noexcept {
    try {
        const Context::Entered here(context);
        action(context.driver());
    } catch (const Error &) {
        // The device is lost; so is what we wanted to give back.
    }
}

class CudaMemory final : public DeviceMemory {
  public:
    CudaMemory(ContextPointer context, DevicePointer at, std::size_t bytes)
        : DeviceMemory(reinterpret_cast<std::byte *>(at), bytes), context_(std::move(context)) {}
    ~CudaMemory() override {
        tidy_up(*context_, [&](const Driver &d) { d.cuMemFree(address(data())); });
    }

  private:
    ContextPointer context_;
};

class PinnedMemory final : public DeviceMemory {
  public:
    PinnedMemory(ContextPointer context, void *at, std::size_t bytes)
        : DeviceMemory(static_cast<std::byte *>(at), bytes), context_(std::move(context)) {}
    ~PinnedMemory() override {
        tidy_up(*context_, [&](const Driver &d) { d.cuMemFreeHost(data()); });
    }

  private:
    ContextPointer context_;
};

class CudaEvent final : public Event {
  public:
    CudaEvent(ContextPointer context, EventHandle handle) : context_(std::move(context)), handle_(handle) {}
    ~CudaEvent() override {
        tidy_up(*context_, [&](const Driver &d) { d.cuEventDestroy(handle_); });
    }
    void wait() override {
        const Context::Entered here(*context_);
        driver().check(driver().cuEventSynchronize(handle_), "cuEventSynchronize");
    }
    bool reached() override {
        const Context::Entered here(*context_);
        const Result result = driver().cuEventQuery(handle_);
        if (result == kNotReady) return false;
        driver().check(result, "cuEventQuery");
        return true;
    }
    float milliseconds_since(Event &earlier) override {
        const Context::Entered here(*context_);
        float out = 0;
        driver().check(driver().cuEventElapsedTime(&out, static_cast<CudaEvent &>(earlier).handle_, handle_),
                       "cuEventElapsedTime");
        return out;
    }
    EventHandle handle() const { return handle_; }

  private:
    const Driver &driver() const { return context_->driver(); }
    ContextPointer context_;
    EventHandle handle_;
};

std::vector<Image> &added_images() {
    static std::vector<Image> list;
    return list;
}

// Kernels of one context, loaded when first asked for.
class Modules {
  public:
    explicit Modules(ContextPointer context) : context_(std::move(context)) {}
    ~Modules() {
        tidy_up(*context_, [&](const Driver &d) {
            for (const auto &[image, module] : modules_) d.cuModuleUnload(module);
        });
    }
    Modules(const Modules &) = delete;
    Modules &operator=(const Modules &) = delete;

    LoadedKernel load(const Kernel &kernel) {
        const std::lock_guard lock(mutex_);
        const Context::Entered here(*context_);
        const Driver &d = context_->driver();
        const ModuleHandle module = module_of(kernel);
        const std::string entry = "vmaf_" + std::string(kernel.name);
        FunctionHandle function = nullptr;
        d.check(d.cuModuleGetFunction(&function, module, entry.c_str()), entry.c_str());
        LoadedKernel loaded{kernel.name, shape_of(module, entry), function};
        int most_threads = 0;
        d.check(d.cuFuncGetAttribute(&most_threads, kMaxThreadsPerBlock, function), "cuFuncGetAttribute");
        if (static_cast<int>(loaded.shape.threads) > most_threads || loaded.shape.group_width != kGroupWidth)
            throw Error(ENOTSUP, "CUDA code for " + entry + " does not fit this device: blocks of " +
                                     std::to_string(loaded.shape.threads) + " threads, " +
                                     std::to_string(most_threads) + " are possible");
        d.check(d.cuFuncSetAttribute(function, kMaxDynamicSharedBytes, static_cast<int>(loaded.shape.shared_bytes)),
                "cuFuncSetAttribute");
        return loaded;
    }

  private:
    ModuleHandle module_of(const Kernel &kernel) {
        const auto found = modules_.find(kernel.set);
        if (found != modules_.end()) return found->second;
        const Driver &d = context_->driver();
        for (const std::span<const Image> list : {images(), std::span<const Image>(added_images())})
            for (const Image &image : list)
                if (image.set == std::string_view(kernel.set)) {
                    ModuleHandle module = nullptr;
                    d.check(d.cuModuleLoadData(&module, image.fatbin), "cuModuleLoadData");
                    return modules_.emplace(kernel.set, module).first->second;
                }
        throw Error(ENOTSUP, "no CUDA code for " + std::string(kernel.set));
    }
    // The image itself says which sizes its kernels have.
    KernelShape shape_of(ModuleHandle module, const std::string &entry) {
        const Driver &d = context_->driver();
        const std::string name = entry + "_shape";
        DevicePointer at = 0;
        std::size_t bytes = 0;
        KernelShape shape{};
        d.check(d.cuModuleGetGlobal(&at, &bytes, module, name.c_str()), name.c_str());
        if (bytes != sizeof shape) throw Error(EINVAL, name + " in the CUDA image has a foreign form");
        d.check(d.cuMemcpyDtoH(&shape, at, sizeof shape), "cuMemcpyDtoH");
        return shape;
    }

    ContextPointer context_;
    std::mutex mutex_;
    std::map<std::string, ModuleHandle, std::less<>> modules_; // by set
};

// Streams of one context. Making one takes long, so those that a queue no longer needs serve the next.
class Streams {
  public:
    explicit Streams(ContextPointer context) : context_(std::move(context)) {}
    ~Streams() {
        tidy_up(*context_, [&](const Driver &d) {
            for (const StreamHandle stream : idle_) d.cuStreamDestroy(stream);
        });
    }
    Streams(const Streams &) = delete;
    Streams &operator=(const Streams &) = delete;

    StreamHandle take() {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            const StreamHandle stream = idle_.back();
            idle_.pop_back();
            return stream;
        }
        const Context::Entered here(*context_);
        const Driver &d = context_->driver();
        // Highest priority in the primary context; a caller knows better what matters in its own.
        int lowest = 0, highest = 0;
        if (context_->retained())
            d.check(d.cuCtxGetStreamPriorityRange(&lowest, &highest), "cuCtxGetStreamPriorityRange");
        StreamHandle stream = nullptr;
        idle_.reserve(++made_); // a return never allocates
        d.check(d.cuStreamCreateWithPriority(&stream, kStreamNonBlocking, highest), "cuStreamCreateWithPriority");
        return stream;
    }
    void give_back(StreamHandle stream) noexcept {
        tidy_up(*context_, [&](const Driver &d) { d.cuStreamSynchronize(stream); });
        const std::lock_guard lock(mutex_);
        idle_.push_back(stream);
    }

  private:
    ContextPointer context_;
    std::mutex mutex_;
    std::size_t made_ = 0;
    std::vector<StreamHandle> idle_;
};

class CudaQueue final : public Queue {
  public:
    CudaQueue(ContextPointer context, std::shared_ptr<Modules> modules, std::shared_ptr<Streams> streams)
        : context_(std::move(context)), modules_(std::move(modules)), streams_(std::move(streams)),
          stream_(streams_->take()) {}
    ~CudaQueue() override {
        streams_->give_back(stream_);
        if (default_reached_) tidy_up(*context_, [&](const Driver &d) { d.cuEventDestroy(default_reached_); });
    }

    void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                CopyShape shape) override {
        if (const std::size_t bytes = linear_bytes(to_pitch, from_pitch, shape)) {
            driver().check(driver().cuMemcpyHtoDAsync(address(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
            return;
        }
        Copy2D copy = rectangle(to_pitch, from_pitch, shape);
        copy.src_type = kMemoryHost;
        copy.src_host = from;
        copy.dst_type = kMemoryDevice;
        copy.dst_device = address(to);
        driver().check(driver().cuMemcpy2DAsync(&copy, stream_), "cuMemcpy2DAsync");
    }
    void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                  CopyShape shape) override {
        if (const std::size_t bytes = linear_bytes(to_pitch, from_pitch, shape)) {
            driver().check(driver().cuMemcpyDtoHAsync(to, address(from), bytes, stream_), "cuMemcpyDtoHAsync");
            return;
        }
        Copy2D copy = rectangle(to_pitch, from_pitch, shape);
        copy.src_type = kMemoryDevice;
        copy.src_device = address(from);
        copy.dst_type = kMemoryHost;
        copy.dst_host = to;
        driver().check(driver().cuMemcpy2DAsync(&copy, stream_), "cuMemcpy2DAsync");
    }
    void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
              CopyShape shape) override {
        if (const std::size_t bytes = linear_bytes(to_pitch, from_pitch, shape)) {
            driver().check(driver().cuMemcpyDtoDAsync(address(to), address(from), bytes, stream_), "cuMemcpyDtoDAsync");
            return;
        }
        Copy2D copy = rectangle(to_pitch, from_pitch, shape);
        copy.src_type = copy.dst_type = kMemoryDevice;
        copy.src_device = address(from);
        copy.dst_device = address(to);
        driver().check(driver().cuMemcpy2DAsync(&copy, stream_), "cuMemcpy2DAsync");
    }
    void clear(std::byte *at, std::size_t bytes) override {
        driver().check(driver().cuMemsetD32Async(address(at), 0, bytes / 4, stream_), "cuMemsetD32Async");
    }
    void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t) override {
        void *parameters[] = {const_cast<void *>(args)};
        const auto function = static_cast<FunctionHandle>(const_cast<void *>(kernel.entry));
        driver().check(driver().cuLaunchKernel(function, grid.x, grid.y, grid.frames, kernel.shape.threads, 1, 1,
                                               kernel.shape.shared_bytes, stream_, parameters, nullptr),
                       "cuLaunchKernel");
    }
    void record(Event &event) override {
        driver().check(driver().cuEventRecord(static_cast<CudaEvent &>(event).handle(), stream_), "cuEventRecord");
    }
    void wait(Event &event) override {
        driver().check(driver().cuStreamWaitEvent(stream_, static_cast<CudaEvent &>(event).handle(), 0),
                       "cuStreamWaitEvent");
    }
    void wait_for_default() override {
        if (!default_reached_)
            driver().check(driver().cuEventCreate(&default_reached_, kEventDisableTiming), "cuEventCreate");
        driver().check(driver().cuEventRecord(default_reached_, nullptr), "cuEventRecord");
        driver().check(driver().cuStreamWaitEvent(stream_, default_reached_, 0), "cuStreamWaitEvent");
    }
    void finish() override { driver().check(driver().cuStreamSynchronize(stream_), "cuStreamSynchronize"); }

  private:
    // Equal pitches: one block, padding included. 0: rows must be copied one by one.
    static std::size_t linear_bytes(std::ptrdiff_t to_pitch, std::ptrdiff_t from_pitch, CopyShape shape) {
        if (shape.rows == 1) return shape.row_bytes;
        if (to_pitch != from_pitch) return 0;
        return (shape.rows - 1) * static_cast<std::size_t>(to_pitch) + shape.row_bytes;
    }
    static Copy2D rectangle(std::ptrdiff_t to_pitch, std::ptrdiff_t from_pitch, CopyShape shape) {
        Copy2D copy;
        copy.src_pitch = static_cast<std::size_t>(from_pitch);
        copy.dst_pitch = static_cast<std::size_t>(to_pitch);
        copy.width_bytes = shape.row_bytes;
        copy.height = shape.rows;
        return copy;
    }
    const Driver &driver() const { return context_->driver(); }

    ContextPointer context_;
    std::shared_ptr<Modules> modules_;
    std::shared_ptr<Streams> streams_;
    StreamHandle stream_;
    EventHandle default_reached_ = nullptr;
};

DeviceInfo describe(const Driver &d, DeviceHandle device, unsigned index) {
    const auto attribute = [&](int which) {
        int value = 0;
        d.check(d.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
        return value;
    };
    char name[256] = {};
    std::size_t memory = 0;
    d.check(d.cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    d.check(d.cuDeviceTotalMem(&memory, device), "cuDeviceTotalMem");
    return {.backend = "cuda",
            .index = index,
            .name = name,
            .arch = "sm_" + std::to_string(attribute(kComputeCapabilityMajor)) +
                    std::to_string(attribute(kComputeCapabilityMinor)),
            .driver = d.version(),
            .memory_bytes = memory,
            .multiprocessors = static_cast<unsigned>(attribute(kMultiprocessorCount)),
            .group_width = kGroupWidth};
}

class CudaDevice final : public Device {
  public:
    explicit CudaDevice(ContextPointer context)
        : context_(std::move(context)), modules_(std::make_shared<Modules>(context_)),
          streams_(std::make_shared<Streams>(context_)),
          info_(describe(context_->driver(), context_->device(), static_cast<unsigned>(context_->device()))) {}

    const DeviceInfo &info() const override { return info_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        const Context::Entered here(*context_);
        DevicePointer at = 0;
        driver().check(driver().cuMemAlloc(&at, bytes), "cuMemAlloc");
        return std::make_unique<CudaMemory>(context_, at, bytes);
    }
    std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) override {
        const Context::Entered here(*context_);
        void *at = nullptr;
        driver().check(driver().cuMemHostAlloc(&at, bytes, kHostAllocPortable), "cuMemHostAlloc");
        return std::make_unique<PinnedMemory>(context_, at, bytes);
    }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<CudaQueue>(context_, modules_, streams_); }
    std::unique_ptr<Event> make_event(bool timing) override {
        const Context::Entered here(*context_);
        EventHandle event = nullptr;
        driver().check(driver().cuEventCreate(&event, kEventBlockingSync | (timing ? 0 : kEventDisableTiming)),
                       "cuEventCreate");
        return std::make_unique<CudaEvent>(context_, event);
    }
    LoadedKernel load(const Kernel &kernel) override { return modules_->load(kernel); }
    DispatchRequest dispatch_request() const override { return read_dispatch(info_.backend); }

  private:
    const Driver &driver() const { return context_->driver(); }
    void enter() override { context_->push(); }
    void leave() noexcept override { context_->pop(); }

    ContextPointer context_;
    std::shared_ptr<Modules> modules_;
    std::shared_ptr<Streams> streams_;
    DeviceInfo info_;
};

} // namespace

void cuda::add_image(const Image &image) { added_images().push_back(image); }

std::shared_ptr<Device> open_cuda_device(void *context) {
    return std::make_shared<CudaDevice>(std::make_shared<Context>(Driver::load(), static_cast<ContextHandle>(context)));
}

std::vector<DeviceInfo> list_cuda_devices() {
    const auto driver = Driver::load();
    const int count = driver->device_count();
    std::vector<DeviceInfo> devices;
    for (int i = 0; i < count; i++) {
        DeviceHandle device = 0;
        driver->check(driver->cuDeviceGet(&device, i), "cuDeviceGet");
        devices.push_back(describe(*driver, device, static_cast<unsigned>(i)));
    }
    return devices;
}

} // namespace vmaf
