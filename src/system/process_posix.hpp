// What POSIX systems do in ways of their own between fork and exec: async-signal-safe calls alone, but for the
// constructor.
#pragma once

#include <vector>

namespace vmaf::system {

class ProcessorSet {
  public:
    explicit ProcessorSet(const std::vector<int> &numbers); // empty: all that we may use
    ~ProcessorSet();
    ProcessorSet(const ProcessorSet &) = delete;
    ProcessorSet &operator=(const ProcessorSet &) = delete;
    void apply() const; // to the calling process

  private:
    void *set_ = nullptr; // the system's own description
};

void die_with_parent();
void execute(char *const *words, char *const *environment); // looked for in PATH; returns only with an error

} // namespace vmaf::system
