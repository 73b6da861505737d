// Results shared by several machines: a small file each, named by its key, in a common folder. A file is complete or
// missing, so no lock is needed, and equal keys mean equal results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vmaf::tune {

class SharedResults {
  public:
    // Encodes and failures belong to one run, in the run's own folder; empty: not stored. Throws Error,
    // Untrusted.
    SharedResults(std::string folder, const std::string &run_folder);

    std::optional<std::string> find(const std::string &room, const std::string &key) const;
    void store(const std::string &room, const std::string &key, const std::string &text) const; // throws Error

    // The path of a kept encode of this size; empty if missing.
    std::string find_encode(const std::string &key, const std::string &extension, std::uint64_t bytes) const;
    // Keeps a copy (a link if possible). Returns its path; empty on failure.
    std::string keep_encode(const std::string &key, const std::string &extension, const std::string &path) const;

  private:
    const std::string &folder_of(const std::string &room) const;

    std::string folder_, encodes_, failures_;
};

} // namespace vmaf::tune
