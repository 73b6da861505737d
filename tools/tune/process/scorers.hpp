// Persistent scorers: `vmaf --serve` (docs/development/serve.md). One process per concurrent score; a process that died
// is replaced at the next score.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_group.hpp"
#include "process/child.hpp"

namespace vmaf::tune {

class Scorers {
  public:
    explicit Scorers(std::string program); // starts the first one; identity() reports problems
    ~Scorers();
    Scorers(const Scorers &) = delete;
    Scorers &operator=(const Scorers &) = delete;

    // Version and build, on which documents depend. Throws Error if the program does not serve.
    const std::string &identity();
    // Why a model cannot be loaded; empty: it can. Throws Error.
    std::string problem_of_model(const std::string &model);

    struct Scored : ChildResult {
        bool has_died = false; // the process died while scoring: a retry may succeed
        std::string sentence;  // the scorer's reason for a failure, if stated
    };
    // Like run_child(), for a scoring command; reports progress to `on_frames`. `reference`: the file that the process
    // keeps on its device for later scores; empty: none. Throws Error.
    Scored score(const Arguments &command, const RunOptions &options, const std::string &reference,
                 const std::function<void(std::int64_t frames)> &on_frames);
    // Lets an idle process run a command for what it keeps, once per reference; does not wait for it. Throws Error.
    void prepare(const Arguments &command, const RunOptions &options, const std::string &reference);

  private:
    class Served;
    using Environment = std::vector<std::pair<std::string, std::string>>;
    using Idle = std::vector<std::unique_ptr<Served>>;
    std::unique_ptr<Served> take(const RunOptions &options, const std::string &reference);
    Idle::iterator find_idle(const Environment &environment, const std::string &reference);
    void give_back(std::unique_ptr<Served> served);

    const std::string program_;
    std::mutex mutex_;
    Idle idle_; // longest idle first
    std::set<std::string> prepared_;
    Later<std::string> identity_; // of the first process, which then waits above
};

} // namespace vmaf::tune
