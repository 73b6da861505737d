#include "system/windows.hpp"

#include <filesystem>

namespace vmaf::system {

std::wstring wide(std::string_view text) {
    std::wstring result(text.size(), L'\0'); // UTF-16 never has more units than UTF-8 has bytes
    const int count = text.empty() ? 0
                                   : MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()),
                                                         result.data(), static_cast<int>(result.size()));
    result.resize(static_cast<std::size_t>(count));
    return result;
}

std::string narrow(std::wstring_view text) {
    std::string result(text.size() * 3, '\0');
    const int count = text.empty()
                          ? 0
                          : WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), result.data(),
                                                static_cast<int>(result.size()), nullptr, nullptr);
    result.resize(static_cast<std::size_t>(count));
    return result;
}

namespace {

// Empty on failure.
std::wstring full_path(const std::wstring &path) {
    std::wstring full(path.size() + 32768, L'\0');
    const DWORD length = GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    full.resize(length < full.size() ? length : 0);
    return full;
}

bool is_verbatim(const std::wstring &path) { return path.starts_with(L"\\\\?\\") || path.starts_with(L"\\\\.\\"); }

} // namespace

std::wstring wide_path(const std::string &path) {
    constexpr std::size_t kShort = 240; // leaves room for a temporary name
    std::wstring text = wide(path);
    if (is_verbatim(text)) return text;
    const std::wstring full = full_path(text); // a short name may be in a folder with a long one
    if (full.size() < kShort || is_verbatim(full)) return text;
    return full.starts_with(L"\\\\") ? L"\\\\?\\UNC" + full.substr(1) : L"\\\\?\\" + full;
}

bool is_device(const std::string &path) { return full_path(wide(path)).starts_with(L"\\\\.\\"); }

int errno_of(DWORD code) {
    switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return EACCES;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return ENOMEM;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA: return EPIPE;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_DIRECTORY: return ENOTDIR;
    default: return EIO;
    }
}

std::string reason_of(DWORD code) {
    wchar_t *text = nullptr;
    const DWORD length =
        FormatMessageW(FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                       nullptr, code, 0, reinterpret_cast<wchar_t *>(&text), 0, nullptr);
    std::string reason = length ? narrow({text, length}) : "error " + std::to_string(code);
    LocalFree(text);
    while (!reason.empty() &&
           (reason.back() == '\n' || reason.back() == '\r' || reason.back() == '.' || reason.back() == ' '))
        reason.pop_back();
    return reason;
}

Error with_reason(const std::string &what, DWORD code) { return Error(errno_of(code), what + ": " + reason_of(code)); }

} // namespace vmaf::system
