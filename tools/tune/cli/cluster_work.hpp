// What tasks of a run on several machines are told by it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"

namespace vmaf::tune {

struct ClusterWork : ClusterOptions {
    std::vector<std::string> command_line; // as it was parsed, with defaults

    // status
    std::string run;
    bool attach = false, wait = false, cancel = false, as_json = false;

    // A task, or the end of a run: their folder, and where results are shared.
    std::string task_folder;
    nlohmann::json extra; // of the manifest
    std::size_t phase = 0, workers = 1;
    std::string part;                                         // of a command: only this is done
    std::vector<std::pair<std::int64_t, std::int64_t>> shots; // that were found before
    // Told what the parts are, by phases, and the shots, instead of doing anything.
    std::function<void(const std::vector<std::vector<std::string>> &phases)> on_parts;
    std::function<void(const std::vector<std::pair<std::int64_t, std::int64_t>> &shots)> on_shots;
    std::function<void(const std::string &sentence)> on_summary; // of a run that has ended, for whoever watches it
    std::vector<std::string> done_files;                         // rows that need not be made again
    std::function<void(std::size_t job, const std::vector<nlohmann::json> &rows)> on_rows; // instead of an output
};

struct ClusterRequest : ProbeRequest {
    ClusterWork cluster;
};

} // namespace vmaf::tune
