// How a command ends (tune.md 15.1): the exit codes, and the exception that carries one.
#pragma once

#include <stdexcept>
#include <string>

#include "stages/row_status.hpp"

namespace vmaf::tune {

enum ExitCode {
    kExitOk = 0,
    kExitUnmet = 1,
    kExitUsage = 2,
    kExitUntrusted = 3,
    kExitFailed = 4,
    kExitSomeFailed = 5,
    kExitOutput = 6,
    kExitBackend = 7,
    kExitInternal = 70,
    kExitInterrupted = 130,
};

// Ends the command with a code and a sentence.
class CommandError : public std::runtime_error {
  public:
    CommandError(int code, const std::string &sentence) : std::runtime_error(sentence), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};
// How a command ends whose work failed with this row status (15.2).
inline int exit_code_of_status(int status) { return status == kStatusBackendNotKept ? kExitBackend : kExitFailed; }
inline CommandError usage_error(const std::string &sentence) { return {kExitUsage, sentence}; }
inline CommandError interrupted() { return {kExitInterrupted, "interrupted; finished probes are in the cache"}; }

} // namespace vmaf::tune
