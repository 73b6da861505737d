// The documents: what a session has scored, as XML, JSON, CSV or SUB text (cli-and-formats.md 13).
// (Interface agreed with src/capi, which calls render() and write_file(); the implementation belongs to this folder.)
#pragma once

#include <string>
#include <string_view>

#include "session/session.hpp"

namespace vmaf::report {

enum class Format { none = 0, xml = 1, json = 2, csv = 3, sub = 4 }; // values of VmafOutputFormat

// How one double is printed.
class NumberFormat {
  public:
    static NumberFormat reference();                        // the rule of 13.2
    static NumberFormat printf(const std::string &pattern); // "%.17g"; throws Error unless it takes exactly one double

    void append(std::string &text, double value) const;

  private:
    explicit NumberFormat(std::string pattern) : pattern_(std::move(pattern)) {}
    std::string pattern_; // empty: the reference's rule
};

// `backend_used` is written by the tool only; empty: the key is absent.
std::string render(const Session &session, Format format, const NumberFormat &numbers,
                   std::string_view backend_used = {});

// Writes all or nothing: a temporary name and a rename for regular files, directly for pipes and devices. Throws
// Error(EINVAL) if the file cannot be opened, Error(EIO) if writing fails.
void write_file(const std::string &path, std::string_view text);

} // namespace vmaf::report
