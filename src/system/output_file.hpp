// Writes documents atomically. Regular files are written under a temporary name and renamed; devices, pipes and "-"
// (standard output) directly. A replaced file of the same user keeps its permissions except set-ID bits; nothing is
// taken over from another user's file.
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

class OutputError : public Error { // writing failed; has an errno value
  public:
    using Error::Error;
};

using TextWriter = std::function<void(const std::function<void(std::string_view)> &out)>;

// Throws OutputError if writing the path could not even begin. Changes nothing.
void check_output_file(const std::string &path);

// Files to be made durable together: one by one takes longer than writing them.
class PendingOutputs {
  public:
    PendingOutputs();
    ~PendingOutputs(); // does not make them durable
    PendingOutputs(const PendingOutputs &) = delete;
    PendingOutputs &operator=(const PendingOutputs &) = delete;

    void add(const std::string &path); // thread-safe
    void make_durable();               // throws OutputError

  private:
    struct Files;
    std::unique_ptr<Files> files_;
};

// Calls `write` to produce the text. Throws OutputError with the path if the text cannot be stored in full; a regular
// file then keeps its old content. On return the file is on disk, or added to `pending`.
void write_output_file(const std::string &path, const TextWriter &write, PendingOutputs *pending = nullptr);

// Identifies a regular file whatever names and links lead to it.
struct FileIdentity {
    std::uint64_t volume = 0, file = 0;
    auto operator<=>(const FileIdentity &) const = default;
};
// Empty if there is no regular file (yet). "-" is standard output and standard input.
std::optional<FileIdentity> identity_of_output(const std::string &path);
std::optional<FileIdentity> identity_of_input(const std::string &path);

// Where a file would be written, even if it does not exist: equal for all spellings, links and mounts.
std::string place_of_output(const std::string &path);

// Whether both are the same file, so that writing `output` would change it. Only regular files can be overwritten.
inline bool would_overwrite(const std::string &output, const std::string &input) {
    const auto identity = identity_of_output(output);
    return identity && identity == identity_of_input(input);
}

} // namespace vmaf::system
