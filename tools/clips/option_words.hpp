// Parses command lines of test programs: options with values, then plain words.
#pragma once

#include <string>

#include "base/error.hpp"

namespace vmaf {

class OptionWords {
  public:
    OptionWords(int argc, char **argv) : next_(argv + 1), end_(argv + argc) {}

    // Moves to the next option; false at the end.
    bool next() {
        if (next_ == end_) return false;
        name_ = *next_++;
        return true;
    }
    const std::string &name() const { return name_; }
    std::string value() {
        if (next_ == end_) throw invalid(name_ + " needs a value");
        return *next_++;
    }

  private:
    char **next_, **end_;
    std::string name_;
};

} // namespace vmaf
