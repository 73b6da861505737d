// Files and pipes as numbers. Child processes inherit only those that process.hpp passes
// on.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vmaf::system {

void close_descriptor(int number) noexcept;

// A descriptor that closes itself.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor &&other) noexcept : number_(other.release()) {}
    Descriptor &operator=(Descriptor &&other) noexcept {
        reset(other.release());
        return *this;
    }
    ~Descriptor() { reset(); }
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }
    int release() {
        const int number = number_;
        number_ = -1;
        return number;
    }
    void reset(int number = -1) {
        if (number_ >= 0) close_descriptor(number_);
        number_ = number;
    }

  private:
    int number_;
};

struct Pipe {
    Descriptor read, write;
};
Pipe make_pipe(std::size_t wished_bytes = 0); // buffers that much where the system allows it; throws Error

// Reads what is available, at least one byte; returns 0 at the end of the stream.
std::size_t read_some(int descriptor, std::span<std::byte> memory);
// Returns fewer bytes than requested only at the end of the stream.
std::size_t read_full(int descriptor, std::span<std::byte> memory);
// Returns false if the reader is gone or the disk is full.
bool write_full(int descriptor, std::span<const std::byte> bytes);

// A pipe to wait for; negative descriptors are ignored.
struct Waited {
    int descriptor = -1;
    bool is_ready = false; // has data, or has ended
};
// Whether one became ready in time; a negative time waits forever.
bool wait_for_input(std::span<Waited> pipes, int milliseconds);

// A file without a name, in memory where the system allows it.
class MemoryFile {
  public:
    MemoryFile();  // throws Error
    ~MemoryFile(); // opened descriptors stay readable
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    bool append(std::span<const std::byte> bytes) { return write_full(file_.get(), bytes); }
    Descriptor open() const; // for reading, with its own position; throws Error

  private:
    std::string path_; // set where it needs a name
    Descriptor file_;
};

} // namespace vmaf::system
