// The set of frame numbers read so far, as runs, so that an ordinary clip is one entry.
#pragma once

#include <iterator>
#include <map>

namespace vmaf {

class FrameNumbers {
  public:
    bool contains(unsigned number) const {
        auto run = runs_.upper_bound(number);
        return run != runs_.begin() && number < std::prev(run)->second;
    }
    // The number must be new and below the largest unsigned. Throws std::bad_alloc without changing anything.
    void insert(unsigned number) {
        const auto next = runs_.upper_bound(number);
        if (next != runs_.begin() && std::prev(next)->second == number) {
            std::prev(next)->second++; // two runs may touch now; harmless
            return;
        }
        runs_.emplace_hint(next, number, number + 1);
    }

  private:
    std::map<unsigned, unsigned> runs_; // first -> one past the last
};

} // namespace vmaf
