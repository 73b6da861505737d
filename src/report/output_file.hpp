// A document's file: complete, or as it was before. Regular files are written under a temporary name and renamed;
// devices, pipes and "-" (standard output) are written directly.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vmaf {

using TextWriter = std::function<void(const std::function<void(std::string_view)> &out)>;

// Throws Error if a later write_output_file() of the path could not even begin. Leaves nothing behind.
void check_output_file(const std::string &path);

// Calls `write` with where to put the text. Throws Error naming the path when the text cannot be stored in full; a
// regular file then has its earlier content.
void write_output_file(const std::string &path, const TextWriter &write);

// Removes the temporary file of a write in progress. Safe to call from a signal handler.
void remove_temporary_output() noexcept;

} // namespace vmaf
