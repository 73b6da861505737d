// Steps between fork and exec that differ between POSIX systems: only async-signal-safe calls, except in the
// constructor.
#pragma once

#include <vector>

namespace vmaf::system {

class ProcessorSet {
  public:
    explicit ProcessorSet(const std::vector<int> &numbers); // empty: all processors that we may use
    ~ProcessorSet();
    ProcessorSet(const ProcessorSet &) = delete;
    ProcessorSet &operator=(const ProcessorSet &) = delete;
    void apply() const; // to the calling process

  private:
    void *set_ = nullptr; // of the system's own type
};

void die_with_parent();
void execute(char *const *words, char *const *environment); // searches PATH; returns only on error

} // namespace vmaf::system
