#include "commands/search_hints.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "hash/sha256.hpp"
#include "stages/aggregate.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr std::size_t kMostPoints = 64;  // per source and encoder
constexpr std::size_t kMostStarts = 256; // searches that restart where they started before

// Validates a cache entry, which may be damaged or modified.
bool are_hints(const json &stored) {
    if (!stored.is_object() || !stored.value("points", json()).is_array() ||
        !stored.value("starts", json()).is_object())
        return false;
    return std::all_of(stored["points"].begin(), stored["points"].end(), [](const json &p) {
        return p.is_object() && p.value("metric", json()).is_string() && p.value("pool", json()).is_string() &&
               p.value("q", json()).is_number() && p.value("score", json()).is_number();
    });
}

std::string digest(const json &value) { return sha256_hex(json_line(value)); }

} // namespace

std::optional<double> suggested_start(const std::vector<std::pair<double, double>> &q_and_score, double target) {
    if (q_and_score.size() < 2) return std::nullopt;
    auto points = q_and_score;
    std::ranges::stable_sort(points, [&](const auto &a, const auto &b) {
        return std::fabs(a.second - target) < std::fabs(b.second - target);
    });
    const auto [q0, s0] = points[0];
    for (std::size_t i = 1; i < points.size(); i++) {
        const auto [q1, s1] = points[i];
        if (q1 == q0 || s1 == s0) continue;
        const double q = q0 + (target - s0) * (q1 - q0) / (s1 - s0);
        const auto [low, high] = std::ranges::minmax_element(points);
        return std::clamp(q, low->first - 4, high->first + 4); // not far beyond the measurements
    }
    return q0;
}

std::string search_identity(const ProbeSetup &setup, const SearchOptions &o,
                            const std::vector<QualityTarget> &targets) {
    if (setup.source.id.empty()) return {};
    json identity = {search_word(o.search),
                     o.thorough,
                     o.tolerance.value_or(-1),
                     o.min_q.value_or(-1),
                     o.max_q.value_or(-1),
                     o.q_step.value_or(-1),
                     o.start_q.value_or(-1),
                     o.max_bitrate.value_or(-1),
                     o.max_encoded_percent.value_or(-1),
                     o.max_size,
                     o.max_iterations,
                     o.coarse_step,
                     o.fine_step,
                     word_of(kSampleAggregates, setup.aggregate)};
    for (const QualityTarget &t : targets) identity.push_back({t.metric, t.pool, t.value});
    try {
        identity.push_back(json(probe_keys(setup, setup.encode.adapter->default_q)));
    } catch (const Error &) { // the encoder does not work: its probes will report that
        return {};
    }
    return digest(identity);
}

SearchHints::SearchHints(Cache *cache, const ProbeSetup &setup, const SearchOptions &o,
                         const std::vector<QualityTarget> &targets)
    : cache_(cache), setup_(setup), target_(targets.front()), stored_(std::make_unique<json>()) {
    // If machines share results, each starts where the others would: then their measurements help each other.
    if (!cache_ || cache_->shared() || setup.source.id.empty()) return;
    key_ =
        digest({"hints", setup.source.id, setup.encode.adapter->name, setup.encode.vfilter, setup.clip_mode == "shot"});
    search_ = search_identity(setup, o, targets);
    read_stored(cache_, Cache::Kind::fact, key_, [&](const json &stored) { *stored_ = stored; });
    if (!are_hints(*stored_)) *stored_ = {{"points", json::array()}, {"starts", json::object()}};
}

SearchHints::~SearchHints() = default;

double SearchHints::start(std::optional<double> hint) const {
    const Adapter &adapter = *setup_.encode.adapter;
    if (!search_.empty()) {
        if (const auto before = (*stored_)["starts"].find(search_);
            before != (*stored_)["starts"].end() && before->is_number())
            return before->get<double>();
        std::vector<std::pair<double, double>> points;
        const bool is_shot = setup_.clip_mode == "shot"; // other shots are other content
        for (const json &p : (*stored_)["points"])
            if (!is_shot && p.value("metric", "") == target_.metric && p.value("pool", "") == target_.pool)
                points.emplace_back(p.value("q", 0.0), p.value("score", 0.0));
        if (const auto suggested = suggested_start(points, target_.value)) return *suggested;
    }
    if (hint) return *hint;
    const int height = setup_.source.height;
    const double offset = height >= 2160 ? -2 : height >= 1080 ? 0 : height >= 720 ? 2 : 4;
    return adapter.default_q + (adapter.higher_is_better ? -offset : offset);
}

void SearchHints::remember(double start, const std::vector<ProbeResult> &probes) {
    if (search_.empty()) return;
    json &points = (*stored_)["points"];
    for (const ProbeResult &probe : probes) {
        if (!probe.ok() || !probe.series.contains(target_.metric)) continue;
        const json point = {{"preset", setup_.encode.preset},
                            {"q", probe.q},
                            {"score", aggregated(probe, target_.metric, target_.pool, setup_.aggregate)},
                            {"metric", target_.metric},
                            {"pool", target_.pool}};
        if (!contains(points, point)) points.push_back(point);
    }
    while (points.size() > kMostPoints) points.erase(points.begin());
    if ((*stored_)["starts"].size() >= kMostStarts) (*stored_)["starts"] = json::object();
    (*stored_)["starts"][search_] = start;
    try_store(cache_, Cache::Kind::fact, key_, *stored_); // on failure there is no hint next time
}

} // namespace vmaf::tune
