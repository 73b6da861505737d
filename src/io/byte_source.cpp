#include "io/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kBufferBytes = 4096; // headers come from here; samples pass it by
constexpr std::size_t kSkipBlockBytes = 1 << 16;
constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kMaxParts = IOV_MAX;

Error system_error(const std::string &what, int code) { return Error(code, what + ": " + std::strerror(code)); }

} // namespace

ByteSource ByteSource::open(const std::string &path) {
    if (path == "-") {
        const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        if (copy < 0) throw system_error("cannot read standard input", errno);
        return {copy, "standard input"};
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw system_error("cannot open '" + path + "'", errno);
    return {descriptor, "'" + path + "'"};
}

ByteSource::ByteSource(int descriptor, std::string name)
    : name_(std::move(name)), descriptor_(descriptor), buffer_(kBufferBytes) {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || S_ISDIR(status.st_mode)) {
        close(descriptor_);
        throw Error(EISDIR, name_ + " is a directory; give a video file");
    }
    is_regular_ = S_ISREG(status.st_mode);
    if (is_regular_) {
        const off_t position = std::max<off_t>(0, lseek(descriptor_, 0, SEEK_CUR));
        bytes_left_ = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - position));
#ifdef POSIX_FADV_SEQUENTIAL
        posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
        return;
    }
#ifdef F_SETPIPE_SZ
    fcntl(descriptor_, F_SETPIPE_SZ, kPipeBytes); // fewer switches between us and the writer; may be refused
#endif
    if (pipe(cancel_pipe_.data()) != 0) {
        const int code = errno;
        close(descriptor_);
        throw system_error("cannot read " + name_, code);
    }
    for (int end : cancel_pipe_) fcntl(end, F_SETFD, FD_CLOEXEC);
}

ByteSource::ByteSource(ByteSource &&other) noexcept
    : name_(std::move(other.name_)), descriptor_(std::exchange(other.descriptor_, -1)),
      cancel_pipe_(std::exchange(other.cancel_pipe_, {-1, -1})), is_regular_(other.is_regular_),
      bytes_left_(other.bytes_left_), buffer_(std::move(other.buffer_)), buffer_begin_(other.buffer_begin_),
      buffer_end_(other.buffer_end_), parts_(std::move(other.parts_)), skipped_(std::move(other.skipped_)) {}

ByteSource::~ByteSource() {
    for (int descriptor : {descriptor_, cancel_pipe_[0], cancel_pipe_[1]})
        if (descriptor >= 0) close(descriptor);
}

std::size_t ByteSource::take_buffered(std::span<std::byte> memory) {
    const std::size_t count = std::min(memory.size(), buffer_end_ - buffer_begin_);
    if (count) std::memcpy(memory.data(), buffer_.data() + buffer_begin_, count);
    buffer_begin_ += count;
    return count;
}

void ByteSource::wait_for_data() const {
    std::array<pollfd, 2> waiting = {pollfd{descriptor_, POLLIN, 0}, pollfd{cancel_pipe_[0], POLLIN, 0}};
    while (poll(waiting.data(), waiting.size(), -1) < 0)
        if (errno != EINTR) throw system_error("cannot read " + name_, errno);
    if (waiting[1].revents) throw Error(ECANCELED, "reading " + name_ + " was cancelled");
}

Error ByteSource::became_shorter() const { return invalid(name_ + " became shorter while it was read"); }

// One system call; 0 at the end of the data.
std::size_t ByteSource::read_some(std::span<iovec> parts) {
    for (;;) {
        if (!is_regular_) wait_for_data();
        const ssize_t count = readv(descriptor_, parts.data(), static_cast<int>(std::min(parts.size(), kMaxParts)));
        if (count == 0 && bytes_left_ > 0) throw became_shorter();
        if (count >= 0) {
            bytes_left_ -= std::min<std::uint64_t>(bytes_left_, static_cast<std::uint64_t>(count));
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR && errno != EAGAIN) throw system_error("cannot read " + name_, errno);
    }
}

std::size_t ByteSource::read(std::span<std::byte> memory) {
    const iovec part{memory.data(), memory.size()};
    return read(std::span(&part, 1));
}

