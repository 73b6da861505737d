// Results that several machines share: one small file for each, named by its key, in a folder that all of them see.
// A file is complete or not there, so no lock is needed, and the same key twice is the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vmaf::tune {

class SharedResults {
  public:
    // What belongs to one run only, encodes and failures, is in the run's own folder; empty: nowhere. Throws Error,
    // Untrusted.
    SharedResults(std::string folder, const std::string &run_folder);

    std::optional<std::string> find(const std::string &room, const std::string &key) const;
    void store(const std::string &room, const std::string &key, const std::string &text) const; // throws Error

    // Path of a kept encode of this size; empty: it is not there.
    std::string find_encode(const std::string &key, const std::string &extension, std::uint64_t bytes) const;
    // Keeps a copy (a link where that is possible). Its path; empty where none could be made.
    std::string keep_encode(const std::string &key, const std::string &extension, const std::string &path) const;

  private:
    const std::string &folder_of(const std::string &room) const;

    std::string folder_, encodes_, failures_;
};

} // namespace vmaf::tune
