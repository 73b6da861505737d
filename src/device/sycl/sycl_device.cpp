#include "device/sycl/sycl_device.hpp"

#include <string>

#include "base/error.hpp"
#include "device/dispatch.hpp"
#include "device/sycl/interface.h"
#include "device/sycl/module.hpp"
#include "system/log.hpp"
#include "system/module_search.hpp"
#include "system/trust.hpp"

namespace vmaf {

namespace {

using sycl::Module;

constexpr const char *kCheck = "; see \"Runtime requirements\" in docs/backends/sycl.md";

[[noreturn]] void cannot_load(const std::string &reason) {
    throw Error(ENODEV, "sycl: the module with the SYCL code " + reason + kCheck, "the module " + reason);
}

const Module *load_module() {
    std::string reason;
    const void *found = nullptr;
    try {
        found = system::load_module({"libvmaf-sycl.so", "VMAF_SYCL_MODULE", "vmaf_sycl_module", VMAF_SYCL_INTERFACE},
                                    reason);
    } catch (const system::Untrusted &e) {
        throw Error(ENODEV, std::string("sycl: ") + e.what());
    }
    if (!found) cannot_load(reason);
    return static_cast<const Module *>(found);
}

const Module &module() {
    static const Module *const loaded = load_module();
    return *loaded;
}

void check(int code) {
    if (code) throw Error(code, std::string("sycl: ") + module().error());
}
// For failures before a device is open: adds what to check.
void check_search(int code) {
    if (code == 0) return;
    const std::string reason = module().error();
    throw Error(ENODEV,
                "sycl: " + reason +
                    "; check the driver and which devices its own tool lists (sycl-ls, acpp-info), and " +
                    "ONEAPI_DEVICE_SELECTOR or ACPP_VISIBILITY_MASK" + kCheck,
                reason);
}

// Kept alive by everything created with it.
class OpenDevice {
  public:
    explicit OpenDevice(std::optional<unsigned> index) {
        check_search(module().open(index ? static_cast<int>(*index) : sycl::kDefaultDevice, &handle_));
    }
    ~OpenDevice() { module().close(handle_); }
    OpenDevice(const OpenDevice &) = delete;
    OpenDevice &operator=(const OpenDevice &) = delete;
    sycl::DeviceHandle *handle() const { return handle_; }

  private:
    sycl::DeviceHandle *handle_ = nullptr;
};
using DevicePointer = std::shared_ptr<const OpenDevice>;

class SyclMemory final : public DeviceMemory {
  public:
    SyclMemory(DevicePointer device, void *at, std::size_t bytes)
        : DeviceMemory(static_cast<std::byte *>(at), bytes), device_(std::move(device)) {}
    ~SyclMemory() override { module().release(device_->handle(), data()); }

  private:
    DevicePointer device_;
};

class SyclEvent final : public Event {
  public:
    SyclEvent(DevicePointer device, bool timing) : device_(std::move(device)) {
        check(module().make_event(device_->handle(), timing, &handle_));
    }
    ~SyclEvent() override { module().end_event(handle_); }
    void wait() override { check(module().wait_event(handle_)); }
    bool reached() override {
        int reached = 0;
        check(module().is_reached(handle_, &reached));
        return reached != 0;
    }
    float milliseconds_since(Event &earlier) override {
        float time = 0;
        check(module().milliseconds(static_cast<SyclEvent &>(earlier).handle_, handle_, &time));
        return time;
    }
    sycl::EventHandle *handle() const { return handle_; }

  private:
    DevicePointer device_;
    sycl::EventHandle *handle_ = nullptr;
};

class SyclQueue final : public Queue {
  public:
    explicit SyclQueue(DevicePointer device) : device_(std::move(device)) {
        check(module().make_queue(device_->handle(), &handle_));
    }
    ~SyclQueue() override { module().end_queue(handle_); }

