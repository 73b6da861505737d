#include "system/file_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>

#include "base/error.hpp"

namespace vmaf::system {

namespace {

constexpr mode_t kOwn = 0600;

bool take(int descriptor, int how) {
    int result = 0;
    while ((result = flock(descriptor, how)) != 0 && errno == EINTR) {
    }
    return result == 0;
}

Error cannot_make(const std::string &path) {
    return Error(errno, "'" + path + "' cannot be made: " + std::strerror(errno));
}

} // namespace

FileLock FileLock::wait_for(const std::string &path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwn));
    if (!file.is_open()) throw cannot_make(path);
    take(file.get(), LOCK_EX);
    return FileLock(std::move(file));
}

FileLock FileLock::try_new(const std::string &path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwn));
    if (file.is_open() && take(file.get(), LOCK_EX | LOCK_NB)) return FileLock(std::move(file));
    return {};
}

std::optional<FileLock> FileLock::try_old(const std::string &path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.is_open()) return std::nullopt;
    return take(file.get(), LOCK_EX | LOCK_NB) ? FileLock(std::move(file)) : FileLock();
}

bool claim_file(const std::string &path, const std::string &text) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwn));
    if (!file.is_open() && errno == EEXIST) return false;
    if (!file.is_open()) throw cannot_make(path);
    if (!write_full(file.get(), std::as_bytes(std::span(text)))) throw Error(EIO, "'" + path + "' cannot be written");
    return true;
}

} // namespace vmaf::system
