// What a program does first and last: words as UTF-8, standard streams that carry bytes, an orderly end on signals,
// output that arrived.
#pragma once

#include <string>
#include <vector>

#include "system/descriptor.hpp"

namespace vmaf::system {

// The command line's words in UTF-8, whatever the system handed to main().
class Arguments {
  public:
    Arguments(int argc, char **argv);
    int count() const { return static_cast<int>(pointers_.size()) - 1; }
    char **words() { return pointers_.data(); } // with a null pointer after the last

  private:
    std::vector<std::string> own_; // where main()'s are of no use
    std::vector<char *> pointers_;
};

// Makes sure that no file that is opened later gets the number of a closed standard stream, that their bytes are not
// changed on their way, and that the terminal shows UTF-8.
void prepare_standard_streams();

// The standard input and output of a process that talks through them; whatever else uses them finds them empty. Throws
// Error.
struct StandardStreams {
    Descriptor input, output;
};
StandardStreams take_standard_streams();

constexpr int kClosedPipeStatus = 141; // 128 + SIGPIPE, as of a program that the signal ends

// The last call of every program: flushes and closes standard output. Returns `status` if all that was printed arrived,
// kClosedPipeStatus if its reader has gone, otherwise `failed_status`, with a sentence on standard error. A `status`
// other than 0 is kept.
int end_with_output(const char *program, int status, int failed_status) noexcept;
// Whether everything that was printed so far arrived. Long runs look, and stop.
bool output_arrives() noexcept;

// On Ctrl-C: `clean_up`, then the end with this status. On other signals that end a program: `clean_up`, then the usual
// end. What the caller ignores stays ignored. A closed pipe and a limit on the size of files become errors of the call
// that meets them. `clean_up` may only do what a signal handler may.
void end_orderly_on_signals(int interrupted_status, void (*clean_up)() noexcept);

} // namespace vmaf::system
