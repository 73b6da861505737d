// The threads of a block as fibers of one host thread: each runs until it waits for others.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace vmaf {

class FiberSet {
  public:
    FiberSet();
    ~FiberSet();
    FiberSet(const FiberSet &) = delete;
    FiberSet &operator=(const FiberSet &) = delete;

    using Body = void (*)(void *state, unsigned index);
    // Runs body(state, 0) ... body(state, count - 1), switching at pass_on(), and returns when all are
    // done. Every second run visits them in reverse, to expose missing barriers. Throws Error on a
    // deadlock.
    void run(unsigned count, Body body, void *state);

    // Called by fibers: switches to the next one.
    void pass_on();
    // Called by fibers: an event that others may wait for has happened.
    void progress() { idle_turns_ = 0; }
    unsigned current() const; // the running fiber

  private:
    struct Member;
    static void enter(Member *member);
    void switch_to(Member &to);
    Member *next_alive();

    std::vector<std::unique_ptr<Member>> members_;
    std::unique_ptr<Member> home_; // the caller of run()
    Member *current_ = nullptr;
    Body body_ = nullptr;
    void *state_ = nullptr;
    unsigned count_ = 0, position_ = 0, idle_turns_ = 0, runs_ = 0;
    bool stuck_ = false;
};

} // namespace vmaf
