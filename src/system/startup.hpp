// A program's first and last steps: UTF-8 arguments, binary standard streams, an orderly end on signals,
// a check that all output arrived.
#pragma once

#include <string>
#include <vector>

#include "system/descriptor.hpp"

namespace vmaf::system {

// The arguments in UTF-8, whatever the system passed to main().
class Arguments {
  public:
    Arguments(int argc, char **argv);
    int count() const { return static_cast<int>(pointers_.size()) - 1; }
    char **words() { return pointers_.data(); } // ends with a null pointer

  private:
    std::vector<std::string> own_; // used where main()'s are not UTF-8
    std::vector<char *> pointers_;
};

// Keeps the numbers of closed standard streams from being reused, makes the streams binary, and
// lets the terminal show UTF-8.
void prepare_standard_streams();

// Standard input and output of a process that talks through them; other code finds them empty.
// Throws Error.
struct StandardStreams {
    Descriptor input, output;
};
StandardStreams take_standard_streams();

constexpr int kClosedPipeStatus = 141; // 128 + SIGPIPE, as if the signal had ended the program

// The last call of every program: flushes and closes standard output. Returns `status` if all output arrived,
// kClosedPipeStatus if the reader has gone, otherwise prints a message and returns `failed_status`. A nonzero
// `status` is kept.
int end_with_output(const char *program, int status, int failed_status) noexcept;
// Whether all output so far arrived. Long runs check it, and stop.
bool output_arrives() noexcept;

// On Ctrl-C: runs `clean_up`, then exits with this status. On other fatal signals: runs
// `clean_up`, then lets the signal end the program. Ignored signals stay ignored. Closed pipes and
// file size limits become errors of the call that meets them. `clean_up` must be
// async-signal-safe.
void end_orderly_on_signals(int interrupted_status, void (*clean_up)() noexcept);

} // namespace vmaf::system
