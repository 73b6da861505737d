#include "commands/command.hpp"

#include <CLI/CLI.hpp>

#include "jobs/local.hpp"
#include "jobs/slurm_run.hpp"

namespace vmaf::tune {

int run_job(const JobCommand &job, const CommandLine &line) {
    const bool is_elsewhere = job.cluster && job.cluster->executor == ExecutorKind::slurm && !job.request->dry_run;
    return is_elsewhere ? run_on_slurm(job, line) : run_here(job);
}

void refuse_cluster(const ClusterOptions &cluster) {
    if (cluster.executor == ExecutorKind::slurm)
        throw usage_error("--from-corpus needs no cluster; leave out --executor slurm");
}

CLI::App &Commands::add_app(const CommandText &text) {
    CLI::App &command = *app_.add_subcommand(text.name, text.summary);
    for (const std::string &alias : text.aliases) command.alias(alias);
    command.footer("Examples:\n" + text.examples);
    return command;
}

const Command *Commands::chosen() const {
    for (const Command &command : list_)
        if (command.app->parsed()) return &command;
    return nullptr;
}

} // namespace vmaf::tune
