// A file that a program writes for the user: it grows in a folder of this run beside its place, and is there when it is
// whole. Runs that write the same file do not meet in it.
#pragma once

#include <string>

#include "cli/command_error.hpp"
#include "cli/work_folder.hpp"
#include "stages/written_file.hpp"

namespace vmaf::tune {

class NewFile {
  public:
    explicit NewFile(const std::string &output); // throws CommandError where it cannot be made, or another run makes it
    const std::string &path() const { return path_; } // to write to

    // Puts it in its place, once the disk has all of it. Throws CommandError where something else is there meanwhile,
    // unless that may be replaced.
    void keep(bool replaces) const;

  private:
    std::string output_;
    WorkFolder folder_;
    std::string path_;
};

// An output that could not be stored: exit code 6.
CommandError storage_error(const std::string &output, const std::string &why);
// Throws CommandError unless FFmpeg's file at `path` is whole, every packet of it; `output` is its name for people.
PacketSummary demand_whole(const Programs &programs, const ChildResult &outcome, const std::string &path,
                           const FrameWish &wish, const std::string &output);
// Throws CommandError where a run of FFmpeg for that output failed; `stage` names it.
void demand_success(const ChildResult &outcome, const std::string &stage, const std::string &output);
// Renames a whole file, and waits until the disk has it under that name. Throws CommandError.
void put_in_place(const std::string &part, const std::string &output);

} // namespace vmaf::tune
