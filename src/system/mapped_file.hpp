// A regular file mapped read-only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vmaf::system {

class MappedFile {
  public:
    explicit MappedFile(const std::string &path); // throws Error
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;
    std::string_view text() const { return {data_, size_}; }

  private:
    char *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace vmaf::system
