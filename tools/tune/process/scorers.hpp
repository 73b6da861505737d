// Scorers that stay alive: `vmaf --serve` (docs/development/serve.md). One process for each score that runs at a time;
// a process that died is replaced when the next score begins.
#pragma once

#include <mutex>

#include "base/thread_group.hpp"
#include "process/child.hpp"

namespace vmaf::tune {

class Scorers {
  public:
    explicit Scorers(std::string program); // starts the first one; what is wrong with it is said by identity()
    ~Scorers();
    Scorers(const Scorers &) = delete;
    Scorers &operator=(const Scorers &) = delete;

    // Version and build, which documents depend on. Throws Error where the program does not serve.
    const std::string &identity();
    // Why a model cannot be loaded; empty: it can. Throws Error.
    std::string problem_of_model(const std::string &model);

    struct Scored : ChildResult {
        bool has_died = false; // the process did, while it scored: another try may succeed
        std::string sentence;  // why it failed, where the scorer says so
    };
    // As run_child(), for a command that scores; `on_frames` hears how far it is. Throws Error.
    Scored score(const Arguments &command, const RunOptions &options,
                 const std::function<void(std::int64_t frames)> &on_frames);

  private:
    class Served;
    std::unique_ptr<Served> start(const std::vector<std::pair<std::string, std::string>> &environment) const;
    std::unique_ptr<Served> take(const std::vector<std::pair<std::string, std::string>> &environment);
    void give_back(std::unique_ptr<Served> served);

    const std::string program_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Served>> idle_;
    Later<std::string> identity_; // of the first process, which then waits above
};

} // namespace vmaf::tune
