#include "commands/job_state.hpp"

#include "base/error.hpp"
#include "cache/shared_results.hpp"
#include "hash/sha256.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "system/trust.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Its items stand for work that need not be done again.
void check_trust(const std::string &path) {
    if (const std::string danger = system::who_else_can_change(path, system::Reach::with_parents); !danger.empty())
        throw system::Untrusted("the state of earlier runs, '" + path + "', is not used, because " + danger +
                                "; give another --work-dir or --cache-dir, or --no-cache");
}

} // namespace

JobState::JobState(Run &run, const std::string &command, const std::string &source_id) {
    const RunningOptions &o = run.options();
    if (run.cache()) shared_ = run.cache()->shared();
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
    if (stored.is_object() && stored.contains("items") && stored["items"].is_object()) items_ = stored["items"];
}

std::optional<json> JobState::find(const std::string &key) const {
    const auto found = items_.find(key);
    if (shared_ && !key.empty() && found == items_.end())
        if (const auto text = shared_->find("item", key))
            if (json item = json::parse(*text, nullptr, false); !item.is_discarded()) return item;
    return key.empty() || found == items_.end() ? std::nullopt : std::optional(*found);
}

void JobState::store(const std::string &key, const json &result) {
    if (shared_) shared_->store("item", key, result.dump(-1, ' ', false, json::error_handler_t::replace));
    if (path_.empty() || key.empty()) return;
    items_[key] = result;
    const std::string text =
        json{{"version", 1}, {"items", items_}}.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    try {
        vmaf::system::write_output_file(path_, [&](const auto &out) { out(text); });
    } catch (const Error &) { // results are remembered by the cache too
        path_.clear();
    }
}

void JobState::finish() {
    std::error_code error;
    if (is_ours_ && !path_.empty()) fs::remove(path_, error);
}

} // namespace vmaf::tune
