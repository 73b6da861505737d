// A lock file shared by processes; the lock ends with its holder, even after a crash.
#pragma once

#include <optional>
#include <string>

#include "system/descriptor.hpp"

namespace vmaf::system {

class FileLock {
  public:
    FileLock() = default; // holds nothing

    static FileLock wait_for(const std::string &path);               // creates a missing file; throws Error
    static FileLock try_new(const std::string &path);                // without waiting or throwing
    static std::optional<FileLock> try_old(const std::string &path); // empty if there is no file

    bool is_held() const { return file_.is_open(); }
    void release() { file_.reset(); }

  private:
    explicit FileLock(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

// Creates and fills a file. Returns false if it exists already. Throws Error.
bool claim_file(const std::string &path, const std::string &text);

} // namespace vmaf::system
