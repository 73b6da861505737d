// Files and pipes by the number that the process knows them by. Child processes inherit only
// those that process.hpp passes on.
#pragma once

#include <cstddef>
#include <cstdint>
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
Pipe make_pipe(std::size_t wished_bytes = 0); // with that much room where the system allows it; throws Error

// What is there, at least one byte unless the stream has ended: 0.
std::size_t read_some(int descriptor, std::span<std::byte> memory);
// Fewer bytes than asked for: the stream ended.
std::size_t read_full(int descriptor, std::span<std::byte> memory);
// False: there is no reader any more, or no room.
bool write_full(int descriptor, std::span<const std::byte> bytes);

// Pipes that are waited for. Those with a negative number are left out.
struct Waited {
    int descriptor = -1;
    bool is_ready = false; // there is something to read, or it has ended
};
// Whether one is ready within that time; a negative time has no end.
bool wait_for_input(std::span<Waited> pipes, int milliseconds);

// A file without a name, in memory where the system can do that.
class MemoryFile {
  public:
    MemoryFile();  // throws Error
    ~MemoryFile(); // what was opened stays readable
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    bool append(std::span<const std::byte> bytes) { return write_full(file_.get(), bytes); }
    Descriptor open() const; // to read, with a position of its own; throws Error

  private:
    std::string path_; // where it must have a name
    Descriptor file_;
};

} // namespace vmaf::system
