// A file that a program writes for the user: it grows in a folder of this run beside its place, and is there when it is
// whole. Runs that write the same file do not meet in it.
#pragma once

#include <string>

#include "cli/work_folder.hpp"

namespace vmaf::tune {

class NewFile {
  public:
    explicit NewFile(const std::string &output); // throws CommandError where it cannot be made, or another run makes it
    const std::string &path() const { return path_; } // to write to

    // Puts it in its place. Throws CommandError where something else is there by now, unless that may be replaced.
    void keep(bool replaces) const;

  private:
    std::string output_;
    WorkFolder folder_;
    std::string path_;
};

} // namespace vmaf::tune
