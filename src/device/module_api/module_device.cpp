#include "device/module_api/module_device.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "device/callers_queue.hpp"
#include "device/dispatch.hpp"

namespace vmaf::module_api {

namespace {

using PlacePointer = std::shared_ptr<const Place>;

DevicePointer address(const std::byte *p) { return reinterpret_cast<DevicePointer>(p); }

// Runs `action` on the place if still possible: for destructors, which cannot report errors.
template <class F> void tidy_up(const Place &place, F action) noexcept {
    try {
        const Entered here(place);
        action(place.driver());
    } catch (const Error &) {
        // The device is lost, and with it what we wanted to release.
    }
}

class OwnMemory final : public DeviceMemory {
  public:
    OwnMemory(PlacePointer place, DevicePointer at, std::size_t bytes)
        : DeviceMemory(reinterpret_cast<std::byte *>(at), bytes), place_(std::move(place)) {}
    ~OwnMemory() override {
        tidy_up(*place_, [&](const Driver &d) { d.free(address(data())); });
    }

  private:
    PlacePointer place_;
};

class PinnedMemory final : public DeviceMemory {
  public:
    PinnedMemory(PlacePointer place, void *at, std::size_t bytes)
        : DeviceMemory(static_cast<std::byte *>(at), bytes), place_(std::move(place)) {}
    ~PinnedMemory() override {
        tidy_up(*place_, [&](const Driver &d) { d.host_free(data()); });
    }

  private:
    PlacePointer place_;
};

class ModuleEvent final : public Event {
  public:
    ModuleEvent(PlacePointer place, EventHandle handle) : place_(std::move(place)), handle_(handle) {}
    ~ModuleEvent() override {
        tidy_up(*place_, [&](const Driver &d) { d.event_destroy(handle_); });
    }
    void wait() override {
        const Entered here(*place_);
        const Driver &d = place_->driver();
        d.check(d.event_synchronize(handle_), d.event_synchronize);
    }
    bool reached() override {
        const Entered here(*place_);
        const Driver &d = place_->driver();
        const Result result = d.event_query(handle_);
        if (result == kNotReady) return false;
        d.check(result, d.event_query);
        return true;
    }
    float milliseconds_since(Event &earlier) override {
        const Entered here(*place_);
        const Driver &d = place_->driver();
        float out = 0;
        d.check(d.event_elapsed(&out, static_cast<ModuleEvent &>(earlier).handle_, handle_), d.event_elapsed);
        return out;
    }
    EventHandle handle() const { return handle_; }

  private:
    PlacePointer place_;
    EventHandle handle_;
};

// The kernels of a place, loaded on first use.
class Modules {
  public:
    Modules(PlacePointer place, const DeviceInfo &info) : place_(std::move(place)), info_(info) {}
    ~Modules() {
        tidy_up(*place_, [&](const Driver &d) {
            for (const auto &[image, module] : modules_) d.module_unload(module);
        });
    }
    Modules(const Modules &) = delete;
    Modules &operator=(const Modules &) = delete;

    LoadedKernel load(const Kernel &kernel) {
        const std::lock_guard lock(mutex_);
        const Entered here(*place_);
        const Driver &d = place_->driver();
        const ModuleHandle module = module_of(kernel);
        const std::string entry = "vmaf_" + std::string(kernel.name);
        FunctionHandle function = nullptr;
        d.check(d.module_function(&function, module, entry.c_str()), entry.c_str());
        LoadedKernel loaded{kernel.name, shape_of(module, entry), function};
        int most_threads = 0;
        d.check(d.function_attribute(&most_threads, kMaxThreadsPerBlock, function), d.function_attribute);
        if (static_cast<int>(loaded.shape.threads) > most_threads || loaded.shape.group_width != info_.group_width)
            throw Error(ENOTSUP, info_.backend + " code for " + entry + " does not fit this device: blocks of " +
                                     std::to_string(loaded.shape.threads) + " threads in groups of " +
                                     std::to_string(loaded.shape.group_width) + ", and " +
                                     std::to_string(most_threads) + " in groups of " +
                                     std::to_string(info_.group_width) + " are possible");
        d.allow_shared_memory(function, loaded.shape.shared_bytes);
        return loaded;
    }

