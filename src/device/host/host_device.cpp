#include "device/host/host_device.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "device/host/host_kernels.hpp"

namespace vmaf {

namespace {

class HostMemory final : public DeviceMemory {
  public:
    // Fills every byte with a value that spoils sums, to expose reads of unwritten memory.
    explicit HostMemory(AlignedArray<std::byte> block)
        : DeviceMemory(block.data(), block.size()), block_(std::move(block)) {
        std::memset(data(), 0xa5, size());
    }

  private:
    AlignedArray<std::byte> block_;
};

class HostEvent final : public Event {
  public:
    void wait() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return reached_ == recorded_; });
    }
    bool reached() override {
        const std::lock_guard lock(mutex_);
        return reached_ == recorded_;
    }
    float milliseconds_since(Event &earlier) override {
        return std::chrono::duration<float, std::milli>(when_ - static_cast<HostEvent &>(earlier).when_).count();
    }

    unsigned note_recorded() {
        const std::lock_guard lock(mutex_);
        return ++recorded_;
    }
    unsigned recorded() {
        const std::lock_guard lock(mutex_);
        return recorded_;
    }
    void reach(unsigned number) {
        const std::lock_guard lock(mutex_);
        reached_ = number;
        when_ = std::chrono::steady_clock::now();
        changed_.notify_all();
    }
    void wait_for(unsigned number) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return static_cast<int>(reached_ - number) >= 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned recorded_ = 0, reached_ = 0;
    std::chrono::steady_clock::time_point when_;
};

// A thread that runs work in order. Never runs it synchronously, so tests (and ThreadSanitizer) notice work that
// forgets to wait for an event.
class HostQueue final : public Queue {
  public:
    HostQueue() : worker_([this] { work(); }) {}
    ~HostQueue() override {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
            changed_.notify_all();
        }
        worker_.join();
    }

    void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                CopyShape shape) override {
        copy(to, to_pitch, from, from_pitch, shape);
    }
    void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                  CopyShape shape) override {
        copy(to, to_pitch, from, from_pitch, shape);
    }
    void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
              CopyShape shape) override {
        put([=] {
            for (std::size_t y = 0; y < shape.rows; y++)
                std::memcpy(to + static_cast<std::ptrdiff_t>(y) * to_pitch,
                            from + static_cast<std::ptrdiff_t>(y) * from_pitch, shape.row_bytes);
        });
    }
    void clear(std::byte *at, std::size_t bytes) override {
        put([=] { std::memset(at, 0, bytes); });
    }
    void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t args_bytes) override {
        const auto *first = static_cast<const std::byte *>(args);
        put([this, kernel, grid, copy = std::vector<std::byte>(first, first + args_bytes)] {
            run(kernel, grid, copy.data());
        });
    }
    void record(Event &event) override {
        auto &e = static_cast<HostEvent &>(event);
        put([&e, number = e.note_recorded()] { e.reach(number); });
    }
    void wait(Event &event) override {
        auto &e = static_cast<HostEvent &>(event);
        put([&e, number = e.recorded()] { e.wait_for(number); });
    }
    void finish() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return pieces_.empty() && !busy_; });
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void put(std::function<void()> piece) {
        const std::lock_guard lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
        pieces_.push_back(std::move(piece));
        changed_.notify_all();
    }
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return closing_ || !pieces_.empty(); });
            if (pieces_.empty()) return;
            const std::function<void()> piece = std::move(pieces_.front());
            pieces_.pop_front();
            busy_ = true;
            lock.unlock();
            std::exception_ptr failure;
            try {
                piece();
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            busy_ = false;
            if (failure && !failure_) failure_ = failure;
            changed_.notify_all();
        }
    }
    void run(const LoadedKernel &kernel, Grid grid, const void *args) {
        const KernelShape &shape = kernel.shape;
        if (shared_.size() < shape.shared_bytes) shared_ = AlignedArray<std::byte>(shape.shared_bytes);
        HostBlock block(fibers_);
        block.shared = shared_.data();
        const auto &body = *static_cast<const HostBody *>(kernel.entry);
        for (unsigned frame = 0; frame < grid.frames; frame++)
            for (unsigned y = 0; y < grid.y; y++)
                for (unsigned x = 0; x < grid.x; x++) {
                    std::memset(shared_.data(), 0xab, shape.shared_bytes); // nothing survives between blocks
                    block.x = static_cast<int>(x);
                    block.y = static_cast<int>(y);
                    block.frame = static_cast<int>(frame);
                    body.run(block, body, args);
                }
    }

    FiberSet fibers_;
    AlignedArray<std::byte> shared_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> pieces_;
    bool busy_ = false, closing_ = false;
    std::exception_ptr failure_;
    std::thread worker_; // last: starts when everything else exists
};

class HostDevice final : public Device {
  public:
    HostDevice(const char *arch, unsigned group_width, FindHostBody find, bool shares_memory)
        : find_(find), shares_memory_(shares_memory) {
        info_.backend = "host";
        info_.name = "host";
        info_.arch = arch;
        info_.group_width = group_width;
    }
    const DeviceInfo &info() const override { return info_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return std::make_unique<HostMemory>(AlignedArray<std::byte>(bytes));
    }
    std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
    std::byte *reach(const std::byte *pinned) override {
        return shares_memory_ ? const_cast<std::byte *>(pinned) : nullptr;
    }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<HostQueue>(); }
    std::unique_ptr<Event> make_event(bool) override { return std::make_unique<HostEvent>(); }
    LoadedKernel load(const Kernel &kernel) override {
        if (const HostBody *body = find_(kernel)) return {kernel.name, body->shape, body};
        throw Error(ENOTSUP, "no kernel '" + std::string(kernel.name) + "' in the set '" + kernel.set + "'");
    }

  private:
    FindHostBody find_;
    bool shares_memory_;
    DeviceInfo info_;
};

template <HostBody HostKernel::*kForm> const HostBody *find_body(const Kernel &kernel) {
    for (const HostKernelSet &set : host_kernel_sets())
        if (set.name == std::string_view(kernel.set))
            for (const HostKernel &k : set.kernels)
                if (k.name == std::string_view(kernel.name)) return &(k.*kForm);
    return nullptr;
}

} // namespace

std::unique_ptr<Device> open_host_device(const char *arch, unsigned group_width, FindHostBody find,
                                         bool shares_memory) {
    return std::make_unique<HostDevice>(arch, group_width, find, shares_memory);
}

std::unique_ptr<Device> open_host_device(unsigned group_width, bool shares_memory) {
    if (group_width == 32) return open_host_device("host32", 32, find_body<&HostKernel::in32>, shares_memory);
    if (group_width == 64) return open_host_device("host64", 64, find_body<&HostKernel::in64>, shares_memory);
    throw invalid("host device: groups have 32 or 64 lanes");
}

} // namespace vmaf
