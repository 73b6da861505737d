#include "session/metric_slot.hpp"

#include "scores/feature_name.hpp"

namespace vmaf {

MetricSlot::MetricSlot(const MetricInfo &info, const OptionTexts &options, ScoreCollector &scores, Place place)
    : info_(info), scores_(scores), place_(place) {
    const OptionValues values(info.name, info.options, options);
    const std::string suffix = values.name_suffix();
    identity_ = stored_name(info.name, suffix);
    for (const std::string_view name : info.provides)
        stored_names_.emplace(std::string(name), stored_name(name, suffix));
    metric_ = info.create(values);
}

void MetricSlot::prepare(const PictureFormat &format) {
    metric_->prepare(format);
    prepared_ = true;
}

void MetricSlot::measure(const FrameInput &frame, FrameResult &result, Isa isa) {
    std::unique_ptr<FrameScorer> scorer;
    {
        std::lock_guard lock(scorers_mutex_);
        if (!idle_scorers_.empty()) {
            scorer = std::move(idle_scorers_.back());
            idle_scorers_.pop_back();
        }
    }
    if (!scorer) scorer = metric_->make_scorer(isa);
    scorer->measure(frame, result);
    std::lock_guard lock(scorers_mutex_);
    idle_scorers_.push_back(std::move(scorer));
}

void MetricSlot::emit(unsigned index, const FrameResult &result) {
    emitted_ = true;
    metric_->emit(index, result, *this);
}

void MetricSlot::flush() { metric_->flush(*this); }

void MetricSlot::score(std::string_view name, unsigned index, double value) {
    const auto stored = stored_names_.find(name);
    scores_.append(stored == stored_names_.end() ? name : std::string_view(stored->second), index, value);
}

void MetricSlot::aggregate(std::string_view name, double value) { scores_.set_aggregate(name, value); }

} // namespace vmaf
