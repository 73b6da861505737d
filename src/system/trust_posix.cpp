#include "system/trust.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "system/file_posix.hpp"
#include "system/program.hpp"

namespace vmaf::system {

namespace fs = std::filesystem;

namespace {

// The file itself, a folder above it, or a folder that is also above the running program.
enum class Role { content, way, programs_way };

std::string danger_of(const struct stat &status, const std::string &path, Role role) {
    if (role != Role::programs_way && !is_own_or_administrators(status.st_uid))
        return "'" + path + "' belongs to another user (number " + std::to_string(status.st_uid) + ")";
    if (S_ISLNK(status.st_mode)) return {}; // its creator chose the target; its mode says nothing
    // In a sticky folder others may add names, but not rename or remove this user's files.
    if (role != Role::content && S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX)) return {};
    if (status.st_mode & S_IWOTH) return "all users can write to '" + path + "'";
    if ((status.st_mode & S_IWGRP) && status.st_gid != status.st_uid)
        return "group " + std::to_string(status.st_gid) + " can write to '" + path + "'";
    return {};
}

// The path and all folders above it, as spelled.
std::string danger_on_the_way(const fs::path &path, const fs::path &program) {
    fs::path part;
    auto beside = program.begin();
    bool leads_to_program = true;
    for (const fs::path &name : path) {
        part /= name;
        leads_to_program = leads_to_program && beside != program.end() && *beside++ == name;
        struct stat status {};
        if (lstat(part.c_str(), &status) != 0) continue; // open() reports the error
        const Role role = part == path ? Role::content : leads_to_program ? Role::programs_way : Role::way;
        if (std::string found = danger_of(status, part.string(), role); !found.empty()) return found;
    }
    return {};
}

} // namespace

std::string who_else_can_change(const std::string &path, Reach reach) {
    if (reach == Reach::itself) {
        struct stat status {};
        return stat(path.c_str(), &status) == 0 ? danger_of(status, path, Role::content) : std::string();
    }
    std::error_code error;
    const fs::path program = reach == Reach::beside_program ? program_path() : std::string();
    const fs::path whole = fs::absolute(path, error);
    if (std::string found = danger_on_the_way(whole, program); !found.empty()) return found;
    const fs::path real = fs::canonical(whole, error);
    return error ? std::string() : danger_on_the_way(real, program);
}

std::string content_if_own(const std::string &path, std::string &danger) {
    danger = who_else_can_change(fs::path(path).parent_path().string(), Reach::itself);
    if (!danger.empty()) return {};
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    danger = danger_of(status, path, Role::content);
    if (!danger.empty()) return {};
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t got = 0;
    while (got < text.size()) {
        const ssize_t bytes = read(file.get(), text.data() + got, text.size() - got);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) break;
        got += static_cast<std::size_t>(bytes);
    }
    text.resize(got);
    return text;
}

bool make_own_folder(const std::string &path) {
    std::error_code error;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty()) fs::create_directories(parent, error);
    return mkdir(path.c_str(), 0700) == 0 || fs::is_directory(path, error);
}

} // namespace vmaf::system
