// The command's exit codes (cli-and-formats.md 3, backends.md 5), and the exception that carries one.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace vmaf::cli {

enum class ExitCode {
    success = 0,
    usage = 1,
    some_failed = 2,   // pairs of a list failed
    backend = 100,     // an explicitly requested backend is unavailable
    interrupted = 130, // Ctrl-C
    closed_pipe = 141, // the reader of the output closed it
    frame = 234,       // a frame could not be read or scored
    setup = 255,       // bad inputs, models, features or output
};

// `sentence` says what is wrong and what to do; main() prints it. `document` replaces a requested JSON
// document. `error`: the code of the Error behind it, or 0.
class Failure : public std::runtime_error {
  public:
    Failure(ExitCode code, const std::string &sentence, std::string document = {}, int error = 0)
        : std::runtime_error(sentence), code_(code), error_(error), document_(std::move(document)) {}
    ExitCode code() const { return code_; }
    int error() const { return error_; }
    const std::string &document() const { return document_; }

  private:
    ExitCode code_;
    int error_;
    std::string document_;
};

inline Failure usage_error(const std::string &sentence) { return {ExitCode::usage, sentence}; }

} // namespace vmaf::cli
