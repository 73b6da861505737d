#include "command.hpp"

#include <cerrno>
#include <cstdio>
#include <span>

#include "config.h"
#include "ending.hpp"
#include "exit_code.hpp"
#include "options.hpp"
#include "run.hpp"
#include "say.hpp"
#include "serve.hpp"
#include "system/leftovers.hpp"
#include "system/mapped_part.hpp"
#include "system/startup.hpp"
#include "usage.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::cli;

void print(const std::string &text) { std::fputs(text.c_str(), stdout); } // main() checks that the output arrived

void serve_standard_streams() {
    system::StandardStreams streams = system::take_standard_streams();
    system::Channel channel(std::move(streams.input), std::move(streams.output));
    serve(channel);
}

void act(const Options &options) {
    switch (options.action) {
    case Action::serve: serve_standard_streams(); break;
    case Action::version:
        if (!print_line(VMAF_VERSION)) throw cannot_print("standard error", errno);
        break;
    case Action::help: print(usage_text()); break;
    case Action::capabilities: print(capabilities(options, gpu_backends())); break;
    case Action::list_models: print(model_list()); break;
    case Action::list_features: print(feature_list()); break;
    case Action::score: has_many_pairs(options) ? run_pairs(options) : run(options); break;
    }
}

} // namespace

int vmaf::cli::vmaf_command(int argc, char **argv) {
    system::prepare_standard_streams();
    system::end_orderly_on_signals(static_cast<int>(ExitCode::interrupted),
                                   system::remove_leftovers); // removes temporary files
    system::allow_mapped_parts();
    if (argc <= 1) {
        std::fputs(usage_text().c_str(), stderr);
        return static_cast<int>(ExitCode::usage);
    }
    const Ending ending = ending_of([&] {
        Options options = parse_command_line(std::span<const char *const>(argv, static_cast<std::size_t>(argc)));
        read_region_files(options.local);
        act(options);
    });
    const bool is_usage = ending.status == static_cast<int>(ExitCode::usage);
    if (!ending.sentence.empty()) say(ending.sentence + (is_usage ? " (usage: vmaf --help)" : ""));
    return ending.status;
}
