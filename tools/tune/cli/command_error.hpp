// The exception that ends a command with an exit code (tune.md 15.1).
#pragma once

#include <stdexcept>
#include <string>

#include "stages/outcome.hpp"

namespace vmaf::tune {

// Ends the command with a code and a message.
class CommandError : public std::runtime_error {
  public:
    CommandError(ExitCode code, const std::string &sentence) : std::runtime_error(sentence), code_(code) {}
    ExitCode code() const { return code_; }

  private:
    ExitCode code_;
};
inline CommandError failed(const Outcome &o) { return {o.exit_code(), o.stage + " failed: " + o.sentence}; }
inline CommandError usage_error(const std::string &sentence) { return {kExitUsage, sentence}; }
inline CommandError interrupted() { return {kExitInterrupted, "interrupted"}; }

} // namespace vmaf::tune
