// Facts about the machine, and times in its calendar.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace vmaf::system {

std::string host_name();
std::string system_name();                  // with its release
std::string processor_name();               // the maker's name for it
std::optional<std::uint64_t> free_memory(); // bytes that this process may still take; nothing: the system does not tell
bool has_metal();
bool may_have_gpu(); // false: there is certainly none
std::string temporary_folder();
std::string user_number(); // of who runs this; empty: users have none here

std::tm utc(std::time_t time);

struct FileStamp { // changes when a file does
    std::uint64_t size = 0;
    std::int64_t seconds = 0, nanoseconds = 0; // of its last change
    std::string text() const { return std::to_string(size) + ":" + changed(); }
    std::string changed() const { return std::to_string(seconds) + "." + std::to_string(nanoseconds); }
};
std::optional<FileStamp> file_stamp(const std::string &path); // nothing: there is none that can be read

bool is_writable_folder(const std::string &path, std::string &reason);

// A number that users of one machine do not share; 0 where the system gives each folders of his own.
unsigned own_user();

} // namespace vmaf::system
