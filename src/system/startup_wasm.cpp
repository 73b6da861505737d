#include "system/startup.hpp"

#include <cerrno>
#include <cstdio>

#include "base/error.hpp"

namespace vmaf::system {

Arguments::Arguments(int argc, char **argv) : pointers_(argv, argv + argc) { pointers_.push_back(nullptr); }

void prepare_standard_streams() {}

StandardStreams take_standard_streams() {
    throw Error(ENOSYS, "WebAssembly has no processes that serve requests; start vmaf for each score");
}

bool output_arrives() noexcept { return std::fflush(stdout) == 0 && !std::ferror(stdout); }

int end_with_output(const char *program, int status, int failed_status) noexcept {
    if (output_arrives() || status != 0) return status;
    std::fprintf(stderr, "%s: cannot write standard output; is its disk full?\n", program);
    return failed_status;
}

// Signals belong to the JavaScript engine, which ends the program.
void end_orderly_on_signals(int, void (*)() noexcept) {}

} // namespace vmaf::system
