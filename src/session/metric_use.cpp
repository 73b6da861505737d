#include "session/metric_use.hpp"

#include <algorithm>

#include "scores/feature_name.hpp"

namespace vmaf {

// Collects a metric's scores; stores nothing until a frame is complete.
class MetricUse::Sink final : public ScoreSink {
  public:
    Sink(MetricUse &use, NewScores &scores) : use_(use), scores_(scores) {}

    void score(std::string_view name, unsigned index, double value) override {
        const auto stored = use_.stored_names_.find(name);
        scores_.scores.push_back({stored == use_.stored_names_.end() ? kept(name) : stored->second, index, value});
    }
    void aggregate(std::string_view name, double value) override { scores_.aggregates.push_back({kept(name), value}); }

  private:
    std::string_view kept(std::string_view name) {
        const auto known = use_.other_names_.find(name);
        return known != use_.other_names_.end() ? *known : *use_.other_names_.emplace(name).first;
    }

    MetricUse &use_;
    NewScores &scores_;
};

MetricUse::MetricUse(const MetricInfo &info, const OptionTexts &options, Place place)
    : info_(info), options_(info.name, info.options, options), place_(place) {
    const std::string suffix = options_.name_suffix();
    identity_ = stored_name(info.name, suffix);
    for (const std::string_view name : info.provides)
        stored_names_.emplace(std::string(name), stored_name(name, suffix));
    metric_ = info.create(options_);
}

bool MetricUse::provides(std::string_view stored_name) const {
    return std::any_of(stored_names_.begin(), stored_names_.end(),
                       [&](const auto &entry) { return entry.second == stored_name; });
}

std::unique_ptr<Metric> MetricUse::make_prepared(const PictureFormat &format) const {
    std::unique_ptr<Metric> metric = info_.create(options_);
    metric->prepare(format);
    return metric;
}

void MetricUse::take(std::unique_ptr<Metric> prepared) noexcept {
    metric_ = std::move(prepared);
    prepared_ = true;
}

void MetricUse::emit(unsigned index, const FrameResult &result, NewScores &scores) {
    emitted_ = true;
    Sink sink(*this, scores);
    metric_->emit(index, result, sink);
}

void MetricUse::flush(NewScores &scores) {
    if (flushed_) return;
    const std::size_t scores_before = scores.scores.size(), aggregates_before = scores.aggregates.size();
    try {
        Sink sink(*this, scores);
        metric_->flush(sink);
        flushed_ = true;
    } catch (...) {
        scores.scores.resize(scores_before);
        scores.aggregates.resize(aggregates_before);
        throw;
    }
}

} // namespace vmaf
