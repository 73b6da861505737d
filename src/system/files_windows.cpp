#include "system/files.hpp"

#include <io.h>
#include <mutex>

#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "system/windows.hpp"

namespace vmaf::system {

std::filesystem::path fs::from_utf8(std::string_view name) { return wide(name); }

// The standard's version never ends if a name has more than 260 characters: it finds a folder empty, then not. Removes
// links, not their targets.
std::uintmax_t fs::remove_all(const path &name, std::error_code &error) {
    const std::wstring text = wide_path(name.string());
    const auto failed = [&] {
        const DWORD code = GetLastError();
        if (code != ERROR_FILE_NOT_FOUND && code != ERROR_PATH_NOT_FOUND)
            error = {static_cast<int>(code), std::system_category()};
        return std::uintmax_t(0);
    };
    error.clear();
    const DWORD kind = GetFileAttributesW(text.c_str());
    if (kind == INVALID_FILE_ATTRIBUTES) return failed();
    std::uintmax_t removed = 0;
    if ((kind & FILE_ATTRIBUTE_DIRECTORY) && !(kind & FILE_ATTRIBUTE_REPARSE_POINT)) {
        WIN32_FIND_DATAW entry{};
        const HANDLE search = FindFirstFileW(wide_path((name / "*").string()).c_str(), &entry);
        for (bool found = search != INVALID_HANDLE_VALUE; found; found = FindNextFileW(search, &entry)) {
            const std::wstring_view part = entry.cFileName;
            if (part != L"." && part != L"..") removed += remove_all(name / path(narrow(part)), error);
        }
        if (search != INVALID_HANDLE_VALUE) FindClose(search);
    }
    const bool done = kind & FILE_ATTRIBUTE_DIRECTORY ? RemoveDirectoryW(text.c_str()) : DeleteFileW(text.c_str());
    return done ? removed + 1 : removed + failed();
}

namespace {

OutputError cannot(const std::string &what, DWORD code) {
    const Error error = with_reason(what, code);
    return OutputError(error.code(), error.what());
}

void write_all(HANDLE handle, const void *bytes, std::size_t count, OVERLAPPED *offset, const std::string &path) {
    const auto *memory = static_cast<const char *>(bytes);
    while (count > 0) {
        DWORD written = 0;
        const auto step = static_cast<DWORD>(std::min<std::size_t>(count, std::size_t{1} << 30));
        if (!WriteFile(handle, memory, step, &written, offset))
            throw cannot("cannot write '" + path + "'", GetLastError());
        memory += written;
        count -= written;
        if (!offset) continue;
        const std::uint64_t next = (std::uint64_t{offset->OffsetHigh} << 32 | offset->Offset) + written;
        offset->Offset = static_cast<DWORD>(next);
        offset->OffsetHigh = static_cast<DWORD>(next >> 32);
    }
}

} // namespace

void make_folders(const std::string &path) {
    std::error_code error;
    std::filesystem::create_directories(wide_path(path), error);
    if (error) throw OutputError(error.value(), "cannot create '" + path + "': " + error.message());
}

std::string make_new_folder(const std::string &prefix) {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; i++) {
        const std::string name =
            prefix + std::to_string(GetCurrentProcessId()) + "-" + std::to_string(GetTickCount64() + i);
        if (CreateDirectoryW(wide_path(name).c_str(), nullptr)) return name;
        if (GetLastError() != ERROR_ALREADY_EXISTS) break;
    }
    throw cannot("cannot create '" + prefix + "...'", GetLastError());
}

void reserve_file(const std::string &path) {
    if (!DeleteFileW(wide_path(path).c_str()) && GetLastError() != ERROR_FILE_NOT_FOUND)
        throw cannot("cannot write '" + path + "'", GetLastError());
    const Handle file(
        CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file.is_open()) throw cannot("cannot write '" + path + "'", GetLastError());
}

void make_durable(const std::string &path) {
    const Handle file(CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file.is_open() || !FlushFileBuffers(file.get())) throw cannot("cannot write '" + path + "'", GetLastError());
}

