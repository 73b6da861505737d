#include "report/output_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"

namespace vmaf {

namespace {

Error cannot_write(const std::string &path, int code) {
    return Error(code, "cannot write '" + path + "': " + std::strerror(code) + "; choose another output file");
}

// The path of the temporary file that exists now, for remove_temporary_output().
std::array<char, PATH_MAX> temporary_path{};
std::atomic<bool> has_temporary{false};

// Where a document goes.
struct Target {
    std::string path; // behind symbolic links
    bool exists = false;
    bool is_replaced = false; // by renaming; otherwise written in place
    mode_t mode = 0666;
};

Target find_target(const std::string &path) {
    Target target{.path = path};
    if (path.empty()) throw cannot_write(path, ENOENT);
    if (path.back() == '/') throw cannot_write(path, EISDIR);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        if (errno != ENOENT) throw cannot_write(path, errno);
        target.is_replaced = true;
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

// Creates an empty file beside the target; -1 and errno where that cannot be done.
int create_temporary(const std::string &target) {
    const std::size_t slash = target.rfind('/');
    const std::string path = (slash == std::string::npos ? "" : target.substr(0, slash + 1)) + ".vmaf-XXXXXX";
    if (path.size() >= temporary_path.size()) {
        errno = ENAMETOOLONG;
        return -1;
    }
    std::memcpy(temporary_path.data(), path.c_str(), path.size() + 1);
    const int number = mkostemp(temporary_path.data(), O_CLOEXEC);
    if (number >= 0) has_temporary = true;
    return number;
}

mode_t default_mode() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// Removes the temporary file unless it was renamed.
struct TemporaryGuard {
    ~TemporaryGuard() { remove_temporary_output(); }
};

} // namespace

void remove_temporary_output() noexcept {
    if (has_temporary.exchange(false)) unlink(temporary_path.data());
}

void check_output_file(const std::string &path) {
    if (path == "-") return;
    const Target target = find_target(path);
    if (!target.is_replaced) return; // opening a pipe would wait for its reader
    const Descriptor descriptor(create_temporary(target.path));
    const int code = errno;
    const TemporaryGuard guard;
    if (descriptor.get() < 0 && !target.exists) throw cannot_write(path, code);
}

void write_output_file(const std::string &path, const TextWriter &write) {
    if (path == "-") return write_directly(dup(STDOUT_FILENO), "standard output", write);
    const Target target = find_target(path);
    if (!target.is_replaced) return write_directly(open(path.c_str(), O_WRONLY | O_CLOEXEC), path, write);
    const int number = create_temporary(target.path);
    if (number < 0 && target.exists) // a folder in which nothing can be created, around a file that can be written
        return write_directly(open(target.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC), path, write);
    const TemporaryGuard guard;
    write_directly(number, path, [&](const auto &out) {
        if (fchmod(number, target.exists ? target.mode : default_mode()) != 0) throw cannot_write(path, errno);
        write(out);
    });
    if (std::rename(temporary_path.data(), target.path.c_str()) != 0) throw cannot_write(path, errno);
    has_temporary = false;
}

} // namespace vmaf
