// The table of commands: each command's flags fill a request of its own type, which no other code sees.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "jobs/job.hpp"

namespace vmaf::tune {

using CommandLine = std::vector<std::string>; // as parsed, with defaults

struct Command {
    CLI::App *app = nullptr;
    const RunningOptions *running = nullptr; // from its request: how to report errors and the end
    std::function<CommandFiles()> files;
    std::function<int(const CommandLine &line)> run; // an exit code, or CommandError
    std::optional<JobCommand> job;
};

// How help shows a command.
struct CommandText {
    std::string name, summary;
    std::vector<std::string> aliases;
    std::string examples;
};

int run_job(const JobCommand &job, const CommandLine &line); // here, or where the request says

void refuse_cluster(const ClusterOptions &cluster); // for answers computed without other machines

class Commands {
  public:
    explicit Commands(CLI::App &app) : app_(app) {}

    // `bind` declares flags for a request; `files_of(request)` and `run` receive it parsed.
    template <class Request>
    void add(const CommandText &text, void (*bind)(CLI::App &app, Request &request), int (*run)(const Request &)) {
        const auto request = std::make_shared<Request>();
        add_app(text, bind, *request).run = [request, run](const CommandLine &) { return run(*request); };
    }

    // A command that runs a job made from its request. `instead` may answer without one, with an exit code.
    template <class JobType, class Request>
    void add_job(const CommandText &text, void (*bind)(CLI::App &app, Request &request),
                 std::optional<int> (*instead)(const Request &) = nullptr) {
        const auto request = std::make_shared<Request>();
        Command &command = add_app(text, bind, *request);
        JobCommand job{text.name, request, nullptr, [request](const ProbeRequest &settled) {
                           Request own = *request;
                           static_cast<ProbeRequest &>(own) = settled;
                           return std::make_unique<JobType>(own);
                       }};
        if constexpr (std::is_base_of_v<ClusterOptions, Request>) job.cluster = request;
        command.job = job;
        command.run = [job, request, instead](const CommandLine &line) {
            if constexpr (requires { request->from_corpus; })
                if (!request->from_corpus.empty()) refuse_cluster(*request);
            const std::optional<int> code = instead ? instead(*request) : std::nullopt;
            return code ? *code : run_job(job, line);
        };
    }

    CLI::App &app() { return app_; }
    const Command *chosen() const; // from the parsed command line; null if no command was named

  private:
    CLI::App &add_app(const CommandText &text);
    template <class Request>
    Command &add_app(const CommandText &text, void (*bind)(CLI::App &app, Request &request), Request &request) {
        CLI::App &app = add_app(text);
        bind(app, request);
        list_.push_back({&app, &request, [&request] { return files_of(request); }, {}, {}});
        return list_.back();
    }

    CLI::App &app_;
    std::vector<Command> list_;
};

} // namespace vmaf::tune
