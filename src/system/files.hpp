// Files that are written while work goes on, instead of at its end (output_file.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace vmaf::system {

// Makes what is missing of the path, for the user and the group as far as the process's mask allows. Throws
// OutputError.
void make_folders(const std::string &path);

// Makes a folder that only this user can enter, whose name begins with `prefix`. Throws OutputError.
std::string make_new_folder(const std::string &prefix);

// An empty file of this user for a program to write to, under a name that others could have foreseen. Whatever has the
// name is removed first; what takes it again before the file is made, is an error. Throws OutputError.
void reserve_file(const std::string &path);

// Asks the disk to keep what programs wrote to a file; only then some file systems report that they had no room. Throws
// OutputError.
void make_durable(const std::string &path);
void make_name_durable(const std::string &path); // after a rename; throws OutputError

// Writes a short text to a descriptor that the program was given. False: that failed, perhaps for want of a reader.
bool write_text(int descriptor, std::string_view text);

// A new file that threads fill at places of their own. It takes the place of a regular file of that name; a link, a
// pipe or anything else there is refused, for the name was not typed by a user.
class PlacedFile {
  public:
    explicit PlacedFile(const std::string &path); // throws OutputError
    PlacedFile(PlacedFile &&other) noexcept;
    PlacedFile &operator=(PlacedFile &&other) noexcept;
    ~PlacedFile();

    void write_at(std::uint64_t place, std::span<const std::byte> bytes) const; // throws OutputError

  private:
    class File;
    std::unique_ptr<File> file_;
};

// A file that grows at its end, line by line. "-" is standard output. Links of the user are followed; pipes and devices
// are written to as they are.
class GrowingFile {
  public:
    enum class Start { at_end, empty, after_whole_lines }; // the last cuts off a line that has no end
    GrowingFile(const std::string &path, Start start);     // throws OutputError
    GrowingFile(GrowingFile &&other) noexcept;
    GrowingFile &operator=(GrowingFile &&other) noexcept;
    ~GrowingFile();

    bool was_empty() const;
    void append(std::string_view text); // all of it in one piece where the system allows that; throws OutputError

  private:
    class File;
    std::unique_ptr<File> file_;
};

} // namespace vmaf::system
