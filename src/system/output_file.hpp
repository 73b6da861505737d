// A document's file: complete, or as it was before. Regular files are written under a temporary name and renamed;
// devices, pipes and "-" (standard output) are written directly. A file that takes the place of one of the same user
// has its permissions, less what would make it run with its owner's rights; of another user's file it has nothing.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace vmaf::system {

class OutputError : public Error { // something cannot be written; with an errno value
  public:
    using Error::Error;
};

using TextWriter = std::function<void(const std::function<void(std::string_view)> &out)>;

// Throws OutputError if a later write_output_file() of the path could not even begin. Leaves nothing behind.
void check_output_file(const std::string &path);

// Files that were written and shall be on their disks together: one by one that takes longer than writing them.
class PendingOutputs {
  public:
    PendingOutputs();
    ~PendingOutputs(); // without more ado
    PendingOutputs(const PendingOutputs &) = delete;
    PendingOutputs &operator=(const PendingOutputs &) = delete;

    void add(const std::string &path); // from any thread
    void make_durable();               // throws OutputError

  private:
    struct Files;
    std::unique_ptr<Files> files_;
};

// Calls `write` with where to put the text. Throws OutputError naming the path when the text cannot be stored in full;
// a regular file then has its earlier content. It is on its disk when this returns, or added to `pending`.
void write_output_file(const std::string &path, const TextWriter &write, PendingOutputs *pending = nullptr);

// A regular file, whatever names and links lead to it.
struct FileIdentity {
    std::uint64_t volume = 0, file = 0;
    auto operator<=>(const FileIdentity &) const = default;
};
// None where there is no regular file (yet). "-" is standard output and standard input.
std::optional<FileIdentity> identity_of_output(const std::string &path);
std::optional<FileIdentity> identity_of_input(const std::string &path);

// Where writing puts a file, there or not: equal for all spellings of a place, through links and mounted folders.
std::string place_of_output(const std::string &path);

// Whether both are one file that writing `output` would change. Only regular files can be overwritten.
inline bool would_overwrite(const std::string &output, const std::string &input) {
    const auto identity = identity_of_output(output);
    return identity && identity == identity_of_input(input);
}

} // namespace vmaf::system
