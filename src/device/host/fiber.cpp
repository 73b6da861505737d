#include "device/host/fiber.hpp"

#include <cerrno>

#include "base/error.hpp"
#include "device/host/sanitizers.hpp"
#include "system/fiber.hpp"

namespace vmaf {

struct FiberSet::Member {
    FiberSet *set = nullptr;
    unsigned index = 0;
    bool done = false;
    std::unique_ptr<system::Fiber> fiber;
#ifdef VMAF_ASAN
    void *fake_stack = nullptr;
    const void *bottom = nullptr;
    std::size_t bytes = 0;
#endif
#ifdef VMAF_TSAN
    void *tsan = nullptr;
#endif
    ~Member() {
        if (fiber && fiber->stack()) forget_frames(fiber->stack(), fiber->stack_bytes());
    }
};

FiberSet::FiberSet() : home_(std::make_unique<Member>()) {
    home_->set = this;
    home_->fiber = std::make_unique<system::Fiber>();
}

FiberSet::~FiberSet() {
#ifdef VMAF_TSAN
    for (auto &member : members_) __tsan_destroy_fiber(member->tsan);
#endif
}

unsigned FiberSet::current() const { return current_->index; }

void FiberSet::switch_to(Member &to) {
    Member &from = *current_;
    if (&from == &to) return;
    current_ = &to;
#ifdef VMAF_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
#ifdef VMAF_TSAN
    __tsan_switch_to_fiber(to.tsan,
                           0); // in the order they run; races need a GPU's own tools
#endif
    from.fiber->hand_over(*to.fiber);
#ifdef VMAF_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void FiberSet::enter(Member *member) {
    FiberSet &set = *member->set;
#ifdef VMAF_ASAN
    const void *bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    if (!set.home_->bottom) set.home_->bottom = bottom, set.home_->bytes = bytes;
#endif
    // Loops forever. A function marked noreturn would be called in a way that AddressSanitizer cannot follow before it
    // knows this stack.
    while (member->set) {
        set.body_(set.state_, member->index);
        member->done = true;
        set.progress();
        Member *next = set.next_alive();
        set.switch_to(next ? *next : *set.home_);
        // Resumed: the next run.
    }
}

FiberSet::Member *FiberSet::next_alive() {
    for (unsigned n = 0; n < count_; n++) {
        position_ = position_ + 1 < count_ ? position_ + 1 : 0;
        Member *member = members_[runs_ & 1 ? count_ - 1 - position_ : position_].get();
        if (!member->done) return member;
    }
    return nullptr;
}

void FiberSet::pass_on() {
    if (++idle_turns_ > 2 * count_ + 2) {
        stuck_ = true;
        switch_to(*home_); // does not return
    }
    switch_to(*next_alive());
}

void FiberSet::run(unsigned count, Body body, void *state) {
    while (members_.size() < count) {
        auto member = std::make_unique<Member>();
        member->set = this;
        member->index = static_cast<unsigned>(members_.size());
        member->fiber = std::make_unique<system::Fiber>([](void *p) { enter(static_cast<Member *>(p)); }, member.get());
#ifdef VMAF_ASAN
        member->bottom = member->fiber->stack();
        member->bytes = member->fiber->stack_bytes();
#endif
#ifdef VMAF_TSAN
        member->tsan = __tsan_create_fiber(0);
#endif
        members_.push_back(std::move(member));
    }
    if (stuck_) throw Error(EDEADLK, "host device: unusable after its threads waited for each other");
    body_ = body;
    state_ = state;
    count_ = count;
    idle_turns_ = 0;
    runs_++;
    for (unsigned i = 0; i < count; i++) members_[i]->done = false;
    position_ = count - 1;
    current_ = home_.get();
#ifdef VMAF_TSAN
    home_->tsan = __tsan_get_current_fiber();
#endif
    home_->fiber->adopt_thread();
    switch_to(*next_alive());
    home_->fiber->release_thread();
    if (stuck_)
        throw Error(EDEADLK, "host device: the threads of a block wait for each other (a barrier not reached "
                             "by all, or a group operation outside uniform control flow)");
}

} // namespace vmaf
