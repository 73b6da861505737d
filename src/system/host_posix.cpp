#include "system/host.hpp"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "system/environment.hpp"
#include "system/user_folders.hpp"

namespace vmaf::system {

namespace {

#if defined(__APPLE__)
constexpr const char *kCacheInHome = "/Library/Caches";
#else
constexpr const char *kCacheInHome = "/.cache";
#endif

} // namespace

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

std::string system_name() {
    utsname facts{};
    uname(&facts);
    return std::string(facts.sysname) + " " + facts.release;
}

std::string temporary_folder() { return environment("TMPDIR").value_or("/tmp"); }
CacheFolder user_cache_folder() {
    const std::string home = environment("HOME").value_or("");
    return {home.empty() ? home : home + kCacheInHome, "HOME"};
}
std::string user_number() { return std::to_string(getuid()); }

std::tm utc(std::time_t time) {
    std::tm parts{};
    gmtime_r(&time, &parts);
    return parts;
}

std::optional<FileStamp> file_stamp(const std::string &path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0 || access(path.c_str(), R_OK) != 0) return std::nullopt;
#if defined(__APPLE__)
    const timespec changed = facts.st_mtimespec;
#else
    const timespec changed = facts.st_mtim;
#endif
    return FileStamp{static_cast<std::uint64_t>(facts.st_size), changed.tv_sec, changed.tv_nsec};
}

bool is_writable_folder(const std::string &path, std::string &reason) {
    if (access(path.c_str(), W_OK | X_OK) == 0) return true;
    reason = std::strerror(errno);
    return false;
}

unsigned own_user() { return getuid(); }

} // namespace vmaf::system
