// Reading and writing all of something through a descriptor.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>
#include <unistd.h>

namespace vmaf::tune {

// Fewer bytes than asked for: the stream ended.
inline std::size_t read_full(int descriptor, std::span<std::byte> memory) {
    std::size_t filled = 0;
    while (filled < memory.size()) {
        const ssize_t count = ::read(descriptor, memory.data() + filled, memory.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        filled += static_cast<std::size_t>(count);
    }
    return filled;
}

// False: nobody reads any more, or there is no room.
inline bool write_full(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

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
    int release() {
        const int number = number_;
        number_ = -1;
        return number;
    }
    void reset(int number = -1) {
        if (number_ >= 0) ::close(number_);
        number_ = number;
    }

  private:
    int number_;
};

} // namespace vmaf::tune
