#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/complain.hpp"
#include "commands/commands.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/slurm_run.hpp"

namespace vmaf::tune {

namespace {

struct StatusRequest : RunningOptions {
    std::string run, shared;
    StatusWish wish;
};

// For all runs in a shared folder; lists those of another version.
int show_all(const StatusRequest &o, const std::vector<std::string> &folders) {
    int exit_code = kExitOk;
    for (const std::string &folder : folders) {
        try {
            exit_code = show_status(job_of_run(folder), folder, o.wish);
        } catch (const Error &e) {
            complain("status", e.what());
            exit_code = kExitUsage;
        }
    }
    return exit_code;
}

int run_status(const StatusRequest &given) {
    StatusRequest o = given;
    o.wish.as_json = o.json;
    if (!o.run.empty()) return show_status(job_of_run(o.run), o.run, o.wish);
    if (o.shared.empty()) throw usage_error("give the folder of a run, or --shared FOLDER for all runs in it");
    const std::vector<std::string> folders = runs_in(o.shared);
    if (folders.empty()) throw usage_error("there is no run in '" + o.shared + "'");
    if (!o.wish.acts()) return show_all(o, folders);
    return show_status(job_of_run(folders.back()), folders.back(), o.wish); // the newest
}

void bind_status(CLI::App &app, StatusRequest &o) {
    add_option(app, "run", o.run, "folder of a run (default: all under --shared)");
    add_option(app, "--shared", o.shared, "shared folder of the runs");
    app.add_flag("--attach", o.wish.attach, "watch until the end; Ctrl-C stops watching, not the run");
    app.add_flag("--wait", o.wish.wait, "wait for the end and return the run's exit code");
    app.add_flag("--cancel", o.wish.cancel, "end the run and write what is done");
    app.add_flag("--json", o.json, "print JSON lines");
}

} // namespace

JobCommand job_of_run(const std::string &folder) {
    std::vector<std::string> arguments = RunFolder(folder).manifest().arguments;
    std::ranges::reverse(arguments); // the parser takes them in reverse
    CLI::App app("", "vmaf-tune");
    app.require_subcommand(1);
    Commands commands(app);
    add_commands(commands);
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError &e) {
        throw CommandError(kExitUsage, "the run in '" + folder + "' was made by another version: " + e.what());
    }
    if (const auto &job = commands.chosen()->job; job && job->cluster) return *job;
    throw usage_error("'" + folder + "' is not the folder of a run: '" + commands.chosen()->app->get_name() +
                      "' does not run on a cluster");
}

void add_status(Commands &commands) {
    commands.add<StatusRequest>({"status",
                                 "progress of runs on a cluster",
                                 {},
                                 "  vmaf-tune status --shared /shared/tune\n"
                                 "  vmaf-tune status /shared/tune/runs/20260101-120000-abc123 --attach\n"
                                 "  vmaf-tune status /shared/tune/runs/20260101-120000-abc123 --cancel"},
                                bind_status, run_status);
}

} // namespace vmaf::tune
