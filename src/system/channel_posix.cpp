#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"
#include "system/channel.hpp"

namespace vmaf::system {

namespace {

// Aligned as the system requires for a list of descriptors.
union ControlBlock {
    cmsghdr header;
    std::array<char, CMSG_SPACE(sizeof(int) * kMostFrameDescriptors)> bytes;
};

void take_descriptors(msghdr &message, std::vector<Descriptor> &into) {
    for (cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; i++) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
            fcntl(number, F_SETFD, FD_CLOEXEC);
            into.emplace_back(number);
        }
    }
    if (message.msg_flags & MSG_CTRUNC || into.size() > kMostFrameDescriptors)
        throw Error(EBADMSG, "a frame has more than " + std::to_string(kMostFrameDescriptors) + " descriptors");
}

// One read; 0 at the end of the stream.
std::size_t read_once(int descriptor, std::span<std::byte> memory, std::vector<Descriptor> &into) {
    for (;;) {
        ControlBlock control{};
        iovec piece{memory.data(), memory.size()};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = control.bytes.size();
        const ssize_t count = ::recvmsg(descriptor, &message, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == ENOTSOCK) return read_some(descriptor, memory);
        if (count < 0) return 0;
        take_descriptors(message, into);
        return static_cast<std::size_t>(count);
    }
}

} // namespace

std::size_t read_with_descriptors(int descriptor, std::span<std::byte> memory, std::vector<Descriptor> &into) {
    std::size_t filled = 0;
    while (filled < memory.size()) {
        const std::size_t count = read_once(descriptor, memory.subspan(filled), into);
        if (count == 0) break;
        filled += count;
    }
    return filled;
}

bool write_with_descriptors(int descriptor, std::span<const std::byte> bytes, std::span<const int> descriptors) {
    if (descriptors.empty()) return write_full(descriptor, bytes);
    if (descriptors.size() > kMostFrameDescriptors || bytes.empty()) return false;
    ControlBlock control{};
    iovec piece{const_cast<std::byte *>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr *const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
#ifdef MSG_NOSIGNAL
    constexpr int kFlags = MSG_NOSIGNAL;
#else
    constexpr int kFlags = 0;
#endif
    ssize_t count = 0;
    do count = ::sendmsg(descriptor, &message, kFlags);
    while (count < 0 && errno == EINTR);
    return count > 0 && write_full(descriptor, bytes.subspan(static_cast<std::size_t>(count)));
}

std::optional<SocketPair> make_socket_pair() {
#ifdef SOCK_CLOEXEC // else a program started by another thread would inherit it
    constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC;
#else
    constexpr int kKind = SOCK_STREAM;
#endif
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, kKind, 0, ends.data()) != 0)
        throw Error(errno, std::string("no socket: ") + std::strerror(errno));
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

} // namespace vmaf::system
