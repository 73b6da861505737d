// Files written while work goes on, not at its end (see output_file.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace vmaf::system {

// Creates the missing folders, for user and group as the umask allows. Throws
// OutputError.
void make_folders(const std::string &path);

// Creates a folder that only this user can enter; its name begins with `prefix`. Throws OutputError.
std::string make_new_folder(const std::string &prefix);

// Creates an empty file of this user under a predictable name, for a program to write to. Removes what has the name;
// fails if something takes the name again before the file exists. Throws OutputError.
void reserve_file(const std::string &path);

// Asks the disk to keep what programs wrote; some file systems report a full disk only then. Throws
// OutputError.
void make_durable(const std::string &path);
void make_name_durable(const std::string &path); // after a rename; throws OutputError

// Writes a short text to an inherited descriptor. Returns false on failure, for example without a reader.
bool write_text(int descriptor, std::string_view text);

// A new file that threads fill at different offsets. Replaces a regular file; refuses links, pipes and anything else,
// since no user typed this name.
class OffsetFile {
  public:
    explicit OffsetFile(const std::string &path); // throws OutputError
    OffsetFile(OffsetFile &&other) noexcept;
    OffsetFile &operator=(OffsetFile &&other) noexcept;
    ~OffsetFile();

    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const; // throws OutputError

  private:
    class File;
    std::unique_ptr<File> file_;
};

// A file that grows line by line. "-" is standard output. Follows the user's links; writes to pipes and devices
// directly.
class GrowingFile {
  public:
    enum class Start { at_end, empty, after_whole_lines }; // the last cuts off an incomplete line
    GrowingFile(const std::string &path, Start start);     // throws OutputError
    GrowingFile(GrowingFile &&other) noexcept;
    GrowingFile &operator=(GrowingFile &&other) noexcept;
    ~GrowingFile();

    bool was_empty() const;
    void append(std::string_view text); // in one piece where the system allows it; throws OutputError

  private:
    class File;
    std::unique_ptr<File> file_;
};

} // namespace vmaf::system
