// What a long job has finished, so that it goes on after an interruption (tune.md 10.8).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/run.hpp"

namespace vmaf::tune {

// Results of a job's items. An item's key says everything that it depends on, so that a changed parameter forgets only
// what depends on it.
class JobState {
  public:
    // state.json in --work-dir, else a file in the cache's folder; nowhere without both.
    JobState(Run &run, const std::string &command, const std::string &source_id);

    std::optional<nlohmann::json> find(const std::string &key) const;
    void store(const std::string &key, const nlohmann::json &result); // written at once, whole or not at all
    void finish();                                                    // the job is done; what only it needed goes

  private:
    const SharedResults *shared_ = nullptr; // where other machines do items of the same job
    std::string path_;
    bool is_ours_ = false; // not in a folder that the user named
    nlohmann::json items_ = nlohmann::json::object();
};

} // namespace vmaf::tune
