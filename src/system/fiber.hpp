// Code on its own stack that switches cooperatively.
#pragma once

#include <cstddef>
#include <memory>

namespace vmaf::system {

class Fiber {
  public:
    // The calling thread itself; others may switch to it between adopt_thread() and release_thread().
    Fiber();
    // Runs entry(argument) on a new stack; entry must never return. Throws std::bad_alloc.
    Fiber(void (*entry)(void *), void *argument);
    Fiber(const Fiber &) = delete;
    Fiber &operator=(const Fiber &) = delete;
    ~Fiber();

    void adopt_thread();
    void release_thread();

    // Resumes `to`; returns when something switches back to this fiber.
    void hand_over(Fiber &to);

    // The memory of its own stack; null where the system does not expose it.
    void *stack() const;
    std::size_t stack_bytes() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace vmaf::system
