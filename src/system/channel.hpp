// Frames of text between two processes: four bytes of length (the least significant first), then the text. Over a
// socket, descriptors can travel with a frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/descriptor.hpp"

namespace vmaf::system {

inline constexpr std::size_t kMostFrameBytes = std::size_t{1} << 20, kMostFrameDescriptors = 8;

struct Frame {
    std::string text;
    std::vector<Descriptor> descriptors;
};

class Channel {
  public:
    Channel(Descriptor read, Descriptor write) : read_(std::move(read)), write_(std::move(write)) {}

    // Nothing: the stream has ended. Throws Error for what is not a frame; nothing can be read after it.
    std::optional<Frame> receive();
    // False: the other end is gone, or descriptors cannot travel here. Throws Error for a text that is too long.
    bool send(std::string_view text, std::span<const int> descriptors = {});

    int descriptor() const { return read_.get(); } // to wait for

  private:
    int writing() const { return write_.is_open() ? write_.get() : read_.get(); }

    Descriptor read_, write_; // the latter is not open where one socket does both
};

struct SocketPair {
    Descriptor ours, theirs;
};
std::optional<SocketPair> make_socket_pair(); // nothing: this system has none that carries descriptors

// Pieces of a channel, which systems do differently. As read_full and write_full, with descriptors.
std::size_t read_with_descriptors(int descriptor, std::span<std::byte> memory, std::vector<Descriptor> &into);
bool write_with_descriptors(int descriptor, std::span<const std::byte> bytes, std::span<const int> descriptors);

} // namespace vmaf::system
