// What a long job has finished, so that it goes on after an interruption (tune.md 10.8).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace vmaf::tune {

// Results of a job's items. An item's key says everything that it depends on, so that a changed parameter forgets only
// what depends on it.
class JobState {
  public:
    // state.json in --work-dir, else a file in the cache's folder; nowhere without both.
    JobState(Run &run, const std::string &command, const std::string &source_id);
    ~JobState();

    // Rows of one of several items with that key: those that are stored, or those that `measure` gives, which are
    // stored unless one of them has an error.
    std::vector<nlohmann::json> remembered(const std::string &key, const std::string &item,
                                           const std::function<std::vector<nlohmann::json>()> &measure);
    void finish(); // the job is done; what only it needed goes

  private:
    void store(const std::string &key, const nlohmann::json &rows); // written at once, whole or not at all

    std::string path_;
    bool is_ours_ = false; // not in a folder that the user named
    std::unique_ptr<nlohmann::json> items_;
};

} // namespace vmaf::tune
