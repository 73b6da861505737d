#include "system/file_lock.hpp"

#include <fcntl.h>
#include <io.h>

#include "system/windows.hpp"

namespace vmaf::system {

namespace {

Descriptor open_file(const std::string &path, DWORD disposition) {
    const HANDLE handle = CreateFileW(wide_path(path).c_str(), GENERIC_READ | GENERIC_WRITE,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, disposition,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
    return handle == INVALID_HANDLE_VALUE
               ? Descriptor()
               : Descriptor(_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY));
}

bool take(const Descriptor &file, DWORD how) {
    OVERLAPPED whole{};
    return LockFileEx(reinterpret_cast<HANDLE>(_get_osfhandle(file.get())), LOCKFILE_EXCLUSIVE_LOCK | how, 0, MAXDWORD,
                      MAXDWORD, &whole);
}

} // namespace

FileLock FileLock::wait_for(const std::string &path) {
    Descriptor file = open_file(path, OPEN_ALWAYS);
    if (!file.is_open() || !take(file, 0)) throw with_reason("'" + path + "' cannot be made", GetLastError());
    return FileLock(std::move(file));
}

FileLock FileLock::try_new(const std::string &path) {
    Descriptor file = open_file(path, OPEN_ALWAYS);
    return file.is_open() && take(file, LOCKFILE_FAIL_IMMEDIATELY) ? FileLock(std::move(file)) : FileLock();
}

std::optional<FileLock> FileLock::try_old(const std::string &path) {
    Descriptor file = open_file(path, OPEN_EXISTING);
    if (!file.is_open()) return std::nullopt;
    return take(file, LOCKFILE_FAIL_IMMEDIATELY) ? FileLock(std::move(file)) : FileLock();
}

bool claim_file(const std::string &path, const std::string &text) {
    const Descriptor file = open_file(path, CREATE_NEW);
    if (!file.is_open() && GetLastError() == ERROR_FILE_EXISTS) return false;
    if (!file.is_open()) throw with_reason("'" + path + "' cannot be made", GetLastError());
    if (!write_full(file.get(), std::as_bytes(std::span(text)))) throw Error(EIO, "'" + path + "' cannot be written");
    return true;
}

} // namespace vmaf::system
