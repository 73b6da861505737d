// A file that a program writes for the user: it grows in this run's folder next to its destination, and moves there
// when complete. Concurrent runs cannot clobber each other's file.
#pragma once

#include <string>

#include "cli/command_error.hpp"
#include "cli/work_folder.hpp"
#include "stages/written_file.hpp"

namespace vmaf::tune {

class NewFile {
  public:
    explicit NewFile(
        const std::string &output); // throws CommandError if it cannot be created, or another run is writing it
    const std::string &path() const { return path_; } // where to write

    // Moves it to its destination, once on disk. Throws CommandError if something else has appeared there, unless
    // replacing is allowed.
    void keep(bool replaces) const;

  private:
    std::string output_;
    WorkFolder folder_;
    std::string path_;
};

// An output that could not be stored: exit code 6.
CommandError storage_error(const std::string &output, const std::string &why);
// Throws CommandError unless every packet of FFmpeg's file at `path` is complete; `output` is its name for users.
PacketSummary demand_whole(const Programs &programs, const ChildResult &outcome, const std::string &path,
                           const FrameWish &wish, const std::string &output);
// Throws CommandError if a run of FFmpeg for that output failed; `stage` names it.
void demand_success(const ChildResult &outcome, const std::string &stage, const std::string &output);
// Renames a complete file, and waits until the new name is on disk. Throws CommandError.
void put_in_place(const std::string &part, const std::string &output);

} // namespace vmaf::tune
