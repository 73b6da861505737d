// A search's findings, for users and programs (tune.md 12.2).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "commands/quality_search.hpp"

namespace vmaf::tune {

enum class TableFormat { markdown, json, csv, html };

void print_line(const std::string &text); // to standard output, immediately
std::string human_size(double bytes);

const char *status_word(const SearchReport &report);
nlohmann::json probe_json(const ProbeSetup &setup, const ProbeResult &probe, const QualityTarget &target);
nlohmann::json search_json(const ProbeSetup &setup, const SearchReport &report,
                           const std::vector<QualityTarget> &targets);
// The answer as a sentence for users.
std::string answer_sentence(const ProbeSetup &setup, const SearchReport &report,
                            const std::vector<QualityTarget> &targets);
std::string search_line(const ProbeSetup &setup, const SearchReport &report, const QualityTarget &target);

// A command line that encodes with the answer.
Arguments encode_hint(const ProgramOptions &programs, const ProbeSetup &setup, const SearchReport &report);

// Stores a result atomically; "-" and empty mean standard output. CommandError if the file exists, unless --overwrite
// allows it.
void check_result(const RunningOptions &options,
                  const std::string &path); // may it be written? Checked before work starts
void check_folder(const std::string &path); // CommandError if no file can be created there
void write_result(const RunningOptions &options, const std::string &path, const std::string &text);
// For a job, which leaves standard output to its executor: returns what to print; empty if written to a file.
std::string deliver(const RunningOptions &options, const std::string &path, const std::string &text);

// The commands of the probe at q, as they would run (--dry-run).
void print_probe_commands(const ProbeSetup &setup, double q);

} // namespace vmaf::tune
