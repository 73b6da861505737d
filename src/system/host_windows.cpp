#include "system/host.hpp"

#include <filesystem>

#include "system/environment.hpp"
#include "system/user_folders.hpp"
#include "system/windows.hpp"

namespace vmaf::system {

namespace {

std::string registry_text(const wchar_t *key, const wchar_t *name) {
    wchar_t text[256] = L"";
    DWORD bytes = sizeof text;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, text, &bytes) != ERROR_SUCCESS) return {};
    return narrow(text);
}

std::string with_slashes(std::string path) {
    std::replace(path.begin(), path.end(), '\\', '/');
    return path;
}

} // namespace

std::string host_name() {
    wchar_t name[256] = L"";
    DWORD length = static_cast<DWORD>(std::size(name));
    return GetComputerNameExW(ComputerNameDnsHostname, name, &length) ? narrow({name, length}) : "";
}

std::string system_name() {
    const wchar_t *const key = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
    const std::string build = registry_text(key, L"CurrentBuild");
    return "Windows" + (build.empty() ? build : " " + build);
}

std::string processor_name() {
    const std::string name =
        registry_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString");
    return name.empty() ? "unknown" : name;
}

std::optional<std::uint64_t> free_memory() {
    MEMORYSTATUSEX state{};
    state.dwLength = sizeof state;
    return GlobalMemoryStatusEx(&state) ? std::optional<std::uint64_t>(state.ullAvailPhys) : std::nullopt;
}

bool has_metal() { return false; }

bool may_have_gpu() { return true; }

std::string user_number() { return {}; }
std::string temporary_folder() {
    wchar_t folder[MAX_PATH + 2] = L"";
    const DWORD length = GetTempPathW(MAX_PATH + 1, folder);
    std::string path = with_slashes(narrow({folder, length}));
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path.empty() ? "." : path;
}
CacheFolder user_cache_folder() { return {with_slashes(environment("LOCALAPPDATA").value_or("")), "LOCALAPPDATA"}; }

std::tm utc(std::time_t time) {
    std::tm parts{};
    gmtime_s(&parts, &time);
    return parts;
}

std::optional<FileStamp> file_stamp(const std::string &path) {
    WIN32_FILE_ATTRIBUTE_DATA facts{};
    if (!GetFileAttributesExW(wide_path(path).c_str(), GetFileExInfoStandard, &facts)) return std::nullopt;
    constexpr std::int64_t kUnits = 10'000'000; // of 100 ns, in a second
    const std::int64_t changed =
        std::int64_t{facts.ftLastWriteTime.dwHighDateTime} << 32 | facts.ftLastWriteTime.dwLowDateTime;
    return FileStamp{std::uint64_t{facts.nFileSizeHigh} << 32 | facts.nFileSizeLow, changed / kUnits,
                     changed % kUnits * 100};
}

// Access lists are unreliable, so try to create a file.
bool is_writable_folder(const std::string &path, std::string &reason) {
    const std::wstring name = wide_path(path + "/.vmaf-" + std::to_string(GetCurrentProcessId()));
    const Handle file(CreateFileW(name.c_str(), GENERIC_WRITE | DELETE, 0, nullptr, CREATE_NEW,
                                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
    if (!file.is_open()) reason = reason_of(GetLastError());
    return file.is_open();
}

unsigned own_user() { return 0; }

} // namespace vmaf::system
