// Marks that this thread is inside a client callback, so that calls which would wait for that callback are
// refused.
#pragma once

namespace vmaf {

class CallbackScope {
  public:
    explicit CallbackScope(const void *owner) : owner_(owner), outer_(innermost_) { innermost_ = this; }
    ~CallbackScope() { innermost_ = outer_; }
    CallbackScope(const CallbackScope &) = delete;
    CallbackScope &operator=(const CallbackScope &) = delete;

    static bool is_inside(const void *owner) {
        for (const CallbackScope *scope = innermost_; scope; scope = scope->outer_)
            if (scope->owner_ == owner) return true;
        return false;
    }

  private:
    const void *owner_;
    const CallbackScope *outer_;
    static inline thread_local const CallbackScope *innermost_ = nullptr;
};

} // namespace vmaf