  private:
    ModuleHandle module_of(const Kernel &kernel) {
        const auto found = modules_.find(kernel.set);
        if (found != modules_.end()) return found->second;
        const void *const code = place_->images().find(kernel.set);
        if (!code) throw Error(ENOTSUP, "no " + info_.backend + " code for " + kernel.set);
        const Driver &d = place_->driver();
        ModuleHandle module = nullptr;
        d.check(d.module_load(&module, code), d.module_load);
        return modules_.emplace(kernel.set, module).first->second;
    }
    // Reads a kernel's sizes from the image.
    KernelShape shape_of(ModuleHandle module, const std::string &entry) {
        const Driver &d = place_->driver();
        const std::string name = entry + "_shape";
        DevicePointer at = 0;
        std::size_t bytes = 0;
        KernelShape shape{};
        d.check(d.module_global(&at, &bytes, module, name.c_str()), name.c_str());
        if (bytes != sizeof shape) throw Error(EINVAL, name + " in the " + info_.backend + " image has a foreign form");
        d.check(d.copy_down_now(&shape, at, sizeof shape), d.copy_down_now);
        return shape;
    }

    PlacePointer place_;
    const DeviceInfo info_;
    std::mutex mutex_;
    std::map<std::string, ModuleHandle, std::less<>> modules_; // by set
};

// The streams of a place. Creating one is slow, so queues reuse them.
class Streams {
  public:
    explicit Streams(PlacePointer place) : place_(std::move(place)) {}
    ~Streams() {
        tidy_up(*place_, [&](const Driver &d) {
            for (const StreamHandle stream : idle_) d.stream_destroy(stream);
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
        const Entered here(*place_);
        const Driver &d = place_->driver();
        int lowest = 0, highest = 0;
        if (!place_->is_callers()) d.check(d.priority_range(&lowest, &highest), d.priority_range);
        StreamHandle stream = nullptr;
        idle_.reserve(++made_); // returning one never allocates
        d.check(d.stream_create(&stream, kStreamNonBlocking, highest), d.stream_create);
        return stream;
    }
    void give_back(StreamHandle stream) noexcept {
        tidy_up(*place_, [&](const Driver &d) { d.stream_synchronize(stream); });
        const std::lock_guard lock(mutex_);
        idle_.push_back(stream);
    }

  private:
    PlacePointer place_;
    std::mutex mutex_;
    std::size_t made_ = 0;
    std::vector<StreamHandle> idle_;
};

// Counts what queues copy to the host.
class CopyMeter {
  public:
    void add(std::size_t bytes) {
        const bool is_large = bytes >= HostCopies::kLarge;
        (is_large ? large_ : small_).fetch_add(1, std::memory_order_relaxed);
        (is_large ? large_bytes_ : small_bytes_).fetch_add(bytes, std::memory_order_relaxed);
    }
    HostCopies counts() const { return {small_, large_, small_bytes_, large_bytes_}; }

  private:
    std::atomic<std::uint64_t> small_ = 0, large_ = 0, small_bytes_ = 0, large_bytes_ = 0;
};

class ModuleQueue final : public Queue, public CallersOrder {
  public:
    ModuleQueue(PlacePointer place, std::shared_ptr<Modules> modules, std::shared_ptr<Streams> streams,
                std::shared_ptr<CopyMeter> meter)
        : place_(std::move(place)), modules_(std::move(modules)), streams_(std::move(streams)),
          meter_(std::move(meter)), stream_(streams_->take()), driver_(place_->driver()) {}
    ~ModuleQueue() override {
        streams_->give_back(stream_);
        if (between_) tidy_up(*place_, [&](const Driver &d) { d.event_destroy(between_); });
    }

    void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                CopyShape shape) override {
        if (const std::size_t bytes = linear_bytes(to_pitch, from_pitch, shape))
            driver_.check(driver_.copy_up(address(to), from, bytes, stream_), driver_.copy_up);
        else
            copy_rows(to, to_pitch, from, from_pitch, shape, Direction::up);
    }
    void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                  CopyShape shape) override {
        meter_->add(shape.row_bytes * shape.rows);
        if (const std::size_t bytes = linear_bytes(to_pitch, from_pitch, shape))
            driver_.check(driver_.copy_down(to, address(from), bytes, stream_), driver_.copy_down);
        else
            copy_rows(to, to_pitch, from, from_pitch, shape, Direction::down);
    }
    void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
              CopyShape shape) override {
        if (const std::size_t bytes = linear_bytes(to_pitch, from_pitch, shape))
            driver_.check(driver_.copy_across(address(to), address(from), bytes, stream_), driver_.copy_across);
        else
            copy_rows(to, to_pitch, from, from_pitch, shape, Direction::across);
    }
    void clear(std::byte *at, std::size_t bytes) override {
        driver_.check(driver_.set_words(address(at), 0, bytes / 4, stream_), driver_.set_words);
    }
    void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t) override {
        void *parameters[] = {const_cast<void *>(args)};
        const auto function = static_cast<FunctionHandle>(const_cast<void *>(kernel.entry));
        driver_.check(driver_.launch(function, grid.x, grid.y, grid.frames, kernel.shape.threads, 1, 1,
                                     kernel.shape.shared_bytes, stream_, parameters, nullptr),
                      driver_.launch);
    }
    void record(Event &event) override {
        driver_.check(driver_.event_record(static_cast<ModuleEvent &>(event).handle(), stream_), driver_.event_record);
    }
    void wait(Event &event) override {
        driver_.check(driver_.stream_wait(stream_, static_cast<ModuleEvent &>(event).handle(), 0), driver_.stream_wait);
    }
    void wait_for_default() override { wait_for(nullptr); }
    void wait_for(void *callers) override { follow(stream_, static_cast<StreamHandle>(callers)); }
    void hold(void *callers) override { follow(static_cast<StreamHandle>(callers), stream_); }
    void finish() override { driver_.check(driver_.stream_synchronize(stream_), driver_.stream_synchronize); }
    void *native() const override { return stream_; }

