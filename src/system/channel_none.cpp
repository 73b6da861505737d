// Systems that cannot send descriptors: frames are text only.
#include "system/channel.hpp"

namespace vmaf::system {

std::size_t read_with_descriptors(int descriptor, std::span<std::byte> memory, std::vector<Descriptor> &) {
    return read_full(descriptor, memory);
}

bool write_with_descriptors(int descriptor, std::span<const std::byte> bytes, std::span<const int> descriptors) {
    return descriptors.empty() && write_full(descriptor, bytes);
}

std::optional<SocketPair> make_socket_pair() { return std::nullopt; }

} // namespace vmaf::system
