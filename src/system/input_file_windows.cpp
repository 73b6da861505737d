#include "system/input_file.hpp"

#include <atomic>
#include <charconv>
#include <fcntl.h>
#include <io.h>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "system/windows.hpp"

namespace vmaf::system {

// Reads of regular files pass their offset, so several threads can read and the handle's own position does not matter.
class InputFile::File {
  public:
    File(int descriptor, std::string name) : name_(std::move(name)), descriptor_(descriptor) {
        handle_ = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
        is_regular_ = GetFileType(handle_) == FILE_TYPE_DISK;
        LARGE_INTEGER offset{};
        if (is_regular_ && SetFilePointerEx(handle_, {}, &offset, FILE_CURRENT))
            position_ = static_cast<std::uint64_t>(offset.QuadPart);
        at_opening_ = facts();
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File() { _close(descriptor_); }

    const std::string &name() const { return name_; }
    bool is_regular() const { return is_regular_; }

    std::size_t read_some(std::span<const Buffer> parts) {
        if (is_regular_) {
            const std::size_t count = read_some_at(position_, parts);
            position_ += count;
            return count;
        }
        is_reading_ = true;
        DWORD count = 0;
        const bool is_done = !is_cancelled_ && ReadFile(handle_, parts[0].memory, length(parts[0]), &count, nullptr);
        const DWORD reason = is_done ? ERROR_SUCCESS : GetLastError();
        is_reading_ = false;
        if (is_cancelled_) throw Error(ECANCELED, "reading " + name_ + " was cancelled");
        if (is_done || reason == ERROR_BROKEN_PIPE || reason == ERROR_HANDLE_EOF)
            return count; // the writer has gone: end of data
        throw with_reason("cannot read " + name_, reason);
    }

    std::size_t read_some_at(std::uint64_t offset, std::span<const Buffer> parts) const {
        OVERLAPPED where{};
        where.Offset = static_cast<DWORD>(offset);
        where.OffsetHigh = static_cast<DWORD>(offset >> 32);
        DWORD count = 0;
        if (ReadFile(handle_, parts[0].memory, length(parts[0]), &count, &where) || GetLastError() == ERROR_HANDLE_EOF)
            return count;
        throw with_reason("cannot read " + name_, GetLastError());
    }

    std::shared_ptr<const std::byte> map(std::uint64_t, std::size_t, const std::shared_ptr<std::atomic<bool>> &) const {
        return nullptr; // a mapped file cannot be truncated, which other programs expect to work
    }

    std::optional<std::uint64_t> position() const { return is_regular_ ? std::optional(position_) : std::nullopt; }

    std::uint64_t size() const {
        LARGE_INTEGER size{};
        if (!GetFileSizeEx(handle_, &size)) throw with_reason("cannot read " + name_, GetLastError());
        return static_cast<std::uint64_t>(size.QuadPart);
    }

    void move_forward(std::uint64_t bytes) { position_ += bytes; }

    bool has_changed() const { return at_opening_.size > 0 && facts() != at_opening_; }
    std::string version() const {
        if (!is_regular_) return {};
        std::string text;
        for (const std::uint64_t number : {at_opening_.volume, at_opening_.file, at_opening_.size, at_opening_.time})
            text += std::to_string(number) + ' ';
        return text;
    }

    void cancel() noexcept {
        if (is_regular_) return;
        is_cancelled_ = true;
        while (is_reading_) { // a read may have been about to begin
            CancelIoEx(handle_, nullptr);
            Sleep(1);
        }
    }

  private:
    struct Facts { // they differ if the file was written
        std::uint64_t volume = 0, file = 0, size = 0, time = 0;
        bool operator==(const Facts &) const = default;
    };
    Facts facts() const {
        BY_HANDLE_FILE_INFORMATION facts{};
        if (!is_regular_ || !GetFileInformationByHandle(handle_, &facts)) return {};
        const auto joined = [](DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; };
        return {facts.dwVolumeSerialNumber, joined(facts.nFileIndexHigh, facts.nFileIndexLow),
                joined(facts.nFileSizeHigh, facts.nFileSizeLow),
                joined(facts.ftLastWriteTime.dwHighDateTime, facts.ftLastWriteTime.dwLowDateTime)};
    }
    static DWORD length(const Buffer &part) {
        return static_cast<DWORD>(std::min<std::size_t>(part.bytes, std::size_t{1} << 30));
    }

    std::string name_;
    int descriptor_;
    HANDLE handle_;
    bool is_regular_ = false;
    Facts at_opening_;
    std::uint64_t position_ = 0;
    std::atomic<bool> is_cancelled_{false}, is_reading_{false};
};

namespace {

// "-", and as on other systems "/dev/stdin" and "/dev/fd/NUMBER": a descriptor inherited at start
// (process.hpp).
std::optional<int> inherited_descriptor(const std::string &path) {
    if (path == "-" || path == "/dev/stdin") return _fileno(stdin);
    constexpr std::string_view kFolder = "/dev/fd/";
    if (!path.starts_with(kFolder)) return std::nullopt;
    int number = -1;
    const char *const end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + kFolder.size(), end, number);
    return error == std::errc() && rest == end && number >= 0 ? std::optional(number) : std::nullopt;
}

} // namespace

InputFile InputFile::open(const std::string &path) {
    if (const auto inherited = inherited_descriptor(path)) {
        const std::string name = path == "-" ? "standard input" : "'" + path + "'";
        const int copy = _dup(*inherited);
        if (copy < 0) throw Error(errno, "cannot read " + name);
        _setmode(copy, _O_BINARY);
        return {copy, name};
    }
    const DWORD kind = GetFileAttributesW(wide_path(path).c_str());
    if (kind != INVALID_FILE_ATTRIBUTES && (kind & FILE_ATTRIBUTE_DIRECTORY))
        throw Error(EISDIR, "'" + path + "' is a directory; give a file");
    const HANDLE handle =
        CreateFileW(wide_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN, nullptr);
    if (handle == INVALID_HANDLE_VALUE) throw with_reason("cannot open '" + path + "'", GetLastError());
    return {_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_RDONLY | _O_BINARY), "'" + path + "'"};
}

bool is_same_pipe(const std::string &a, const std::string &b) {
    const auto one = inherited_descriptor(a);
    return (one && one == inherited_descriptor(b)) || (a == b && a.starts_with("\\\\.\\pipe\\"));
}

bool is_regular_file(const std::string &path) {
    if (is_device(path)) return false;
    const DWORD kind = GetFileAttributesW(wide_path(path).c_str());
    return kind != INVALID_FILE_ATTRIBUTES && !(kind & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE));
}

} // namespace vmaf::system

#include "system/input_file-inl.hpp"
