// The subcommands. Each returns an exit code or throws CommandError.
#pragma once

#include "cli/options.hpp"

namespace vmaf::tune {

int run_corpus(const Options &options);
int run_search(const Options &options);
int run_sample(const Options &options);
int run_encode_command(const Options &options);
int run_score_command(const Options &options);
int run_compare(const Options &options);
int run_benchmark(const Options &options);
int run_ladder(const Options &options);
int run_per_shot(const Options &options);
int run_report(const Options &options);
int run_doctor(const Options &options);
int run_cache(const Options &options, const std::string &action);

// Subcommands with the function that binds their flags; help, manual and completion come from here.
void bind_commands(CLI::App &app, Options &options, int &exit_code);
int print_completions(const CLI::App &app, const std::string &shell);

} // namespace vmaf::tune
