// How the command ends (cli-and-formats.md 3, backends.md 5): the codes, and the exception that carries one.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace vmaf::cli {

enum class ExitCode {
    success = 0,
    usage = 1,
    some_failed = 2,   // of the pairs of a list
    backend = 100,     // an explicitly requested backend cannot be used
    interrupted = 130, // Ctrl-C
    closed_pipe = 141, // the reader of the output is gone
    frame = 234,       // a frame could not be read or scored
    setup = 255,       // inputs, models, features or output
};

// `sentence` says what is wrong and what to do about it; main() prints it. `document` takes the place of a JSON
// document, if one was asked for.
class Failure : public std::runtime_error {
  public:
    Failure(ExitCode code, const std::string &sentence, std::string document = {})
        : std::runtime_error(sentence), code_(code), document_(std::move(document)) {}
    ExitCode code() const { return code_; }
    const std::string &document() const { return document_; }

  private:
    ExitCode code_;
    std::string document_;
};

inline Failure usage_error(const std::string &sentence) { return {ExitCode::usage, sentence}; }

} // namespace vmaf::cli
