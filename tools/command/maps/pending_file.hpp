// A file that grows during a run and gets its name at the end; an aborted run leaves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "system/files.hpp"
#include "system/leftovers.hpp"

namespace vmaf::cli {

class PendingFile {
  public:
    explicit PendingFile(const std::string &path); // throws OutputError
    PendingFile(const PendingFile &) = delete;
    PendingFile &operator=(const PendingFile &) = delete;
    ~PendingFile();

    void append(std::string_view bytes);
    void put_first(std::string_view bytes); // overwrites the start
    void finish();                          // everything is on the disk
    void put_in_place();                    // after finish(): gives it its name

  private:
    void write_at(std::uint64_t offset, std::string_view bytes);

    std::string name_, target_, path_; // as the user calls it; without links; until it is put in place
    std::optional<system::OffsetFile> file_;
    system::LeftoverFile leftover_; // until the file has its final name
    std::uint64_t size_ = 0;
};

} // namespace vmaf::cli
