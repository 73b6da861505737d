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
    // Runs body(state, 0) ... body(state, count - 1), switching where they call pass_on(), and returns when all are
    // done. Every second run goes through them backwards, so that a missing barrier shows.
    // Throws Error when all of them wait for each other.
    void run(unsigned count, Body body, void *state);

    // For fibers: lets the next one run.
    void pass_on();
    // For fibers: something that others may wait for has happened.
    void progress() { idle_turns_ = 0; }
    unsigned current() const; // which one runs

  private:
    struct Member;
    static void enter(Member *member);
    void switch_to(Member &to);
    Member *next_alive();

    std::vector<std::unique_ptr<Member>> members_;
    std::unique_ptr<Member> home_; // the thread that called run()
    Member *current_ = nullptr;
    Body body_ = nullptr;
    void *state_ = nullptr;
    unsigned count_ = 0, position_ = 0, idle_turns_ = 0, runs_ = 0;
    bool stuck_ = false;
};

} // namespace vmaf
