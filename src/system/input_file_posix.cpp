#include "system/input_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "system/mapped_part.hpp"
#include "system/read_at.hpp"

namespace vmaf::system {

namespace {

constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kMostParts = IOV_MAX;

static_assert(sizeof(Buffer) == sizeof(iovec) && offsetof(Buffer, memory) == offsetof(iovec, iov_base) &&
              offsetof(Buffer, bytes) == offsetof(iovec, iov_len));

const iovec *as_iovec(std::span<const Buffer> parts) { return reinterpret_cast<const iovec *>(parts.data()); }
int count_of(std::span<const Buffer> parts) { return static_cast<int>(std::min(parts.size(), kMostParts)); }

Error with_reason(const std::string &what, int code) { return Error(code, what + ": " + std::strerror(code)); }

// What changes when a file is written. Not st_ctim: it also changes with name, mode and links.
struct Version {
    off_t size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    bool operator==(const Version &) const = default;
};

timespec written_at(const struct stat &status) {
#ifdef __APPLE__
    return status.st_mtimespec;
#else
    return status.st_mtim;
#endif
}
timespec changed_at(const struct stat &status) {
#ifdef __APPLE__
    return status.st_ctimespec;
#else
    return status.st_ctim;
#endif
}

Version version_of(const struct stat &status) {
    const timespec written = written_at(status);
    return {status.st_size, written.tv_sec, written.tv_nsec};
}

// With st_ctim, because programs can set the other time.
std::string version_text(const struct stat &status) {
    const timespec written = written_at(status), changed = changed_at(status);
    std::string text;
    for (const auto number : {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
                              static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(written.tv_sec),
                              static_cast<std::int64_t>(written.tv_nsec), static_cast<std::int64_t>(changed.tv_sec),
                              static_cast<std::int64_t>(changed.tv_nsec)})
        text += std::to_string(number) + ' ';
    return text;
}

bool status_of(const std::string &path, struct stat &status) {
    return path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path.c_str(), &status) == 0;
}

} // namespace

class InputFile::File {
  public:
    File(int descriptor, std::string name) : name_(std::move(name)), descriptor_(descriptor) {
        struct stat status {};
        if (fstat(descriptor_, &status) != 0 || S_ISDIR(status.st_mode)) {
            close(descriptor_);
            throw Error(EISDIR, name_ + " is a directory; give a file");
        }
        is_regular_ = S_ISREG(status.st_mode);
        at_opening_ = version_of(status);
        if (is_regular_) {
            version_ = version_text(status);
#ifdef POSIX_FADV_SEQUENTIAL
            posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
            return;
        }
#ifdef F_SETPIPE_SZ
        fcntl(descriptor_, F_SETPIPE_SZ, kPipeBytes); // fewer context switches; the kernel may refuse
#endif
        if (pipe(cancel_pipe_.data()) != 0) {
            const int code = errno;
            close(descriptor_);
            throw with_reason("cannot read " + name_, code);
        }
        for (int end : cancel_pipe_) fcntl(end, F_SETFD, FD_CLOEXEC);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File() {
        for (int descriptor : {descriptor_, cancel_pipe_[0], cancel_pipe_[1]})
            if (descriptor >= 0) close(descriptor);
    }

    const std::string &name() const { return name_; }
    bool is_regular() const { return is_regular_; }

    std::size_t read_some(std::span<const Buffer> parts) {
        for (;;) {
            if (!is_regular_) wait_for_data();
            const ssize_t count = readv(descriptor_, as_iovec(parts), count_of(parts));
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR && errno != EAGAIN) throw cannot_read(errno);
        }
    }

    std::size_t read_some_at(std::uint64_t offset, std::span<const Buffer> parts) const {
        for (;;) {
            const ssize_t count = read_at(descriptor_, as_iovec(parts), count_of(parts), static_cast<off_t>(offset));
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR) throw cannot_read(errno);
        }
    }

    std::shared_ptr<const std::byte> map(std::uint64_t offset, std::size_t bytes,
                                         std::shared_ptr<std::atomic<bool>> is_lost) const {
        return is_regular_ ? map_part(descriptor_, offset, bytes, std::move(is_lost)) : nullptr;
    }

    std::optional<std::uint64_t> position() const {
        const off_t position = is_regular_ ? lseek(descriptor_, 0, SEEK_CUR) : -1;
        return position < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(position));
    }

    std::uint64_t size() const {
        struct stat status {};
        if (fstat(descriptor_, &status) != 0) throw cannot_read(errno);
        return static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
    }

    void move_forward(std::uint64_t bytes) {
        if (lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) throw cannot_read(errno);
    }

    bool has_changed() const {
        struct stat status {};
        if (!is_regular_ || at_opening_.size == 0) return false;
        if (fstat(descriptor_, &status) != 0) throw cannot_read(errno);
        return version_of(status) != at_opening_;
    }

    const std::string &version() const { return version_; }

    void cancel() noexcept {
        if (cancel_pipe_[1] < 0) return;
        const char byte = 0;
        [[maybe_unused]] const ssize_t written = write(cancel_pipe_[1], &byte, 1);
    }

  private:
    Error cannot_read(int code) const { return with_reason("cannot read " + name_, code); }

    void wait_for_data() const {
        std::array<pollfd, 2> waiting = {pollfd{descriptor_, POLLIN, 0}, pollfd{cancel_pipe_[0], POLLIN, 0}};
        while (poll(waiting.data(), waiting.size(), -1) < 0)
            if (errno != EINTR) throw cannot_read(errno);
        if (waiting[1].revents) throw Error(ECANCELED, "reading " + name_ + " was cancelled");
    }

    std::string name_;
    int descriptor_ = -1;
    std::array<int, 2> cancel_pipe_{-1, -1}; // pipes only: a regular file never blocks for long
    bool is_regular_ = false;
    Version at_opening_;
    std::string version_;
};

InputFile InputFile::open(const std::string &path) {
    if (path == "-") {
        const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        if (copy < 0) throw with_reason("cannot read standard input", errno);
        return {copy, "standard input"};
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw with_reason("cannot open '" + path + "'", errno);
    return {descriptor, "'" + path + "'"};
}

bool is_same_pipe(const std::string &a, const std::string &b) {
    if (a == "-" && b == "-") return true;
    struct stat first {
    }, second{};
    if (!status_of(a, first) || !status_of(b, second)) return false;
    return (S_ISFIFO(first.st_mode) || S_ISSOCK(first.st_mode)) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool is_regular_file(const std::string &path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace vmaf::system

#include "system/input_file-inl.hpp"
