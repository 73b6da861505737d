// The finished parts of a long job, so that it can continue after an interruption (tune.md 10.8).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace vmaf::tune {

// Results of a job's items. An item's key covers everything it depends on, so that a changed parameter invalidates only
// affected items.
class JobState {
  public:
    // state.json in --work-dir, else a file in the cache's folder; disabled without both.
    JobState(Run &run, const std::string &command, const std::string &source_id);
    ~JobState();

    // Rows of an item with that key: stored ones, or the result of `measure`, which is stored unless a row has an
    // error.
    std::vector<nlohmann::json> remembered(const std::string &key, const std::string &item,
                                           const std::function<std::vector<nlohmann::json>()> &measure);
    void finish(); // the job is done; removes temporary files

  private:
    void store(const std::string &key, const nlohmann::json &rows); // immediately and atomically

    std::string path_;
    bool is_ours_ = false; // not in a folder that the user named
    std::unique_ptr<nlohmann::json> items_;
};

} // namespace vmaf::tune
