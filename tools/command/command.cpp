#include "command.hpp"

#include <cstdio>
#include <new>
#include <span>

#include "config.h"
#include "exit_code.hpp"
#include "options.hpp"
#include "run.hpp"
#include "say.hpp"
#include "system/leftovers.hpp"
#include "system/mapped_part.hpp"
#include "system/startup.hpp"
#include "usage.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::cli;

int exit_status(ExitCode code) { return static_cast<int>(code); }

void print(const std::string &text) { std::fputs(text.c_str(), stdout); } // main() looks whether it arrived

void act(const Options &options) {
    switch (options.action) {
    case Action::version: std::fprintf(stderr, "%s\n", VMAF_VERSION); break;
    case Action::help: print(usage_text()); break;
    case Action::capabilities: print(capabilities(options, gpu_backends())); break;
    case Action::list_models: print(model_list()); break;
    case Action::list_features: print(feature_list()); break;
    case Action::score: has_many_pairs(options) ? run_pairs(options) : run(options); break;
    }
}

} // namespace

int vmaf::cli::vmaf_command(int argc, char **argv, int report_descriptor) {
    system::prepare_standard_streams();
    system::end_orderly_on_signals(exit_status(ExitCode::interrupted),
                                   system::remove_leftovers); // nothing left behind
    system::allow_mapped_parts();
    try {
        if (argc <= 1) {
            std::fputs(usage_text().c_str(), stderr);
            return exit_status(ExitCode::usage);
        }
        Options options = parse_command_line(std::span<const char *const>(argv, static_cast<std::size_t>(argc)));
        options.report_descriptor = report_descriptor;
        read_region_files(options.local);
        act(options);
        return exit_status(ExitCode::success);
    } catch (const Failure &failure) {
        if (failure.code() == ExitCode::closed_pipe) return exit_status(failure.code()); // its reader has seen enough
        const bool is_usage = failure.code() == ExitCode::usage;
        say(failure.what() + std::string(is_usage ? " (usage: vmaf --help)" : ""));
        return exit_status(failure.code());
    } catch (const std::bad_alloc &) {
        say("there is not enough memory for pictures of this size; use fewer --threads");
    } catch (const std::exception &e) {
        say(e.what());
    }
    return exit_status(ExitCode::setup);
}
