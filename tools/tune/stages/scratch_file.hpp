// A file that is removed with its owner.
#pragma once

#include <string>
#include <system_error>
#include <utility>

#include "system/filesystem.hpp"

namespace vmaf::tune {

class ScratchFile {
  public:
    explicit ScratchFile(std::string path, bool keep = false) : path_(std::move(path)), keep_(keep) {}
    ~ScratchFile() {
        std::error_code ignored;
        if (!keep_) system::fs::remove(path_, ignored);
    }
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;
    const std::string &path() const { return path_; }

  private:
    std::string path_;
    bool keep_;
};

} // namespace vmaf::tune
