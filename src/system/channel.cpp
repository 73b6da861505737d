#include "system/channel.hpp"

#include <array>
#include <cerrno>

#include "base/error.hpp"

namespace vmaf::system {

namespace {

constexpr std::size_t kLengthBytes = 4;

Error too_long(std::size_t bytes) {
    return Error(EBADMSG, "a frame of " + std::to_string(bytes) + " bytes is too long; at most " +
                              std::to_string(kMostFrameBytes) + " are allowed");
}

} // namespace

std::optional<Frame> Channel::receive() {
    Frame frame;
    std::array<std::byte, kLengthBytes> length{};
    const std::size_t count = read_with_descriptors(read_.get(), length, frame.descriptors);
    if (count == 0) return std::nullopt;
    if (count < length.size()) throw Error(EBADMSG, "the stream ends inside a frame");
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < length.size(); i++) bytes |= std::to_integer<std::size_t>(length[i]) << (8 * i);
    if (bytes > kMostFrameBytes) throw too_long(bytes);
    frame.text.resize(bytes);
    if (read_with_descriptors(read_.get(), std::as_writable_bytes(std::span(frame.text)), frame.descriptors) < bytes)
        throw Error(EBADMSG, "the stream ends inside a frame");
    return frame;
}

bool Channel::send(std::string_view text, std::span<const int> descriptors) {
    if (text.size() > kMostFrameBytes) throw too_long(text.size());
    std::string bytes;
    for (std::size_t i = 0; i < kLengthBytes; i++) bytes += static_cast<char>(text.size() >> (8 * i) & 0xff);
    bytes += text;
    return write_with_descriptors(writing(), std::as_bytes(std::span(bytes)), descriptors);
}

} // namespace vmaf::system
