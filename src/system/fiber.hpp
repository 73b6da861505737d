// Code that runs on a stack of its own and hands over to other such code by itself.
#pragma once

#include <cstddef>
#include <memory>

namespace vmaf::system {

class Fiber {
  public:
    // The calling thread itself; others hand over to it between adopt_thread() and release_thread().
    Fiber();
    // entry(argument) on a new stack; it must never return. Throws std::bad_alloc.
    Fiber(void (*entry)(void *), void *argument);
    Fiber(const Fiber &) = delete;
    Fiber &operator=(const Fiber &) = delete;
    ~Fiber();

    void adopt_thread();
    void release_thread();

    // Goes on with `to` where that stopped; returns when something hands over to this one.
    void hand_over(Fiber &to);

    // The memory of a stack of its own; none where the system does not tell.
    void *stack() const;
    std::size_t stack_bytes() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace vmaf::system
