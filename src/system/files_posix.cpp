#include "system/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "system/file_posix.hpp"
#include "system/filesystem.hpp"

namespace vmaf::system {

std::filesystem::path fs::from_utf8(std::string_view name) { return name; } // bytes, whatever they mean
std::uintmax_t fs::remove_all(const path &name, std::error_code &error) {
    return std::filesystem::remove_all(name, error);
}

namespace {

OutputError cannot_create(const std::string &path, const std::string &reason, int code) {
    return OutputError(code, "cannot create '" + path + "': " + reason);
}

// The length of the file up to the end of its last whole line.
off_t whole_lines(int descriptor, off_t size, const std::string &path) {
    std::array<char, 4096> block;
    while (size > 0) {
        const auto length = static_cast<std::size_t>(std::min<off_t>(size, off_t(block.size())));
        const off_t begin = size - off_t(length);
        const ssize_t count = pread(descriptor, block.data(), length, begin);
        if (count < 0 && errno == EINTR) continue;
        if (count != ssize_t(length)) throw cannot_write(path, count < 0 ? errno : EIO);
        for (std::size_t i = length; i > 0; i--)
            if (block[i - 1] == '\n') return begin + off_t(i);
        size = begin;
    }
    return 0;
}

} // namespace

void make_folders(const std::string &path) {
    check_way(path, path);
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        if (mkdir(part.c_str(), 0770) != 0 && errno != EEXIST) {
            const int code = errno;
            struct stat status {};
            if (stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
                throw cannot_create(part, std::strerror(code), code);
        }
        if (end == std::string::npos) return;
    }
}

std::string make_new_folder(const std::string &prefix) {
    check_way(prefix + "...", folder_of(prefix));
    std::string name = prefix + "XXXXXX";
    if (!mkdtemp(name.data())) throw cannot_create(prefix + "...", std::strerror(errno), errno);
    return name;
}

void reserve_file(const std::string &path) {
    check_way(path, folder_of(path));
    if (unlink(path.c_str()) != 0 && errno != ENOENT) throw cannot_write(path, errno);
    const Descriptor descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (descriptor.get() < 0) throw cannot_write(path, errno);
}

void make_durable(const std::string &path) {
    const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor.get() < 0) throw cannot_write(path, errno);
    make_durable(descriptor, path);
}

Descriptor open_folder_of(const std::string &path) {
    return Descriptor(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void make_name_durable(const std::string &path) {
    const Descriptor folder = open_folder_of(path);
    if (folder.get() >= 0) make_durable(folder, path);
}

bool write_text(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

class OffsetFile::File {
  public:
    explicit File(const std::string &path) : path_(path) {
        check_way(path, folder_of(path));
        std::optional<struct stat> earlier(std::in_place);
        if (lstat(path.c_str(), &*earlier) != 0) {
            if (errno != ENOENT) throw cannot_create(path, std::strerror(errno), errno);
            earlier.reset();
        }
        if (earlier && !S_ISREG(earlier->st_mode))
            throw cannot_create(
                path, S_ISLNK(earlier->st_mode) ? "a link has that name" : "a folder, pipe or device has that name",
                EEXIST);
        TemporaryFile temporary(path, earlier ? &*earlier : nullptr);
        if (temporary.error()) throw cannot_create(path, std::strerror(temporary.error()), temporary.error());
        if (earlier) take_over_permissions(temporary.descriptor().get(), *earlier, path);
        if (!temporary.rename_to(path)) throw cannot_create(path, std::strerror(errno), errno);
        descriptor_ = std::move(temporary.descriptor());
    }

    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) throw cannot_write(path_, written < 0 ? errno : ENOSPC);
            offset += std::uint64_t(written);
            bytes = bytes.subspan(std::size_t(written));
        }
    }

  private:
    std::string path_;
    Descriptor descriptor_;
};

class GrowingFile::File {
  public:
    File(const std::string &path, Start start) : path_(path) {
        if (path == "-") {
            descriptor_ = Descriptor(dup(STDOUT_FILENO));
            if (descriptor_.get() < 0) throw cannot_write(path, errno);
            return;
        }
        if (path.empty()) throw cannot_write(path, ENOENT);
        const std::string place = behind_links(path);
        struct stat status {};
        const bool exists = stat(place.c_str(), &status) == 0;
        if (exists) refuse_trap(path, place, status);
        if (exists && !S_ISREG(status.st_mode)) { // blocks until the pipe has a reader
            descriptor_ = Descriptor(open(place.c_str(), O_WRONLY | O_CLOEXEC));
            if (descriptor_.get() < 0) throw cannot_write(path, errno);
            return;
        }
        // Links in /proc/ are of another kind and must be followed.
        const int no_link = place.starts_with("/proc/") || place.starts_with("/dev/fd/") ? 0 : O_NOFOLLOW | O_NONBLOCK;
        descriptor_ = Descriptor(open(place.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | no_link, 0666));
        if (descriptor_.get() < 0 || fstat(descriptor_.get(), &status) != 0) throw cannot_write(path, errno);
        if (!S_ISREG(status.st_mode)) throw cannot_write(path, EBUSY);
        if ((status.st_mode & (S_ISUID | S_ISGID | S_ISVTX)) && fchmod(descriptor_.get(), status.st_mode & 0777) != 0)
            throw cannot_write(path, errno);
        off_t size = status.st_size;
        if (start == Start::empty) size = 0;
        if (start == Start::after_whole_lines) size = whole_lines(descriptor_.get(), size, path);
        if (size != status.st_size) refuse_other_names(path, status);
        if (size != status.st_size && ftruncate(descriptor_.get(), size) != 0) throw cannot_write(path, errno);
        was_empty_ = size == 0;
    }

    bool was_empty() const { return was_empty_; }
    void append(std::string_view text) { write_all(descriptor_.get(), text, path_ == "-" ? "standard output" : path_); }

  private:
    std::string path_;
    Descriptor descriptor_;
    bool was_empty_ = true;
};

} // namespace vmaf::system

#include "system/files-inl.hpp"
