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

    // Empty at the end of the stream. Throws Error for malformed data; the stream is unusable afterwards.
    std::optional<Frame> receive();
    // Returns false if the other end is gone or cannot take descriptors. Throws Error if the text is too long.
    bool send(std::string_view text, std::span<const int> descriptors = {});

    int descriptor() const { return read_.get(); } // for wait_for_input()

  private:
    int writing() const { return write_.is_open() ? write_.get() : read_.get(); }

    Descriptor read_, write_; // write_ is closed if one socket serves both directions
};

struct SocketPair {
    Descriptor ours, theirs;
};
std::optional<SocketPair> make_socket_pair(); // empty if this system cannot send descriptors

// The system-dependent parts of a channel: read_full and write_full with descriptors.
std::size_t read_with_descriptors(int descriptor, std::span<std::byte> memory, std::vector<Descriptor> &into);
bool write_with_descriptors(int descriptor, std::span<const std::byte> bytes, std::span<const int> descriptors);

} // namespace vmaf::system
