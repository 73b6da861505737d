// What the POSIX sources of this room share; no header for anybody else.
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
    int close_now(); // what close() returns
    int release();   // for who closes it

  private:
    int number_;
};

OutputError of_another_user(const std::string &path, const std::string &place, const struct stat &status,
                            const char *what);

// The place that a path names once links are followed, there or not. Throws OutputError where a link belongs to another
// user: in a folder that everybody may add names to, such a link would choose what gets overwritten. So would one among
// the folders on the way.
std::string behind_links(const std::string &path);

// Throws OutputError where that is so for `folder`, of which `path` names more.
void check_way(const std::string &path, const std::string &folder);

// Throws OutputError for what another user has put into a folder that all may add names to: there may be no reader of
// a pipe there, and a file there changes behind our back.
void refuse_trap(const std::string &path, const std::string &place, const struct stat &status);

// Throws OutputError for a file that is to be cut in place and is another file too, by a hard link.
void refuse_other_names(const std::string &path, const struct stat &status);

// All of it, through interruptions and on pipes that their reader does not want to wait for. Throws OutputError, naming
// `path`.
void write_all(int descriptor, std::string_view text, const std::string &path);

// Waits until the disk has it; files that no disk keeps are fine. Throws OutputError, naming `path`.
void make_durable(const Descriptor &descriptor, const std::string &path);

// For make_durable() after a rename. A folder that cannot be opened was good enough to rename in.
Descriptor open_folder_of(const std::string &path);

// What a file that takes another's place gets of its permissions: nothing that runs with the owner's rights, and
// nothing from another user's file. `descriptor` is the new file, which has not been written to yet.
void take_over_permissions(int descriptor, const struct stat &earlier, const std::string &path);
mode_t first_permissions(const struct stat *earlier); // for opening the new file: never more than it ends with

// An empty file beside the target, removed at the end unless it has taken the target's place.
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