void make_name_durable(const std::string &) {} // the journal keeps names in order

bool write_text(int descriptor, std::string_view text) {
    return _write(descriptor, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size());
}

class OffsetFile::File {
  public:
    explicit File(const std::string &path) : path_(path) {
        const DWORD kind = GetFileAttributesW(wide_path(path).c_str());
        if (kind != INVALID_FILE_ATTRIBUTES &&
            (kind & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE)))
            throw OutputError(EEXIST, "cannot create '" + path + "': a folder, pipe or device has that name");
        handle_ = Handle(CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ, nullptr, CREATE_ALWAYS,
                                     FILE_ATTRIBUTE_NORMAL, nullptr));
        if (!handle_.is_open()) throw cannot("cannot create '" + path + "'", GetLastError());
    }

    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
        OVERLAPPED where{};
        where.Offset = static_cast<DWORD>(offset);
        where.OffsetHigh = static_cast<DWORD>(offset >> 32);
        write_all(handle_.get(), bytes.data(), bytes.size(), &where, path_);
    }

  private:
    std::string path_;
    Handle handle_;
};

class GrowingFile::File {
  public:
    File(const std::string &path, Start start) : path_(path) {
        if (path == "-") {
            HANDLE copy = nullptr;
            if (!DuplicateHandle(GetCurrentProcess(), GetStdHandle(STD_OUTPUT_HANDLE), GetCurrentProcess(), &copy, 0,
                                 FALSE, DUPLICATE_SAME_ACCESS))
                throw cannot("cannot write standard output", GetLastError());
            handle_ = Handle(copy);
            return;
        }
        handle_ = Handle(CreateFileW(wide_path(path).c_str(), GENERIC_READ | GENERIC_WRITE,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL,
                                     nullptr));
        if (!handle_.is_open()) throw cannot("cannot write '" + path + "'; choose another output file", GetLastError());
        if (GetFileType(handle_.get()) != FILE_TYPE_DISK) return;
        LARGE_INTEGER size{};
        if (!GetFileSizeEx(handle_.get(), &size)) throw cannot("cannot write '" + path + "'", GetLastError());
        std::int64_t end = size.QuadPart;
        if (start == Start::empty) end = 0;
        if (start == Start::after_whole_lines) end = whole_lines(end);
        LARGE_INTEGER offset{};
        offset.QuadPart = end;
        if (!SetFilePointerEx(handle_.get(), offset, nullptr, FILE_BEGIN) ||
            (end != size.QuadPart && !SetEndOfFile(handle_.get())))
            throw cannot("cannot write '" + path + "'", GetLastError());
        was_empty_ = end == 0;
    }

    bool was_empty() const { return was_empty_; }

    void append(std::string_view text) {
        if (GetFileType(handle_.get()) == FILE_TYPE_DISK) SetFilePointerEx(handle_.get(), {}, nullptr, FILE_END);
        write_all(handle_.get(), text.data(), text.size(), nullptr, path_ == "-" ? "standard output" : path_);
    }

  private:
    std::int64_t whole_lines(std::int64_t size) const {
        char block[4096];
        while (size > 0) {
            const auto length = static_cast<DWORD>(std::min<std::int64_t>(size, sizeof block));
            const std::int64_t begin = size - length;
            OVERLAPPED where{};
            where.Offset = static_cast<DWORD>(begin);
            where.OffsetHigh = static_cast<DWORD>(begin >> 32);
            DWORD count = 0;
            if (!ReadFile(handle_.get(), block, length, &count, &where) || count != length)
                throw cannot("cannot read '" + path_ + "'", GetLastError());
            for (DWORD i = length; i > 0; i--)
                if (block[i - 1] == '\n') return begin + i;
            size = begin;
        }
        return 0;
    }

    std::string path_;
    Handle handle_;
    bool was_empty_ = true;
};

} // namespace vmaf::system

#include "system/files-inl.hpp"
