#include "system/fiber.hpp"

#include <new>

#include "system/windows.hpp"

// GCC 12 takes the thread block that GetCurrentFiber() reads for an empty array.
#pragma GCC diagnostic ignored "-Warray-bounds"

namespace vmaf::system {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;

}

// Uses the system's fibers: Windows must know the stack, or exceptions fail on it.
class Fiber::State {
  public:
    void *fiber = nullptr;
    bool is_thread = true, was_fiber = false;
    void (*entry)(void *) = nullptr;
    void *argument = nullptr;

    static void CALLBACK start(void *state) {
        auto *self = static_cast<State *>(state);
        self->entry(self->argument);
    }
};

Fiber::Fiber() : state_(std::make_unique<State>()) {}

Fiber::Fiber(void (*entry)(void *), void *argument) : state_(std::make_unique<State>()) {
    state_->is_thread = false;
    state_->entry = entry;
    state_->argument = argument;
    state_->fiber = CreateFiberEx(0, kStackBytes, FIBER_FLAG_FLOAT_SWITCH, State::start, state_.get());
    if (!state_->fiber) throw std::bad_alloc();
}

Fiber::~Fiber() {
    if (!state_->is_thread && state_->fiber) DeleteFiber(state_->fiber);
}

void Fiber::adopt_thread() {
    state_->was_fiber = IsThreadAFiber();
    state_->fiber = state_->was_fiber ? GetCurrentFiber() : ConvertThreadToFiberEx(nullptr, FIBER_FLAG_FLOAT_SWITCH);
    if (!state_->fiber) throw std::bad_alloc();
}

void Fiber::release_thread() {
    if (!state_->was_fiber) ConvertFiberToThread();
    state_->fiber = nullptr;
}

void Fiber::hand_over(Fiber &to) { SwitchToFiber(to.state_->fiber); }

void *Fiber::stack() const { return nullptr; }
std::size_t Fiber::stack_bytes() const { return 0; }

} // namespace vmaf::system
