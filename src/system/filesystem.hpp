// std::filesystem with UTF-8 names on every system; on Windows its narrow names are in another
// encoding. Functions that take names and are missing here do not compile, so that none is used by
// accident.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace vmaf::system::fs {

std::filesystem::path from_utf8(std::string_view name);

class path : public std::filesystem::path {
    using Base = std::filesystem::path;

  public:
    path() = default;
    path(Base other) : Base(std::move(other)) {}
    path(std::string_view name) : Base(from_utf8(name)) {}
    path(const std::string &name) : path(std::string_view(name)) {}
    path(const char *name) : path(std::string_view(name)) {}

    path parent_path() const { return Base::parent_path(); }
    path filename() const { return Base::filename(); }
    path stem() const { return Base::stem(); }
    path extension() const { return Base::extension(); }
    path lexically_normal() const { return Base::lexically_normal(); }
    std::string string() const {
        const std::u8string name = u8string();
        return {name.begin(), name.end()};
    }
    friend path operator/(const path &folder, const path &name) {
        return static_cast<const Base &>(folder) / static_cast<const Base &>(name);
    }
};

// For reading.
class ifstream : public std::ifstream {
  public:
    ifstream() = default;
    explicit ifstream(const path &name, std::ios::openmode mode = std::ios::in) { open(name, mode); }
    void open(const path &name, std::ios::openmode mode = std::ios::in) {
        std::ifstream::open(static_cast<const std::filesystem::path &>(name), mode);
    }
};

using std::filesystem::copy_options;
using std::filesystem::current_path;
using std::filesystem::file_status;
using std::filesystem::file_time_type;
using std::filesystem::file_type;
using std::filesystem::space_info;

class directory_iterator : public std::filesystem::directory_iterator {
  public:
    directory_iterator(const path &folder, std::error_code &error)
        : std::filesystem::directory_iterator(folder, error) {}
};

inline path absolute(const path &name) { return std::filesystem::absolute(name); }
inline path absolute(const path &name, std::error_code &error) { return std::filesystem::absolute(name, error); }
inline path canonical(const path &name, std::error_code &error) { return std::filesystem::canonical(name, error); }
inline path weakly_canonical(const path &name, std::error_code &error) {
    return std::filesystem::weakly_canonical(name, error);
}
inline bool copy_file(const path &from, const path &to, copy_options how, std::error_code &error) {
    return std::filesystem::copy_file(from, to, how, error);
}
inline bool create_directories(const path &name) { return std::filesystem::create_directories(name); }
inline bool create_directories(const path &name, std::error_code &error) {
    return std::filesystem::create_directories(name, error);
}
inline void create_hard_link(const path &to, const path &link, std::error_code &error) {
    std::filesystem::create_hard_link(to, link, error);
}
inline bool equivalent(const path &one, const path &other, std::error_code &error) {
    return std::filesystem::equivalent(one, other, error);
}
inline bool exists(const file_status &status) { return std::filesystem::exists(status); }
inline bool exists(const path &name) { return std::filesystem::exists(name); }
inline bool exists(const path &name, std::error_code &error) { return std::filesystem::exists(name, error); }
inline std::uintmax_t file_size(const path &name, std::error_code &error) {
    return std::filesystem::file_size(name, error);
}
inline bool is_directory(const file_status &status) { return std::filesystem::is_directory(status); }
inline bool is_directory(const path &name, std::error_code &error) {
    return std::filesystem::is_directory(name, error);
}
inline bool is_empty(const path &name, std::error_code &error) { return std::filesystem::is_empty(name, error); }
inline bool is_regular_file(const file_status &status) { return std::filesystem::is_regular_file(status); }
inline bool is_regular_file(const path &name, std::error_code &error) {
    return std::filesystem::is_regular_file(name, error);
}
inline file_time_type last_write_time(const path &name, std::error_code &error) {
    return std::filesystem::last_write_time(name, error);
}
inline bool remove(const path &name, std::error_code &error) { return std::filesystem::remove(name, error); }
std::uintmax_t remove_all(const path &name, std::error_code &error);
inline void rename(const path &from, const path &to, std::error_code &error) {
    std::filesystem::rename(from, to, error);
}
inline space_info space(const path &name, std::error_code &error) { return std::filesystem::space(name, error); }
inline file_status status(const path &name, std::error_code &error) { return std::filesystem::status(name, error); }

} // namespace vmaf::system::fs
