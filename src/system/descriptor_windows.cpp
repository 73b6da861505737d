#include "system/descriptor.hpp"

#include <climits>
#include <fcntl.h>
#include <io.h>

#include "system/windows.hpp"

namespace vmaf::system {

namespace {

constexpr std::size_t kMostAtOnce = INT_MAX;
constexpr DWORD kPause = 2; // milliseconds between polls of pipes, which cannot be waited for

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

Descriptor adopt(HANDLE handle, int flags) {
    return Descriptor(_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags | _O_BINARY));
}

} // namespace

void close_descriptor(int number) noexcept { _close(number); }

Pipe make_pipe(std::size_t wished_bytes) {
    HANDLE read = nullptr, write = nullptr;
    if (!CreatePipe(&read, &write, nullptr, static_cast<DWORD>(wished_bytes)))
        throw with_reason("no pipe", GetLastError());
    return {adopt(read, _O_RDONLY), adopt(write, 0)};
}

std::size_t read_some(int descriptor, std::span<std::byte> memory) {
    const int count = _read(descriptor, memory.data(), static_cast<unsigned>(std::min(memory.size(), kMostAtOnce)));
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool write_full(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const int count = _write(descriptor, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMostAtOnce)));
        if (count <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

bool wait_for_input(std::span<Waited> pipes, int milliseconds) {
    const ULONGLONG begin = GetTickCount64();
    for (;;) {
        bool is_any = false;
        for (Waited &pipe : pipes) {
            DWORD there = 0;
            pipe.is_ready = pipe.descriptor >= 0 &&
                            (!PeekNamedPipe(handle_of(pipe.descriptor), nullptr, 0, nullptr, &there, nullptr) || there);
            is_any = is_any || pipe.is_ready;
        }
        if (is_any) return true;
        if (milliseconds >= 0 && GetTickCount64() - begin >= static_cast<ULONGLONG>(milliseconds)) return false;
        Sleep(kPause);
    }
}

// Pages of a delete-on-close file stay in memory if there is enough.
MemoryFile::MemoryFile() {
    wchar_t folder[MAX_PATH + 1] = L"", name[MAX_PATH + 1] = L"";
    if (!GetTempPathW(MAX_PATH, folder) || !GetTempFileNameW(folder, L"vmf", 0, name))
        throw with_reason("no room for a temporary file", GetLastError());
    path_ = narrow(name);
    const HANDLE handle =
        CreateFileW(name, GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                    CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (handle == INVALID_HANDLE_VALUE) throw with_reason("no room for a temporary file", GetLastError());
    file_ = adopt(handle, 0);
}

MemoryFile::~MemoryFile() = default;

Descriptor MemoryFile::open() const {
    const HANDLE handle =
        CreateFileW(wide_path(path_).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_TEMPORARY, nullptr);
    if (handle == INVALID_HANDLE_VALUE) throw with_reason("a temporary file cannot be read", GetLastError());
    return adopt(handle, _O_RDONLY);
}

} // namespace vmaf::system

#include "system/descriptor-inl.hpp"