    // SYCL pointers identify their kind of memory.
    void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                CopyShape shape) override {
        put({to, to_pitch, from, from_pitch, shape.row_bytes, shape.rows, true});
    }
    void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                  CopyShape shape) override {
        put({to, to_pitch, from, from_pitch, shape.row_bytes, shape.rows, false});
    }
    void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
              CopyShape shape) override {
        put({to, to_pitch, from, from_pitch, shape.row_bytes, shape.rows, false});
    }
    void clear(std::byte *at, std::size_t bytes) override { check(module().clear(handle_, at, bytes)); }
    void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t) override {
        check(module().launch(handle_, kernel.entry, {grid.x, grid.y, grid.frames}, args));
    }
    void record(Event &event) override { check(module().record(handle_, static_cast<SyclEvent &>(event).handle())); }
    void wait(Event &event) override { check(module().wait(handle_, static_cast<SyclEvent &>(event).handle())); }
    void finish() override { check(module().finish(handle_)); }

  private:
    void put(const sycl::Rectangle &rectangle) { check(module().copy(handle_, &rectangle)); }

    DevicePointer device_;
    sycl::QueueHandle *handle_ = nullptr;
};

DeviceInfo info_of(const sycl::Facts &facts, unsigned index) {
    return {.backend = "sycl",
            .index = index,
            .name = facts.name,
            .arch = facts.arch,
            .driver = facts.driver,
            .memory_bytes = facts.memory_bytes,
            .multiprocessors = facts.compute_units,
            .group_width = facts.group_width,
            .is_processor = facts.is_processor != 0};
}

class SyclDevice final : public Device {
  public:
    explicit SyclDevice(std::optional<unsigned> index)
        : device_(std::make_shared<OpenDevice>(index)),
          info_(info_of(*module().facts(device_->handle()), index.value_or(0))) {
        const sycl::Facts &facts = *module().facts(device_->handle());
        log(LogLevel::info, "sycl: " + info_.name + ", driver " + info_.driver + ", through " + module().compiler +
                                ": " + (facts.has_doubles ? "has" : "lacks") + " doubles; groups of " +
                                std::to_string(facts.group_width) + " lanes " +
                                (facts.has_native_group ? "are its sub-groups" : "meet in local memory"));
    }

    const DeviceInfo &info() const override { return info_; }
    DispatchRequest dispatch_request() const override {
        DispatchRequest request = read_dispatch(info_.backend);
        // SYCL users know "graph": here it means batches of frames in few launches.
        request.words.emplace("graph", Dispatch::adaptive);
        request.words.emplace("direct", Dispatch::batched);
        return request;
    }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override { return allocate(bytes, false); }
    std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) override { return allocate(bytes, true); }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<SyclQueue>(device_); }
    std::unique_ptr<Event> make_event(bool timing) override { return std::make_unique<SyclEvent>(device_, timing); }
    LoadedKernel load(const Kernel &kernel) override {
        LoadedKernel loaded{kernel.name, {}, nullptr};
        check(module().load(device_->handle(), kernel.set, kernel.name, &loaded.shape, &loaded.entry));
        return loaded;
    }

  private:
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes, bool pinned) {
        void *at = nullptr;
        check(module().allocate(device_->handle(), bytes, pinned, &at));
        return std::make_unique<SyclMemory>(device_, at, bytes);
    }

    DevicePointer device_;
    DeviceInfo info_;
};

} // namespace

std::shared_ptr<Device> open_sycl_device(std::optional<unsigned> index) { return std::make_shared<SyclDevice>(index); }

std::vector<DeviceInfo> list_sycl_devices() {
    std::uint32_t count = 0;
    check_search(module().count_gpus(&count));
    std::vector<DeviceInfo> list;
    for (std::uint32_t i = 0; i < count; i++) {
        sycl::Facts facts{};
        check_search(module().describe_gpu(i, &facts));
        list.push_back(info_of(facts, i));
    }
    return list;
}

} // namespace vmaf
