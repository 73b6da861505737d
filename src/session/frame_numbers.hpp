// Which frame numbers were given: runs of neighbours, so that an ordinary clip is one entry.
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
    // Must not be there yet and be below the largest unsigned. Throws std::bad_alloc and leaves everything as it was.
    void insert(unsigned number) {
        const auto next = runs_.upper_bound(number);
        if (next != runs_.begin() && std::prev(next)->second == number) {
            std::prev(next)->second++; // two runs may touch now; that does no harm
            return;
        }
        runs_.emplace_hint(next, number, number + 1);
    }

  private:
    std::map<unsigned, unsigned> runs_; // first -> one after the last
};

} // namespace vmaf