  private:
    void follow(StreamHandle later, StreamHandle earlier) {
        if (!between_) driver_.check(driver_.event_create(&between_, kEventDisableTiming), driver_.event_create);
        driver_.check(driver_.event_record(between_, earlier), driver_.event_record);
        driver_.check(driver_.stream_wait(later, between_, 0), driver_.stream_wait);
    }
    // For equal pitches: one block including padding. 0: copy row by row.
    static std::size_t linear_bytes(std::ptrdiff_t to_pitch, std::ptrdiff_t from_pitch, CopyShape shape) {
        if (shape.rows == 1) return shape.row_bytes;
        if (to_pitch != from_pitch) return 0;
        return (shape.rows - 1) * static_cast<std::size_t>(to_pitch) + shape.row_bytes;
    }
    void copy_rows(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                   CopyShape shape, Direction direction) {
        driver_.copy({to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                      shape.row_bytes, shape.rows, direction},
                     stream_);
    }

    PlacePointer place_;
    std::shared_ptr<Modules> modules_;
    std::shared_ptr<Streams> streams_;
    std::shared_ptr<CopyMeter> meter_;
    StreamHandle stream_;
    const Driver &driver_;          // of the place
    EventHandle between_ = nullptr; // between streams
};

class ModuleDevice final : public Device {
  public:
    explicit ModuleDevice(PlacePointer place)
        : place_(std::move(place)), info_(place_->describe()), modules_(std::make_shared<Modules>(place_, info_)),
          streams_(std::make_shared<Streams>(place_)) {}

    const DeviceInfo &info() const override { return info_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        const Entered here(*place_);
        const Driver &d = place_->driver();
        DevicePointer at = 0;
        d.check(d.allocate(&at, bytes), d.allocate);
        return std::make_unique<OwnMemory>(place_, at, bytes);
    }
    std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) override {
        const Entered here(*place_);
        const Driver &d = place_->driver();
        void *at = nullptr;
        d.check(d.host_allocate(&at, bytes, kHostAllocPortable), d.host_allocate);
        return std::make_unique<PinnedMemory>(place_, at, bytes);
    }
    std::unique_ptr<Queue> make_queue() override {
        return std::make_unique<ModuleQueue>(place_, modules_, streams_, meter_);
    }
    std::unique_ptr<Event> make_event(bool timing) override {
        const Entered here(*place_);
        const Driver &d = place_->driver();
        EventHandle event = nullptr;
        d.check(d.event_create(&event, kEventBlockingSync | (timing ? 0 : kEventDisableTiming)), d.event_create);
        return std::make_unique<ModuleEvent>(place_, event);
    }
    LoadedKernel load(const Kernel &kernel) override { return modules_->load(kernel); }
    DispatchRequest dispatch_request() const override { return read_dispatch(info_.backend); }
    void *native_context() const override { return place_->native_context(); }
    HostCopies host_copies() const override { return meter_->counts(); }
    std::optional<std::uint64_t> free_memory() const override {
        const Entered here(*place_);
        std::size_t free = 0, all = 0;
        if (place_->driver().memory_info(&free, &all) != kSuccess) return std::nullopt;
        return free;
    }

  private:
    void enter() override { place_->enter(); }
    void leave() noexcept override { place_->leave(); }

    PlacePointer place_;
    DeviceInfo info_;
    std::shared_ptr<Modules> modules_;
    std::shared_ptr<Streams> streams_;
    std::shared_ptr<CopyMeter> meter_ = std::make_shared<CopyMeter>();
};

} // namespace

std::shared_ptr<Device> make_device(std::shared_ptr<const Place> place) {
    return std::make_shared<ModuleDevice>(std::move(place));
}

} // namespace vmaf::module_api
