#include "system/file_posix.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace vmaf::system {

namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40; // as in the kernel
constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;

bool everybody_can_add_names(const fs::path &folder) {
    struct stat status {};
    return stat(folder.empty() ? "." : folder.c_str(), &status) == 0 && (status.st_mode & S_IWOTH);
}

// Rejects another user's link among the folders of a path: it would choose where the file goes. Root follows none; for
// others only links in folders that everyone can write to count, since shared disks use links. `links` counts them.
void check_way(const std::string &path, const fs::path &folder, int &links) {
    fs::path part;
    for (const fs::path &name : folder) {
        const fs::path above = part;
        part /= name;
        struct stat status {};
        if (lstat(part.c_str(), &status) != 0) return; // open() reports the error
        if (!S_ISLNK(status.st_mode)) continue;
        if (++links > kMostLinks) throw cannot_write(path, ELOOP);
        if (!is_own_or_administrators(status.st_uid) && (geteuid() == 0 || everybody_can_add_names(above)))
            throw of_another_user(path, part.string(), status, "is a link that belongs");
        std::error_code error;
        const fs::path link = fs::read_symlink(part, error);
        if (!error && !part.string().starts_with("/proc/")) check_way(path, above / link, links);
    }
}

} // namespace

OutputError of_another_user(const std::string &path, const std::string &place, const struct stat &status,
                            const char *what) {
    return OutputError(EPERM, "cannot write '" + path + "': '" + place + "' " + what + " to another user (number " +
                                  std::to_string(status.st_uid) + "); remove it, or choose another output file");
}

void check_way(const std::string &path, const std::string &folder) {
    int links = 0;
    check_way(path, folder, links);
}

void refuse_trap(const std::string &path, const std::string &place, const struct stat &status) {
    if (!is_own_or_administrators(status.st_uid) && everybody_can_add_names(fs::path(place).parent_path()))
        throw of_another_user(path, place, status, "is in a folder that all users can write to, and belongs");
}

void refuse_other_names(const std::string &path, const struct stat &status) {
    if (status.st_nlink > 1)
        throw OutputError(EMLINK, "cannot write '" + path +
                                      "': the file has other names (hard links), whose content would be lost too; "
                                      "remove it, or choose another output file");
}

OutputError cannot_write(const std::string &path, int code) {
    return OutputError(code, "cannot write '" + path + "': " + std::strerror(code) + "; choose another output file");
}

std::string folder_of(const std::string &path) {
    const std::string folder = fs::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

bool is_own_or_administrators(uid_t owner) { return owner == geteuid() || owner == 0; }

Descriptor::Descriptor(Descriptor &&other) noexcept : number_(other.release()) {}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
    if (this != &other) {
        close_now();
        number_ = other.release();
    }
    return *this;
}

Descriptor::~Descriptor() { close_now(); }

int Descriptor::close_now() { return number_ >= 0 ? close(std::exchange(number_, -1)) : 0; }

int Descriptor::release() { return std::exchange(number_, -1); }

std::string behind_links(const std::string &path) {
    fs::path place = path;
    int links = 0;
    for (int count = 0; count <= kMostLinks; count++) {
        const std::string text = place.string();
        if (text.starts_with("/proc/") || text.starts_with("/dev/fd/")) return text; // links that lead to no path
        check_way(path, place.parent_path(), links);
        struct stat status {};
        if (lstat(text.c_str(), &status) != 0) {
            if (errno == ENOENT) return text;
            throw cannot_write(path, errno);
        }
        if (!S_ISLNK(status.st_mode)) return text;
        if (!is_own_or_administrators(status.st_uid))
            throw of_another_user(path, text, status, "is a link that belongs");
        std::error_code error;
        const fs::path link = fs::read_symlink(place, error);
        if (error) throw cannot_write(path, error.value());
        place = place.parent_path() / link; // an absolute target replaces it
    }
    throw cannot_write(path, ELOOP);
}

void write_all(int descriptor, std::string_view text, const std::string &path) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            pollfd waiting{descriptor, POLLOUT, 0};
            poll(&waiting, 1, -1);
            continue;
        }
        if (count <= 0) throw cannot_write(path, count < 0 ? errno : ENOSPC);
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

void make_durable(const Descriptor &descriptor, const std::string &path) {
    while (fsync(descriptor.get()) != 0) {
        if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return; // pipes, and some network file systems
        if (errno != EINTR) throw cannot_write(path, errno);
    }
}

mode_t first_permissions(const struct stat *earlier) {
    constexpr mode_t kUsual = 0666; // less the umask
    return earlier && earlier->st_uid == geteuid() ? earlier->st_mode & kUsual & ~mode_t(S_IRWXG) : kUsual;
}

void take_over_permissions(int descriptor, const struct stat &earlier, const std::string &path) {
    if (earlier.st_uid != geteuid()) return;
    mode_t mode = earlier.st_mode & kPermissions;
    struct stat status {};
    if (fstat(descriptor, &status) != 0) throw cannot_write(path, errno);
    // The group permissions were meant for that group; another group gets only what everyone gets.
    if (status.st_gid != earlier.st_gid && fchown(descriptor, uid_t(-1), earlier.st_gid) != 0)
        mode &= ~mode_t(S_IRWXG) | ((mode & S_IRWXO) << 3);
    if (fchmod(descriptor, mode) != 0) throw cannot_write(path, errno);
}

TemporaryFile::TemporaryFile(const std::string &target, const struct stat *earlier) {
    static std::atomic<unsigned> serial{0}; // several threads may write documents
    const std::size_t slash = target.rfind('/');
    const std::string stem =
        (slash == std::string::npos ? "" : target.substr(0, slash + 1)) + ".vmaf-" + std::to_string(getpid()) + "-";
    int number = -1;
    do {
        path_ = stem + std::to_string(serial++);
        leftover_.emplace(path_, [&] {
            number = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_permissions(earlier));
            error_ = number < 0 ? errno : 0;
            return number >= 0;
        });
    } while (error_ == EEXIST);
    descriptor_ = Descriptor(number);
}

TemporaryFile::~TemporaryFile() {
    if (error_ == 0 && !is_renamed_) unlink(path_.c_str());
}

bool TemporaryFile::rename_to(const std::string &target) {
    is_renamed_ = std::rename(path_.c_str(), target.c_str()) == 0;
    if (!is_renamed_) stop_if_ending();
    return is_renamed_;
}

} // namespace vmaf::system
