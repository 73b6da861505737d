// The subcommands. Each returns an exit code or throws CommandError; its `bind_` function, beside it, declares its
// flags.
#pragma once

#include "cli/options.hpp"
#include "commands/options_of_commands.hpp"

namespace vmaf::tune {

int run_corpus(const Options &options, const CorpusOptions &own);
int run_search(const Options &options, const SearchOptions &own);
int run_sample(const Options &options);
int run_encode_command(const Options &options, const EncodeOptions &own);
int run_score_command(const Options &options, const ScoreOptions &own);
int run_compare(const Options &options, const CompareOptions &own);
int run_benchmark(const Options &options, const BenchmarkOptions &own);
int run_ladder(const Options &options, const LadderOptions &own);
int run_per_shot(const Options &options, const PerShotOptions &own);
int run_report(const Options &options, const ReportOptions &own);
int run_doctor(const Options &options);
int run_cache(const Options &options, const CacheOptions &own, CacheAction action);

void bind_encode_command(CLI::App &app, Options &options, int &exit_code);
void bind_score_command(CLI::App &app, Options &options, int &exit_code);
void bind_compare(CLI::App &app, Options &options, int &exit_code);
void bind_benchmark(CLI::App &app, Options &options, int &exit_code);
void bind_ladder(CLI::App &app, Options &options, int &exit_code);
void bind_per_shot(CLI::App &app, Options &options, int &exit_code);
void bind_report(CLI::App &app, Options &options, int &exit_code);
void bind_cache(CLI::App &app, Options &options, int &exit_code);

CLI::App *add_command(CLI::App &app, const std::string &name, const std::string &summary,
                      const std::vector<std::string> &aliases, const std::string &examples);

// Subcommands with the function that binds their flags; help, manual and completion come from here.
void bind_commands(CLI::App &app, Options &options, int &exit_code);
int print_completions(const CLI::App &app, const std::string &shell);

} // namespace vmaf::tune
