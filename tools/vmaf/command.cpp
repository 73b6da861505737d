#include "command.hpp"

#include <csignal>
#include <cstdio>
#include <new>
#include <span>
#include <unistd.h>

#include "config.h"
#include "exit_code.hpp"
#include "options.hpp"
#include "report/output_file.hpp"
#include "run.hpp"
#include "usage.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::cli;

int exit_status(ExitCode code) { return static_cast<int>(code); }

// Ctrl-C: no document and nothing left behind. Only calls that a signal handler may make.
extern "C" void end_on_interrupt(int) {
    remove_temporary_output();
    _exit(exit_status(ExitCode::interrupted));
}

extern "C" void end_on_signal(int number) {
    remove_temporary_output();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void install_signal_handlers() {
    std::signal(SIGINT, end_on_interrupt);
    std::signal(SIGTERM, end_on_signal);
    std::signal(SIGHUP, end_on_signal);
    std::signal(SIGPIPE, SIG_IGN); // a closed output is an error like others
}

void print(const std::string &text) { std::fwrite(text.data(), 1, text.size(), stdout); }

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

int vmaf::cli::vmaf_command(int argc, char **argv) {
    install_signal_handlers();
    if (argc <= 1) {
        std::fputs(usage_text().c_str(), stderr);
        return exit_status(ExitCode::usage);
    }
    try {
        act(parse_command_line(std::span<const char *const>(argv, static_cast<std::size_t>(argc))));
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
