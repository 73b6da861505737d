// Shared by the POSIX sources of this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>

#include "system/leftovers.hpp"
#include "system/output_file.hpp"

namespace vmaf::system {

OutputError cannot_write(const std::string &path, int code);

std::string folder_of(const std::string &path); // never empty

bool is_own_or_administrators(uid_t owner);

class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor &&other) noexcept;
    Descriptor &operator=(Descriptor &&other) noexcept;
    ~Descriptor();
    int get() const { return number_; }
    int close_now(); // the result of close()
    int release();   // the caller closes it

  private:
    int number_;
};

OutputError of_another_user(const std::string &path, const std::string &place, const struct stat &status,
                            const char *what);

// The path with all links followed, whether or not it exists. Throws
// OutputError if a link on it belongs to another user and is in a folder
// that everyone can write to: such a link would choose which file is
// overwritten.
std::string behind_links(const std::string &path);

// Applies the same check to `folder`, a part of `path`.
void check_way(const std::string &path, const std::string &folder);

// Throws OutputError for what another user put into a folder that everyone can write to: a pipe may have no reader,
// and a file may change while we use it.
void refuse_trap(const std::string &path, const std::string &place, const struct stat &status);

// Throws OutputError if a file to be truncated in place has hard links.
void refuse_other_names(const std::string &path, const struct stat &status);

// Writes everything, across interruptions and to non-blocking pipes. Throws OutputError, naming
// `path`.
void write_all(int descriptor, std::string_view text, const std::string &path);

// Waits until the data is on disk; ignores files that have no disk. Throws OutputError, naming `path`.
void make_durable(const Descriptor &descriptor, const std::string &path);

// For make_durable() after a rename. A folder that cannot be opened still allows the rename.
Descriptor open_folder_of(const std::string &path);

// Copies the permissions of the file to be replaced: never set-ID bits, and nothing from another user's file.
// `descriptor` is the new file, still empty.
void take_over_permissions(int descriptor, const struct stat &earlier, const std::string &path);
mode_t first_permissions(const struct stat *earlier); // for creating the new file: never more than the final ones

// An empty file next to the target, removed at the end unless it replaces the target.
class TemporaryFile {
  public:
    TemporaryFile(const std::string &target, const struct stat *earlier);
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    ~TemporaryFile();

    int error() const { return error_; } // 0, or why there is no file
    Descriptor &descriptor() { return descriptor_; }
    bool rename_to(const std::string &target);

  private:
    std::string path_;
    Descriptor descriptor_;
    int error_ = 0;
    std::optional<LeftoverFile> leftover_;
    bool is_renamed_ = false;
};

} // namespace vmaf::system
