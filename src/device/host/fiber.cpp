#include "device/host/fiber.hpp"

#include <cerrno>

#include "base/error.hpp"
#include "device/host/sanitizers.hpp"
#include "system/execution.hpp"

namespace vmaf {

struct FiberSet::Fiber {
    FiberSet *set = nullptr;
    unsigned index = 0;
    bool done = false;
    std::unique_ptr<system::Execution> execution;
#ifdef VMAF_ASAN
    void *fake_stack = nullptr;
    const void *bottom = nullptr;
    std::size_t bytes = 0;
#endif
#ifdef VMAF_TSAN
    void *tsan = nullptr;
#endif
    ~Fiber() {
        if (execution && execution->stack()) forget_frames(execution->stack(), execution->stack_bytes());
    }
};

FiberSet::FiberSet() : home_(std::make_unique<Fiber>()) {
    home_->set = this;
    home_->execution = std::make_unique<system::Execution>();
}

FiberSet::~FiberSet() {
#ifdef VMAF_TSAN
    for (auto &fiber : fibers_) __tsan_destroy_fiber(fiber->tsan);
#endif
}

unsigned FiberSet::current() const { return current_->index; }

void FiberSet::switch_to(Fiber &to) {
    Fiber &from = *current_;
    if (&from == &to) return;
    current_ = &to;
#ifdef VMAF_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
#ifdef VMAF_TSAN
    __tsan_switch_to_fiber(to.tsan,
                           0); // one after the other, as they run here; races of a GPU's threads are for its own tools
#endif
    from.execution->hand_over(*to.execution);
#ifdef VMAF_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void FiberSet::enter(Fiber *fiber) {
    FiberSet &set = *fiber->set;
#ifdef VMAF_ASAN
    const void *bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    if (!set.home_->bottom) set.home_->bottom = bottom, set.home_->bytes = bytes;
#endif
    // For ever; but a function that a compiler knows never to return is called in a way that AddressSanitizer cannot
    // follow before it knows this stack.
    while (fiber->set) {
        set.body_(set.state_, fiber->index);
        fiber->done = true;
        set.progress();
        Fiber *next = set.next_alive();
        set.switch_to(next ? *next : *set.home_);
        // Switched to again: the next run.
    }
}

FiberSet::Fiber *FiberSet::next_alive() {
    for (unsigned n = 0; n < count_; n++) {
        position_ = position_ + 1 < count_ ? position_ + 1 : 0;
        Fiber *fiber = fibers_[runs_ & 1 ? count_ - 1 - position_ : position_].get();
        if (!fiber->done) return fiber;
    }
    return nullptr;
}

void FiberSet::pass_on() {
    if (++idle_turns_ > 2 * count_ + 2) {
        stuck_ = true;
        switch_to(*home_); // never comes back
    }
    switch_to(*next_alive());
}

void FiberSet::run(unsigned count, Body body, void *state) {
    while (fibers_.size() < count) {
        auto fiber = std::make_unique<Fiber>();
        fiber->set = this;
        fiber->index = static_cast<unsigned>(fibers_.size());
        fiber->execution =
            std::make_unique<system::Execution>([](void *p) { enter(static_cast<Fiber *>(p)); }, fiber.get());
#ifdef VMAF_ASAN
        fiber->bottom = fiber->execution->stack();
        fiber->bytes = fiber->execution->stack_bytes();
#endif
#ifdef VMAF_TSAN
        fiber->tsan = __tsan_create_fiber(0);
#endif
        fibers_.push_back(std::move(fiber));
    }
    if (stuck_) throw Error(EDEADLK, "host device: unusable after its threads waited for each other");
    body_ = body;
    state_ = state;
    count_ = count;
    idle_turns_ = 0;
    runs_++;
    for (unsigned i = 0; i < count; i++) fibers_[i]->done = false;
    position_ = count - 1;
    current_ = home_.get();
#ifdef VMAF_TSAN
    home_->tsan = __tsan_get_current_fiber();
#endif
    home_->execution->adopt_thread();
    switch_to(*next_alive());
    home_->execution->release_thread();
    if (stuck_)
        throw Error(EDEADLK, "host device: the threads of a block wait for each other (a barrier not reached "
                             "by all, or a group operation outside uniform control flow)");
}

} // namespace vmaf
