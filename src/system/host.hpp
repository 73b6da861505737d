// Facts about the machine, and calendar time.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace vmaf::system {

std::string host_name();
std::string system_name();                  // with its release
std::string processor_name();               // as the vendor names it
std::optional<std::uint64_t> free_memory(); // bytes this process may still allocate, if known
bool has_metal();
bool may_have_gpu(); // false only if there is certainly none
std::string temporary_folder();
std::string user_number(); // of the current user; empty on systems without numbers

std::tm utc(std::time_t time);

struct FileStamp { // differs if the file changed
    std::uint64_t size = 0;
    std::int64_t seconds = 0, nanoseconds = 0; // of its last change
    std::string text() const { return std::to_string(size) + ":" + changed(); }
    std::string changed() const { return std::to_string(seconds) + "." + std::to_string(nanoseconds); }
};
std::optional<FileStamp> file_stamp(const std::string &path); // empty if it cannot be read

bool is_writable_folder(const std::string &path, std::string &reason);

// A number that differs between users of one machine; 0 where each user has separate folders.
unsigned own_user();

} // namespace vmaf::system
