// A file by which processes know that another one is at work; the lock ends with its holder, however that ends.
#pragma once

#include <optional>
#include <string>

#include "system/descriptor.hpp"

namespace vmaf::system {

class FileLock {
  public:
    FileLock() = default; // holds nothing

    static FileLock wait_for(const std::string &path);               // makes the file if it is missing; throws Error
    static FileLock try_new(const std::string &path);                // the same without waiting or throwing
    static std::optional<FileLock> try_old(const std::string &path); // nothing: there is no such file

    bool is_held() const { return file_.is_open(); }
    void release() { file_.reset(); }

  private:
    explicit FileLock(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

// Makes a file that must not be there yet and fills it. False: it exists already. Throws Error.
bool claim_file(const std::string &path, const std::string &text);

} // namespace vmaf::system
