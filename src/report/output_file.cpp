#include "report/output_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"

namespace vmaf {

namespace {

Error cannot_write(const std::string &path, int code) {
    return Error(code, "cannot write '" + path + "': " + std::strerror(code) + "; choose another output file");
}

// The temporary file that remove_temporary_output() would remove: that of one write; others at the same time go
// without.
enum class Watch { idle, busy, armed };
std::atomic<Watch> watch{Watch::idle};
std::array<char, PATH_MAX> watched_path{};

bool begin_watching(const std::string &path) {
    Watch expected = Watch::idle;
    if (path.size() >= watched_path.size() || !watch.compare_exchange_strong(expected, Watch::busy)) return false;
    std::memcpy(watched_path.data(), path.c_str(), path.size() + 1);
    watch = Watch::armed;
    return true;
}

// Where a document goes.
struct Target {
    std::string path; // behind symbolic links
    bool exists = false;
    bool is_replaced = false; // by renaming; otherwise written in place
    mode_t mode = 0;          // if it exists
};

Target find_target(const std::string &path) {
    Target target{.path = path};
    if (path.empty()) throw cannot_write(path, ENOENT);
    if (path.back() == '/') throw cannot_write(path, EISDIR);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        if (errno != ENOENT) throw cannot_write(path, errno);
        target.is_replaced = true;
        std::error_code error;
        const std::filesystem::path link = std::filesystem::read_symlink(path, error);
        if (!error) target.path = (std::filesystem::path(path).parent_path() / link).string(); // stays a link
        return target;
    }
    if (S_ISDIR(status.st_mode)) throw cannot_write(path, EISDIR);
    target.exists = true;
    target.mode = status.st_mode & 07777;
    // /dev/stdout may be a regular file that the shell opened: it must stay that file.
    target.is_replaced = S_ISREG(status.st_mode) && path.rfind("/dev/", 0) != 0 && path.rfind("/proc/", 0) != 0;
    if (target.is_replaced) {
        char *const real = realpath(path.c_str(), nullptr);
        if (real) target.path = real;
        std::free(real);
    }
    if (access(target.path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
    return target;
}

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    int get() const { return number_; }
    int close_now() { return close(std::exchange(number_, -1)); }

  private:
    int number_;
};

void write_all(int descriptor, std::string_view text, const std::string &path) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) { // a pipe that its owner does not want to wait for
            pollfd waiting{descriptor, POLLOUT, 0};
            poll(&waiting, 1, -1);
            continue;
        }
        if (count < 0) throw cannot_write(path, errno);
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

void write_directly(int number, const std::string &path, const TextWriter &write) {
    Descriptor descriptor(number);
    if (number < 0) throw cannot_write(path, errno);
    write([&](std::string_view text) { write_all(number, text, path); });
    if (descriptor.close_now() != 0) throw cannot_write(path, errno);
}

// An empty file beside the target, removed at the end unless it has taken the target's place.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string &target) {
        static std::atomic<unsigned> serial{0}; // several threads may write documents
        const std::size_t slash = target.rfind('/');
        const std::string stem =
            (slash == std::string::npos ? "" : target.substr(0, slash + 1)) + ".vmaf-" + std::to_string(getpid()) + "-";
        do {
            path_ = stem + std::to_string(serial++);
            number_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        } while (number_ < 0 && errno == EEXIST);
        error_ = number_ < 0 ? errno : 0;
        is_watched_ = number_ >= 0 && begin_watching(path_);
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    ~TemporaryFile() {
        if (number_ >= 0) close(number_);
        if (error_ == 0 && !is_renamed_) unlink(path_.c_str());
        if (is_watched_) watch = Watch::idle;
    }

    int error() const { return error_; } // 0, or why there is no file
    int number() const { return number_; }
    int take_number() { return std::exchange(number_, -1); } // for who closes it
    bool rename_to(const std::string &target) {
        is_renamed_ = std::rename(path_.c_str(), target.c_str()) == 0;
        return is_renamed_;
    }

  private:
    std::string path_;
    int number_ = -1, error_ = 0;
    bool is_watched_ = false, is_renamed_ = false;
};

// The process's own descriptor behind a path such as /dev/stdout: opened anew, a file would be written from its start.
std::optional<int> own_descriptor(const std::string &path) {
    if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    return std::nullopt;
}

} // namespace

void remove_temporary_output() noexcept {
    if (watch == Watch::armed) unlink(watched_path.data());
}

void check_output_file(const std::string &path) {
    if (own_descriptor(path)) return;
    const Target target = find_target(path);
    if (!target.is_replaced) return; // opening a pipe would wait for its reader
    const TemporaryFile temporary(target.path);
    if (temporary.error() && !target.exists) throw cannot_write(path, temporary.error());
}

void write_output_file(const std::string &path, const TextWriter &write) {
    if (const auto own = own_descriptor(path))
        return write_directly(dup(*own), path == "-" ? "standard output" : path, write);
    const Target target = find_target(path);
    if (!target.is_replaced) return write_directly(open(path.c_str(), O_WRONLY | O_CLOEXEC), path, write);
    TemporaryFile temporary(target.path);
    if (temporary.error() &&
        target.exists) // a folder in which nothing can be created, around a file that can be written
        return write_directly(open(target.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC), path, write);
    if (temporary.error()) throw cannot_write(path, temporary.error());
    if (target.exists && fchmod(temporary.number(), target.mode) != 0) throw cannot_write(path, errno);
    write_directly(temporary.take_number(), path, write);
    if (!temporary.rename_to(target.path)) throw cannot_write(path, errno);
}

} // namespace vmaf
