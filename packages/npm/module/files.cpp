// Clips that JavaScript reads: a Blob in a worker, a file in Node. Replaces the system's files in the module.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "system/input_file.hpp"

#define VMAF_IMPORT(name) extern "C" __attribute__((import_module("vmaf"), import_name(#name)))

// The number identifies JavaScript's open file. Returns the number of bytes, or a negative value on failure.
VMAF_IMPORT(file_read) std::ptrdiff_t file_read(int file, double offset, void *memory, std::size_t bytes);
VMAF_IMPORT(file_size) double file_size(int file);

namespace vmaf::system {

class InputFile::File {
  public:
    File(int number, std::string name) : name_(std::move(name)), number_(number) {}

    const std::string &name() const { return name_; }
    bool is_regular() const { return true; }

    std::size_t read_some(std::span<const Buffer> parts) {
        const std::size_t count = read_some_at(position_, parts);
        position_ += count;
        return count;
    }
    std::size_t read_some_at(std::uint64_t offset, std::span<const Buffer> parts) const {
        if (parts.empty()) return 0;
        const std::ptrdiff_t count = file_read(number_, static_cast<double>(offset), parts[0].memory, parts[0].bytes);
        if (count < 0) throw Error(EIO, "cannot read " + name_ + "; choose the file again");
        return static_cast<std::size_t>(count);
    }
    std::shared_ptr<const std::byte> map(std::uint64_t, std::size_t, const std::shared_ptr<std::atomic<bool>> &) const {
        return nullptr;
    }

    std::optional<std::uint64_t> position() const { return position_; }
    std::uint64_t size() const { return static_cast<std::uint64_t>(std::max(0.0, file_size(number_))); }
    void move_forward(std::uint64_t bytes) { position_ += bytes; }
    bool has_changed() const { return false; } // reading a changed Blob fails
    std::string version() const { return {}; }
    void cancel() noexcept {}

  private:
    std::string name_;
    int number_;
    std::uint64_t position_ = 0;
};

InputFile InputFile::open(const std::string &path) { throw Error(ENOENT, "'" + path + "' is not open"); }

} // namespace vmaf::system

#include "system/input_file-inl.hpp"
