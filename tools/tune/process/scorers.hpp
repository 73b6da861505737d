// Persistent scorers: `vmaf --serve` (docs/development/serve.md). One process per concurrent score; a process that died
// is replaced at the next score.
#pragma once

#include <mutex>

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
    // Like run_child(), for a scoring command; reports progress to `on_frames`. `keeps_reference`: on the device, for
    // later scores. Throws Error.
    Scored score(const Arguments &command, const RunOptions &options, bool keeps_reference,
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
