#include "commands/on_cluster.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/command_error.hpp"
#include "commands/commands.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

struct StatusRequest : RunningOptions {
    ClusterWork cluster;
};

int run_status(const StatusRequest &o) {
    std::vector<std::string> folders;
    if (!o.cluster.run.empty()) folders = {o.cluster.run};
    if (folders.empty() && !o.cluster.shared.empty()) folders = runs_in(o.cluster.shared);
    if (folders.empty())
        throw usage_error(o.cluster.shared.empty() ? "give the folder of a run, or --shared FOLDER for all runs in it"
                                                   : "there is no run in '" + o.cluster.shared + "'");
    const bool acts = o.cluster.attach || o.cluster.wait || o.cluster.cancel;
    if (acts && o.cluster.run.empty()) folders = {folders.back()}; // the newest
    int exit_code = kExitOk;
    for (const std::string &folder : folders) {
        ClusterWork own = o.cluster;
        own.run = folder;
        own.task_folder = folder; // so that the command is not begun again
        own.as_json = o.json;
        exit_code = run_stored_command(own, folder);
    }
    return exit_code;
}

void bind_status(CLI::App &app, StatusRequest &o) {
    add_option(app, "run", o.cluster.run, "folder of a run (default: all under --shared)");
    add_option(app, "--shared", o.cluster.shared, "shared folder of the runs");
    app.add_flag("--attach", o.cluster.attach, "watch until the end; Ctrl-C stops watching, not the run");
    app.add_flag("--wait", o.cluster.wait, "wait for the end and return the run's exit code");
    app.add_flag("--cancel", o.cluster.cancel, "end the run and write what is done");
    app.add_flag("--json", o.json, "print JSON lines");
}

} // namespace

int run_stored_command(const ClusterWork &work, const std::string &folder) {
    std::vector<std::string> arguments = RunFolder(folder).manifest().arguments;
    std::reverse(arguments.begin(), arguments.end()); // the order that the parser wants
    CLI::App app("", "vmaf-tune");
    app.require_subcommand(1);
    Commands commands(app);
    add_commands(commands);
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError &e) {
        throw CommandError(kExitUsage, "the run in '" + folder + "' was made by another version: " + e.what());
    }
    ClusterWork &own = *commands.chosen()->cluster;
    own.run = work.run;
    own.attach = work.attach;
    own.wait = work.wait;
    own.cancel = work.cancel;
    own.as_json = work.as_json;
    own.task_folder = work.task_folder;
    own.phase = work.phase;
    own.workers = work.workers;
    return commands.chosen()->run();
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
