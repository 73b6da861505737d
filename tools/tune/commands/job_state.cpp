#include "commands/job_state.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "hash/sha256.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "system/trust.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Its items replace work, so they must be trusted.
void check_trust(const std::string &path) {
    if (const std::string danger = system::who_else_can_change(path, system::Reach::with_parents); !danger.empty())
        throw system::Untrusted("the state of earlier runs, '" + path + "', is not used, because " + danger +
                                "; give another --work-dir or --cache-dir, or --no-cache");
}

} // namespace

JobState::JobState(Run &run, const std::string &command, const std::string &source_id)
    : items_(std::make_unique<json>(json::object())) {
    const RunningOptions &o = run.options();
    if (!o.work_dir.empty()) {
        path_ = (fs::path(o.work_dir) / "state.json").string();
    } else if (run.cache() && !source_id.empty()) {
        const fs::path folder = fs::path(o.cache_dir.empty() ? default_cache_folder() : o.cache_dir) / "jobs";
        system::make_own_folder(folder.string());
        check_trust(folder.string());
        path_ = (folder / (sha256_hex(command + "\n" + source_id).substr(0, 24) + ".json")).string();
        is_ours_ = true;
    }
    if (path_.empty()) return;
    check_trust(path_);
    fs::ifstream file(path_);
    const json stored = json::parse(file, nullptr, false);
    if (stored.is_object() && stored.value("version", 0) == 2 && stored.value("items", json()).is_object())
        *items_ = stored["items"]; // items of another version are measured again
}

JobState::~JobState() = default;

std::vector<json> JobState::remembered(const std::string &key, const std::string &item,
                                       const std::function<std::vector<json>()> &measure) {
    const std::string name = key.empty() ? "" : item.empty() ? key : key + " " + item;
    if (const auto found = items_->find(name); !name.empty() && found != items_->end() && found->is_array())
        return *found;
    const std::vector<json> rows = measure();
    const bool is_whole = std::ranges::none_of(rows, [](const json &row) { return row.contains("error"); });
    if (is_whole) store(name, rows);
    return rows;
}

void JobState::store(const std::string &key, const json &rows) {
    if (path_.empty() || key.empty()) return;
    (*items_)[key] = rows;
    const std::string text = json_line({{"version", 2}, {"items", *items_}}) + "\n";
    try {
        vmaf::system::write_output_file(path_, [&](const auto &out) { out(text); });
    } catch (const Error &) { // the cache also keeps results
        path_.clear();
    }
}

void JobState::finish() {
    std::error_code error;
    if (is_ours_ && !path_.empty()) fs::remove(path_, error);
}

} // namespace vmaf::tune
