#include "system/output_file.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "system/files.hpp"
#include "system/filesystem.hpp"
#include "system/leftovers.hpp"
#include "system/windows.hpp"

namespace vmaf::system {

namespace {

OutputError cannot_write(const std::string &path, DWORD code) {
    return OutputError(errno_of(code),
                       "cannot write '" + path + "': " + reason_of(code) + "; choose another output file");
}

HANDLE standard_stream(const std::string &path) {
    if (path == "-" || path == "/dev/stdout") return GetStdHandle(STD_OUTPUT_HANDLE);
    if (path == "/dev/stderr") return GetStdHandle(STD_ERROR_HANDLE);
    return INVALID_HANDLE_VALUE;
}

void write_text(HANDLE handle, const std::string &path, const TextWriter &write) {
    write([&](std::string_view text) {
        while (!text.empty()) {
            DWORD count = 0;
            if (!WriteFile(handle, text.data(), static_cast<DWORD>(std::min<std::size_t>(text.size(), 1 << 30)), &count,
                           nullptr))
                throw cannot_write(path, GetLastError());
            text.remove_prefix(count);
        }
    });
}

// Accepts the name that other systems use.
std::string device_name(const std::string &path) { return path == "/dev/null" ? "NUL" : path; }

// Replaces regular files and free names; writes to pipes and devices ("NUL", "\\.\pipe\name").
bool is_replaced(const std::string &path) {
    if (path.empty()) throw cannot_write(path, ERROR_FILE_NOT_FOUND);
    if (is_device(path)) return false;
    const DWORD kind = GetFileAttributesW(wide_path(path).c_str());
    if (kind == INVALID_FILE_ATTRIBUTES) return true;
    if (kind & FILE_ATTRIBUTE_DIRECTORY)
        throw OutputError(EISDIR, "cannot write '" + path + "': it is a folder; choose another output file");
    if (kind & FILE_ATTRIBUTE_READONLY) throw cannot_write(path, ERROR_ACCESS_DENIED);
    const Handle file(CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                  OPEN_EXISTING, 0, nullptr));
    if (!file.is_open()) throw cannot_write(path, GetLastError());
    return GetFileType(file.get()) == FILE_TYPE_DISK;
}

class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string &target) {
        static std::atomic<unsigned> serial{0}; // several threads may write documents
        const std::size_t slash = target.find_last_of("/\\:");
        const std::string stem = (slash == std::string::npos ? "" : target.substr(0, slash + 1)) + ".vmaf-" +
                                 std::to_string(GetCurrentProcessId()) + "-";
        DWORD code = ERROR_SUCCESS;
        do {
            path_ = wide_path(stem + std::to_string(serial++));
            leftover_.emplace(path_, [&] {
                file_ = Handle(CreateFileW(path_.c_str(), GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                           nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
                code = GetLastError();
                return file_.is_open();
            });
        } while (!file_.is_open() && code == ERROR_FILE_EXISTS);
        if (!file_.is_open()) throw cannot_write(target, code);
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    ~TemporaryFile() {
        file_.close();
        if (!is_renamed_) DeleteFileW(path_.c_str());
    }

    HANDLE handle() const { return file_.get(); }
    void rename_to(const std::string &target) {
        file_.close();
        if (!MoveFileExW(path_.c_str(), wide_path(target).c_str(),
                         MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
            const DWORD code = GetLastError();
            stop_if_ending();
            throw cannot_write(target, code);
        }
        is_renamed_ = true;
    }

  private:
    std::wstring path_;
    Handle file_;
    std::optional<LeftoverFile> leftover_;
    bool is_renamed_ = false;
};

std::optional<FileIdentity> identity_of(HANDLE handle) {
    BY_HANDLE_FILE_INFORMATION status{};
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &status) ||
        (status.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        return std::nullopt;
    return FileIdentity{status.dwVolumeSerialNumber, std::uint64_t{status.nFileIndexHigh} << 32 | status.nFileIndexLow};
}

std::optional<FileIdentity> identity_of(const std::string &path, HANDLE stream) {
    if (stream != INVALID_HANDLE_VALUE) return identity_of(stream);
    const Handle file(CreateFileW(wide_path(path).c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                  nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
    return file.is_open() ? identity_of(file.get()) : std::nullopt;
}

} // namespace

void check_output_file(const std::string &wish) {
    const std::string path = device_name(wish);
    if (standard_stream(path) == INVALID_HANDLE_VALUE && is_replaced(path)) TemporaryFile temporary(path);
}

struct PendingOutputs::Files {
    std::mutex mutex;
    std::vector<std::string> paths;
};

PendingOutputs::PendingOutputs() : files_(std::make_unique<Files>()) {}
PendingOutputs::~PendingOutputs() = default;

void PendingOutputs::add(const std::string &path) {
    const std::lock_guard lock(files_->mutex);
    files_->paths.push_back(path);
}

void PendingOutputs::make_durable() {
    const std::lock_guard lock(files_->mutex);
    for (const std::string &path : files_->paths) system::make_durable(path);
    files_->paths.clear();
}

void write_output_file(const std::string &wish, const TextWriter &write, PendingOutputs *pending) {
    const std::string path = device_name(wish);
    if (const HANDLE stream = standard_stream(path); stream != INVALID_HANDLE_VALUE)
        return write_text(stream, path == "-" ? "standard output" : path, write);
    if (!is_replaced(path)) {
        const Handle file(CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, 0, nullptr));
        if (!file.is_open()) throw cannot_write(path, GetLastError());
        return write_text(file.get(), path, write);
    }
    TemporaryFile temporary(path);
    write_text(temporary.handle(), path, write);
    if (!pending && !FlushFileBuffers(temporary.handle())) throw cannot_write(path, GetLastError());
    temporary.rename_to(path);
    if (pending) pending->add(path);
}

std::string place_of_output(const std::string &path) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? path : whole.string();
}

std::optional<FileIdentity> identity_of_output(const std::string &path) {
    return identity_of(path, standard_stream(path));
}

std::optional<FileIdentity> identity_of_input(const std::string &path) {
    return identity_of(path,
                       path == "-" || path == "/dev/stdin" ? GetStdHandle(STD_INPUT_HANDLE) : INVALID_HANDLE_VALUE);
}

} // namespace vmaf::system