std::size_t ByteSource::read(std::span<const iovec> wanted) {
    std::size_t total = 0, direct = 0;
    parts_.clear();
    for (const iovec &part : wanted) {
        const std::span memory(static_cast<std::byte *>(part.iov_base), part.iov_len);
        const std::size_t taken = take_buffered(memory);
        total += taken;
        if (taken < memory.size()) parts_.push_back({memory.data() + taken, memory.size() - taken});
        direct += memory.size() - taken;
    }
    if (direct == 0) return total;
    // What lies behind the wanted bytes comes along, so that the next header costs no call of its own.
    buffer_begin_ = buffer_end_ = 0;
    parts_.push_back({buffer_.data(), buffer_.size()});
    std::span<iovec> open = parts_;
    while (direct > 0) {
        std::size_t count = read_some(open);
        if (count == 0) return total;
        while (open.size() > 1 && count >= open[0].iov_len) {
            count -= open[0].iov_len;
            total += open[0].iov_len;
            direct -= open[0].iov_len;
            open = open.subspan(1);
        }
        if (direct == 0) {
            buffer_end_ = count;
        } else {
            open[0].iov_base = static_cast<std::byte *>(open[0].iov_base) + count;
            open[0].iov_len -= count;
            total += count;
            direct -= count;
        }
    }
    return total;
}

std::uint64_t ByteSource::skip(std::uint64_t bytes) {
    const std::uint64_t buffered = std::min<std::uint64_t>(bytes, buffer_end_ - buffer_begin_);
    buffer_begin_ += buffered;
    std::uint64_t done = buffered;
    if (is_regular_) {
        if (bytes_left_ < bytes - done) update_size();
        const std::uint64_t step = std::min(bytes - done, bytes_left_);
        if (lseek(descriptor_, static_cast<off_t>(step), SEEK_CUR) < 0)
            throw system_error("cannot read " + name_, errno);
        bytes_left_ -= step;
        return done + step;
    }
    if (done < bytes) skipped_.resize(kSkipBlockBytes);
    while (done < bytes) {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, skipped_.size()));
        const std::size_t got = read(std::span(skipped_).first(want));
        done += got;
        if (got < want) break;
    }
    return done;
}

std::optional<std::uint64_t> ByteSource::size() const {
    struct stat status {};
    if (!is_regular_ || fstat(descriptor_, &status) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

// A file may grow while it is read.
void ByteSource::update_size() {
    const off_t position = lseek(descriptor_, 0, SEEK_CUR);
    if (const auto bytes = size(); bytes && position >= 0)
        bytes_left_ = *bytes - std::min(*bytes, static_cast<std::uint64_t>(position));
}

std::optional<std::uint64_t> ByteSource::bytes_left() const {
    if (!is_regular_) return std::nullopt;
    return bytes_left_ + (buffer_end_ - buffer_begin_);
}

std::optional<std::uint64_t> ByteSource::position() const {
    if (!is_regular_) return std::nullopt;
    const off_t behind_buffer = lseek(descriptor_, 0, SEEK_CUR);
    if (behind_buffer < 0) return std::nullopt;
    return static_cast<std::uint64_t>(behind_buffer) - (buffer_end_ - buffer_begin_);
}

// One system call; 0 at the end of the file.
std::size_t ByteSource::read_once_at(std::uint64_t offset, std::span<const iovec> parts) const {
    for (;;) {
        const ssize_t count = preadv(descriptor_, parts.data(), static_cast<int>(std::min(parts.size(), kMaxParts)),
                                     static_cast<off_t>(offset));
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) throw system_error("cannot read " + name_, errno);
    }
}

std::size_t ByteSource::read_some_at(std::uint64_t offset, std::span<std::byte> memory) const {
    std::size_t done = 0;
    while (done < memory.size()) {
        const iovec part{memory.data() + done, memory.size() - done};
        const std::size_t count = read_once_at(offset + done, std::span(&part, 1));
        if (count == 0) break;
        done += count;
    }
    return done;
}

void ByteSource::read_at(std::uint64_t offset, std::span<iovec> parts) const {
    while (!parts.empty()) {
        const std::size_t count = read_once_at(offset, parts);
        if (count == 0) throw became_shorter();
        offset += count;
        for (std::size_t left = count; left > 0;) {
            iovec &first = parts.front();
            const std::size_t step = std::min(left, first.iov_len);
            first.iov_base = static_cast<std::byte *>(first.iov_base) + step;
            first.iov_len -= step;
            left -= step;
            if (first.iov_len == 0) parts = parts.subspan(1);
        }
    }
}

void ByteSource::cancel() noexcept {
    if (cancel_pipe_[1] < 0) return;
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = write(cancel_pipe_[1], &byte, 1);
}

} // namespace vmaf
