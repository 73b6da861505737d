#include "system/descriptor.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.hpp"

namespace vmaf::system {

void close_descriptor(int number) noexcept { ::close(number); }

Pipe make_pipe([[maybe_unused]] std::size_t wished_bytes) {
    std::array<int, 2> ends{};
#ifdef F_SETPIPE_SZ
    const bool is_made = pipe2(ends.data(), O_CLOEXEC) == 0;
#else
    const bool is_made = pipe(ends.data()) == 0;
#endif
    if (!is_made) throw Error(errno, std::string("no pipe: ") + std::strerror(errno));
    Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
#ifdef F_SETPIPE_SZ
    if (wished_bytes > 0) fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(wished_bytes));
#else
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
    return made;
}

std::size_t read_some(int descriptor, std::span<std::byte> memory) {
    for (;;) {
        const ssize_t count = ::read(descriptor, memory.data(), memory.size());
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) return 0;
    }
}

bool write_full(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

bool wait_for_input(std::span<Waited> pipes, int milliseconds) {
    std::array<pollfd, 8> states{};
    const std::size_t count = std::min(pipes.size(), states.size());
    for (std::size_t i = 0; i < count; i++) states[i] = {pipes[i].descriptor, POLLIN, 0};
    const int ready = ::poll(states.data(), static_cast<nfds_t>(count), milliseconds);
    for (std::size_t i = 0; i < count; i++) pipes[i].is_ready = ready > 0 && states[i].revents != 0;
    return ready > 0;
}

} // namespace vmaf::system

#include "system/descriptor-inl.hpp"
