#include "command.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <span>
#include <unistd.h>

#include "config.h"
#include "exit_code.hpp"
#include "options.hpp"
#include "system/output_file.hpp"
#include "run.hpp"
#include "usage.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::cli;

int exit_status(ExitCode code) { return static_cast<int>(code); }

// Ctrl-C: no document and nothing left behind. Only calls that a signal handler may make.
extern "C" void end_on_interrupt(int) {
    system::remove_temporary_output();
    _exit(exit_status(ExitCode::interrupted));
}

extern "C" void end_on_signal(int number) {
    system::remove_temporary_output();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

// What the caller ignores stays ignored: `nohup`, and jobs in the background of a script.
void handle(int number, void (*handler)(int)) {
    if (std::signal(number, handler) == SIG_IGN) std::signal(number, SIG_IGN);
}

void install_signal_handlers() {
    handle(SIGINT, end_on_interrupt);
    handle(SIGTERM, end_on_signal);
    handle(SIGHUP, end_on_signal);
    std::signal(SIGPIPE, SIG_IGN); // a closed output is an error like others
    std::signal(SIGXFSZ, SIG_IGN); // and so is a limit on the size of files
}

// With a standard descriptor closed, a clip or the document would get its number, and messages would go there.
// Reading what was closed for reading, and writing what was closed for writing, stays an error.
void occupy_standard_descriptors() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        while (fcntl(number, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
}

void print(const std::string &text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw Failure(ExitCode::setup, std::string("cannot write standard output: ") + std::strerror(errno));
}

void act(const Options &options) {
    switch (options.action) {
    case Action::version: std::fprintf(stderr, "%s\n", VMAF_VERSION); break;
    case Action::help: print(usage_text()); break;
    case Action::capabilities: print(capabilities(options, built_backends())); break;
    case Action::list_models: print(model_list()); break;
    case Action::list_features: print(feature_list()); break;
    case Action::score: run(options); break;
    }
}

} // namespace

int vmaf::cli::vmaf_command(int argc, char **argv, int report_descriptor) {
    occupy_standard_descriptors();
    install_signal_handlers();
    if (argc <= 1) {
        std::fputs(usage_text().c_str(), stderr);
        return exit_status(ExitCode::usage);
    }
    try {
        Options options = parse_command_line(std::span<const char *const>(argv, static_cast<std::size_t>(argc)));
        options.report_descriptor = report_descriptor;
        act(options);
        return exit_status(ExitCode::success);
    } catch (const Failure &failure) {
        const bool is_usage = failure.code() == ExitCode::usage;
        std::fprintf(stderr, "vmaf: %s%s\n", failure.what(), is_usage ? " (usage: vmaf --help)" : "");
        return exit_status(failure.code());
    } catch (const std::bad_alloc &) {
        std::fputs("vmaf: there is not enough memory for pictures of this size; use fewer --threads\n", stderr);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "vmaf: %s\n", e.what());
    }
    return exit_status(ExitCode::setup);
}
