// What a search found, for people and for programs (tune.md 12.2).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "commands/quality_search.hpp"

namespace vmaf::tune {

enum class TableFormat { markdown, json, csv, html };

void print_line(const std::string &text); // to standard output, at once
std::string human_size(double bytes);

const char *status_word(const SearchReport &report);
nlohmann::json probe_json(const ProbeSetup &setup, const ProbeResult &probe, const QualityTarget &target);
nlohmann::json search_json(const ProbeSetup &setup, const SearchReport &report,
                           const std::vector<QualityTarget> &targets);
// The answer as a sentence for people.
std::string answer_sentence(const ProbeSetup &setup, const SearchReport &report,
                            const std::vector<QualityTarget> &targets);
std::string search_line(const ProbeSetup &setup, const SearchReport &report, const QualityTarget &target);

// A command line that encodes with the answer.
Arguments encode_hint(const ProgramOptions &programs, const ProbeSetup &setup, const SearchReport &report);

// Stores a result whole or not at all; - and nothing are standard output. CommandError if the file exists, unless
// --overwrite allows it.
void check_result(const RunningOptions &options,
                  const std::string &path); // may it be written? Asked before work starts
void check_folder(const std::string &path); // can a file be made there? Else CommandError
void write_result(const RunningOptions &options, const std::string &path, const std::string &text);
// Of a job, which leaves standard output to its executor: what is to be printed there; empty where a file has it.
std::string deliver(const RunningOptions &options, const std::string &path, const std::string &text);

// The commands of the probe at q, as they would run (--dry-run).
void print_probe_commands(const ProbeSetup &setup, double q);

} // namespace vmaf::tune
