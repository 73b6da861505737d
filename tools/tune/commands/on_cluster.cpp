#include "commands/on_cluster.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "cli/command_error.hpp"
#include "commands/commands.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

int run_anywhere(const Options &options, const ClusterCommand &command, const LocalCommand &here) {
    const bool is_elsewhere = options.cluster.executor == ExecutorKind::slurm || !options.cluster.task_folder.empty();
    if (is_elsewhere)
        if (const auto code = run_on_cluster(options, command)) return *code;
    return here(options);
}

int run_anywhere(const Options &options, const std::string &name, const LocalCommand &here) {
    return run_anywhere(options, command_by_parts(name, here), here);
}

int run_stored_command(Options &options, const std::string &folder) {
    std::vector<std::string> arguments = RunFolder(folder).manifest().arguments;
    std::reverse(arguments.begin(), arguments.end()); // the order that the parser wants
    int exit_code = kExitOk;
    CLI::App app("", "vmaf-tune");
    app.require_subcommand(1);
    bind_commands(app, options, exit_code);
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError &e) {
        throw CommandError(kExitUsage, "the run in '" + folder + "' is not one of this version: " + e.what());
    }
    return exit_code;
}

int run_status(const Options &o) {
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
        Options own;
        own.cluster.run = folder;
        own.cluster.task_folder = folder; // so that the command is not begun again
        own.cluster.attach = o.cluster.attach;
        own.cluster.wait = o.cluster.wait;
        own.cluster.cancel = o.cluster.cancel;
        own.cluster.as_json = o.json;
        exit_code = run_stored_command(own, folder);
    }
    return exit_code;
}

} // namespace vmaf::tune
