// The scratch folder of a run (tune.md 17.2).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "system/file_lock.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

// Removed when the process ends, or by the next run if its owner was killed.
class WorkFolder {
  public:
    enum class Holds { scratch, results };                                        // scratch always needs some space
    WorkFolder(const std::string &wish, bool keep, Holds holds = Holds::scratch); // throws CommandError
    ~WorkFolder();
    WorkFolder(const WorkFolder &) = delete;
    WorkFolder &operator=(const WorkFolder &) = delete;
    const std::string &path() const { return path_; }

    // Throws CommandError (exit code 6) if less than `bytes` are free.
    void check_room(std::uint64_t bytes) const;

  private:
    std::string path_;
    bool keep_;
    system::FileLock lock_;
};

// Whether a running process has a file of this name in its scratch folder below `base`.
bool is_made_by_another(const std::string &base, const std::string &name);

std::string scratch_base(const std::string &wish); // where such folders are created

// Folders that are neither in use nor recent, with or without an owner.
std::vector<system::fs::path> scratch_folders_older_than(const std::string &wish, std::chrono::hours age);

} // namespace vmaf::tune
