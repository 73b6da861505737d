#include "jobs/slurm.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "cli/command_error.hpp"
#include "system/host.hpp"

namespace vmaf::tune {

namespace {

constexpr std::size_t kTasksIfUnknown = 32;
constexpr auto kCancelTime = std::chrono::seconds(20); // for a scancel that does not respond
constexpr int kWarningSeconds = 60; // before the time limit: running work may finish, nothing new starts

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

// Slurm replaces %j and similar patterns in log names, so escape them.
std::string without_patterns(const std::string &path) {
    std::string plain;
    for (const char c : path) plain += c == '%' ? std::string("%%") : std::string(1, c);
    return plain;
}

// Job names are not unique: other users may use the same.
std::string own_jobs() { return "--user=" + system::user_number(); }

} // namespace

Slurm::Slurm(const ClusterOptions &options) : options_(options) {
    for (const char *name : {"sbatch", "squeue", "scancel"})
        if (!find_program(name))
            throw usage_error(std::string("--executor slurm needs Slurm's '") + name +
                              "', which was not found in PATH; submit from a machine of the cluster (Debian: "
                              "apt-get install slurm-client)");
}

std::string Slurm::submit(const Job &job) const {
    Arguments command = {"sbatch",
                         "--parsable",
                         "--requeue",
                         "--open-mode=append",
                         "--job-name=" + job.name,
                         "--chdir=" + job.folder,
                         "--output=" + without_patterns(job.log) + (job.tasks > 0 ? "-%A_%a.log" : "-%j.log"),
                         "--signal=B:TERM@" + std::to_string(kWarningSeconds)};
    if (job.tasks > 0) command.push_back("--array=0-" + std::to_string(job.tasks - 1));
    if (!job.after.empty()) command.push_back("--dependency=afterany:" + job.after);
    const auto add = [&](const char *flag, const std::string &value) {
        if (!value.empty()) command.push_back(std::string("--") + flag + "=" + value);
    };
    add("partition", options_.partition);
    add("account", options_.account);
    add("qos", options_.qos);
    if (job.tasks > 0) {
        add("constraint", options_.constraint);
        add("gres", options_.gres);
        add("mem", options_.memory);
        add("time", options_.time_limit);
        if (options_.cpus_per_task > 0) add("cpus-per-task", std::to_string(options_.cpus_per_task));
        for (const std::string &more : options_.sbatch) command.push_back(more.starts_with("-") ? more : "--" + more);
    }
    // No script file: others could replace it before Slurm reads it.
    command.push_back("--wrap=exec " + shell_quoted(job.command));
    const ChildResult outcome = run_child(command);
    if (outcome.interrupted) {
        cancel(job.name); // it may have been accepted
        throw CommandError(kExitInterrupted, "interrupted while sbatch ran; its jobs are cancelled");
    }
    const std::string id = split(lines_of(outcome.out).empty() ? "" : lines_of(outcome.out).back(), ';').front();
    if (!outcome.ok() || id.empty() || id.find_first_not_of("0123456789") != std::string::npos) {
        const auto said = lines_of(outcome.error_tail);
        throw CommandError(kExitFailed, "sbatch refused the job: " + (said.empty() ? outcome.out : said.front()));
    }
    return id;
}

std::optional<std::vector<QueuedTask>> Slurm::queued(const std::string &name) const {
    const ChildResult outcome =
        run_child({"squeue", "--noheader", "--array", own_jobs(), "--name=" + name, "--format=%i|%T|%N|%r"});
    if (!outcome.ok()) return std::nullopt;
    std::vector<QueuedTask> tasks;
    for (const std::string &line : lines_of(outcome.out)) {
        auto parts = split(line, '|');
        parts.resize(4);
        tasks.push_back({parts[0], parts[1], parts[2], parts[3]});
    }
    return tasks;
}

void Slurm::cancel(const std::string &name) const {
    run_child({"scancel", own_jobs(), "--name=" + name}, {.timeout = kCancelTime, .is_last_call = true});
}

std::vector<LostNode> Slurm::lost(const std::vector<std::string> &nodes) const {
    if (nodes.empty() || !find_program("sinfo")) return {};
    const ChildResult outcome =
        run_child({"sinfo", "--noheader", "--Node", "--all", "--nodes=" + joined(nodes, ","), "--format=%N|%T|%E"});
    std::map<std::string, LostNode> found; // nodes are listed once per partition
    for (const std::string &line : lines_of(outcome.ok() ? outcome.out : "")) {
        auto parts = split(line, '|');
        parts.resize(3);
        const std::string &state = parts[1];
        const bool is_lost = state.ends_with("*") || state.find("down") != std::string::npos ||
                             state.find("drain") != std::string::npos || state.find("fail") != std::string::npos;
        if (is_lost) found[parts[0]] = {parts[0], state, parts[2] == "none" ? "" : parts[2]};
    }
    std::vector<LostNode> all;
    for (auto &[name, node] : found) all.push_back(std::move(node));
    return all;
}

std::map<std::string, std::size_t> Slurm::ended(const std::vector<std::string> &jobs) const {
    std::map<std::string, std::size_t> states;
    if (jobs.empty() || !find_program("sacct")) return states;
    const ChildResult outcome = run_child(
        {"sacct", "--noheader", "--parsable2", "--allocations", "--format=State", "--jobs=" + joined(jobs, ",")});
    if (!outcome.ok()) return states; // without accounting
    for (const std::string &line : lines_of(outcome.out)) states[split(line, ' ').front()]++;
    return states;
}

std::size_t Slurm::most_tasks(std::size_t wanted) const {
    std::size_t most = options_.tasks;
    if (most == 0) {
        Arguments question = {"sinfo", "--noheader", "--format=%C"};
        if (!options_.partition.empty()) question.push_back("--partition=" + options_.partition);
        try {
            const ChildResult outcome = run_child(question);
            std::size_t most_processors = 0; // of a partition; partitions may share nodes
            for (const std::string &line : lines_of(outcome.out)) {
                unsigned allocated = 0, idle = 0, other = 0;
                if (std::sscanf(line.c_str(), "%u/%u/%u/", &allocated, &idle, &other) == 3)
                    most_processors = std::max<std::size_t>(most_processors, allocated + idle);
            }
            most = most_processors / std::max(1u, options_.cpus_per_task);
        } catch (const Error &) { // not reported: guess
        }
        if (most == 0) most = kTasksIfUnknown;
    }
    std::size_t longest = 1000; // Slurm's default
    try {
        for (const std::string &line : lines_of(run_child({"scontrol", "show", "config"}).out)) {
            unsigned value = 0;
            if (std::sscanf(line.c_str(), "MaxArraySize = %u", &value) == 1 && value > 1) longest = value - 1;
        }
    } catch (const Error &) {
    }
    return std::max<std::size_t>(1, std::min({wanted, most, longest}));
}

} // namespace vmaf::tune
