#include "system/output_file.hpp"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

#include "system/file_posix.hpp"
#include "system/files.hpp"
#include "system/filesystem.hpp"

namespace vmaf::system {

namespace {

// Our own descriptor named by a path such as /dev/stdout: reopening would write a file from its start.
std::optional<int> own_descriptor(const std::string &path) {
    if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        int number = -1;
        const char *const end = path.data() + path.size();
        if (std::from_chars(path.data() + folder.size(), end, number).ptr == end && number >= 0) return number;
    }
    return std::nullopt;
}

// Where a document goes.
struct Target {
    std::string path; // links followed
    std::optional<int> own_descriptor;
    std::optional<struct stat> earlier; // if it exists
    bool is_replaced = false;           // by renaming; otherwise written in place

    const struct stat *earlier_file() const { return earlier ? &*earlier : nullptr; }
};

// In a sticky folder another user's file cannot be replaced, but it may be writable.
bool is_held_by_sticky_folder(const std::string &path, const struct stat &file) {
    struct stat status {};
    return stat(folder_of(path).c_str(), &status) == 0 && (status.st_mode & S_ISVTX) && geteuid() != 0 &&
           file.st_uid != geteuid() && status.st_uid != geteuid();
}

Target find_target(const std::string &path) {
    if (path.empty()) throw cannot_write(path, ENOENT);
    Target target{.own_descriptor = own_descriptor(path)};
    if (target.own_descriptor) return target;
    target.path = behind_links(path);
    target.own_descriptor = own_descriptor(target.path);
    if (target.own_descriptor) return target;
    if (target.path.back() == '/') throw cannot_write(path, EISDIR);
    struct stat status {};
    if (stat(target.path.c_str(), &status) != 0) {
        if (errno != ENOENT) throw cannot_write(path, errno);
        target.is_replaced = true;
        return target;
    }
    if (S_ISDIR(status.st_mode)) throw cannot_write(path, EISDIR);
    if (access(target.path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
    target.earlier = status;
    target.is_replaced =
        S_ISREG(status.st_mode) && !target.path.starts_with("/proc/") && !is_held_by_sticky_folder(target.path, status);
    if (!target.is_replaced) {
        refuse_trap(path, target.path, status);
        if (S_ISREG(status.st_mode)) refuse_other_names(path, status);
    }
    return target;
}

void write_directly(Descriptor descriptor, const std::string &path, const TextWriter &write,
                    bool is_made_durable = false) {
    if (descriptor.get() < 0) throw cannot_write(path, errno);
    write([&](std::string_view text) { write_all(descriptor.get(), text, path); });
    if (is_made_durable) make_durable(descriptor, path);
    if (descriptor.close_now() != 0) throw cannot_write(path, errno);
}

struct stat require_same(const Descriptor &descriptor, const Target &target, const std::string &path) {
    struct stat status {};
    if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0) throw cannot_write(path, errno);
    if (status.st_dev != target.earlier->st_dev || status.st_ino != target.earlier->st_ino)
        throw cannot_write(path, EBUSY);
    return status;
}

// For a writable file that cannot be replaced. It must still be the file that was checked.
Descriptor open_in_place(const Target &target, const std::string &path) {
    Descriptor descriptor(open(target.path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    const struct stat status = require_same(descriptor, target, path);
    refuse_other_names(path, status);
    constexpr mode_t kSpecial = S_ISUID | S_ISGID | S_ISVTX;
    if ((status.st_mode & kSpecial) && fchmod(descriptor.get(), status.st_mode & 0777) != 0)
        throw cannot_write(path, errno);
    if (ftruncate(descriptor.get(), 0) != 0) throw cannot_write(path, errno);
    return descriptor;
}

// A pipe or a device. It must still be the one that was checked.
Descriptor open_special(const Target &target, const std::string &path) {
    Descriptor descriptor(open(target.path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    require_same(descriptor, target, path);
    return descriptor;
}

std::optional<FileIdentity> identity_if(bool is_known, const struct stat &status) {
    if (!is_known || !S_ISREG(status.st_mode)) return std::nullopt;
    return FileIdentity{static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

} // namespace

void check_output_file(const std::string &path) {
    const Target target = find_target(path);
    if (target.own_descriptor || !target.is_replaced) return; // opening a pipe would block until it has a reader
    const TemporaryFile temporary(target.path, target.earlier_file());
    if (!temporary.error()) return;
    if (!target.earlier) throw cannot_write(path, temporary.error());
    refuse_other_names(path, *target.earlier); // it would be written in place
}

// One descriptor per file system where syncfs() exists; elsewhere all files.
struct PendingOutputs::Files {
    std::mutex mutex;
    std::map<dev_t, std::pair<Descriptor, std::string>> systems;
    std::vector<std::string> paths;
};

PendingOutputs::PendingOutputs() : files_(std::make_unique<Files>()) {}
PendingOutputs::~PendingOutputs() = default;

void PendingOutputs::add(const std::string &path) {
    const std::lock_guard lock(files_->mutex);
#ifdef __linux__
    Descriptor folder = open_folder_of(path);
    struct stat status {};
    if (folder.get() >= 0 && fstat(folder.get(), &status) == 0) {
        files_->systems.try_emplace(status.st_dev, std::move(folder), path);
        return;
    }
#endif
    files_->paths.push_back(path);
}

void PendingOutputs::make_durable() {
    const std::lock_guard lock(files_->mutex);
#ifdef __linux__
    for (const auto &[device, entry] : files_->systems)
        if (syncfs(entry.first.get()) != 0) throw cannot_write(entry.second, errno);
#endif
    for (const std::string &path : files_->paths) {
        system::make_durable(path);
        make_name_durable(path);
    }
    files_->systems.clear();
    files_->paths.clear();
}

void write_output_file(const std::string &path, const TextWriter &write, PendingOutputs *pending) {
    const Target target = find_target(path);
    if (target.own_descriptor)
        return write_directly(Descriptor(dup(*target.own_descriptor)), path == "-" ? "standard output" : path, write);
    if (!target.is_replaced) {
        const bool is_regular = S_ISREG(target.earlier->st_mode) && !target.path.starts_with("/proc/");
        return write_directly(is_regular ? open_in_place(target, path) : open_special(target, path), path, write,
                              is_regular && !pending);
    }
    TemporaryFile temporary(target.path, target.earlier_file());
    if (temporary.error() && target.earlier) // nothing can be created in the folder, but the file is writable
        return write_directly(open_in_place(target, path), path, write, !pending);
    if (temporary.error()) throw cannot_write(path, temporary.error());
    if (target.earlier) take_over_permissions(temporary.descriptor().get(), *target.earlier, path);
    write_directly(std::move(temporary.descriptor()), path, write, !pending);
    // Allocates nothing after the rename, so a run that fails leaves no document.
    const Descriptor folder = pending ? Descriptor() : open_folder_of(target.path);
    if (pending) pending->add(target.path);
    if (!temporary.rename_to(target.path)) throw cannot_write(path, errno);
    if (folder.get() >= 0) make_durable(folder, path);
}

std::string place_of_output(const std::string &path) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
    struct stat folder {};
    if (error || stat(whole.parent_path().c_str(), &folder) != 0) return error ? path : whole.string();
    return std::to_string(folder.st_dev) + ":" + std::to_string(folder.st_ino) + "/" + whole.filename().string();
}

std::optional<FileIdentity> identity_of_output(const std::string &path) {
    struct stat status {};
    const std::optional<int> own = own_descriptor(path);
    return identity_if((own ? fstat(*own, &status) : stat(path.c_str(), &status)) == 0, status);
}

std::optional<FileIdentity> identity_of_input(const std::string &path) {
    struct stat status {};
    return identity_if((path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status)) == 0, status);
}

} // namespace vmaf::system
