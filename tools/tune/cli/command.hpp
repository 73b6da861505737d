// The table of commands: the flags of each fill a request of its own type, which nobody else sees.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/cluster_work.hpp"
#include "cli/outputs.hpp"

namespace vmaf::tune {

struct Command {
    CLI::App *app = nullptr;
    const RunningOptions *running = nullptr; // of its request: how errors and the end are told
    std::function<CommandFiles()> files;
    std::function<int()> run; // an exit code, or CommandError
    ClusterWork *cluster = nullptr;
};

// How help shows a command.
struct CommandText {
    std::string name, summary;
    std::vector<std::string> aliases;
    std::string examples;
};

class Commands {
  public:
    explicit Commands(CLI::App &app) : app_(app) {}

    // `bind` declares flags for a request; `files_of(request)` and `run` see it as it was parsed.
    template <class Request>
    void add(const CommandText &text, void (*bind)(CLI::App &app, Request &request), int (*run)(const Request &)) {
        const auto request = std::make_shared<Request>();
        CLI::App &app = add_app(text);
        bind(app, *request);
        list_.push_back(
            {&app, request.get(), [request] { return files_of(*request); }, [request, run] { return run(*request); }});
        if constexpr (requires { request->cluster; }) list_.back().cluster = &request->cluster;
    }

    CLI::App &app() { return app_; }
    const Command *chosen() const; // by what was parsed; none: no command was named

  private:
    CLI::App &add_app(const CommandText &text);

    CLI::App &app_;
    std::vector<Command> list_;
};

} // namespace vmaf::tune
