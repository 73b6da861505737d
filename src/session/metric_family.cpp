#include "session/metric_family.hpp"

#include <utility>

namespace vmaf {

bool are_of_one_family(const MetricUse &a, const MetricUse &b) {
    const auto family = [](const MetricInfo &info) { return info.family.empty() ? info.name : info.family; };
    return family(a.info()) == family(b.info()) && a.info().every_frame == b.info().every_frame &&
           a.options().same_front(b.options());
}

std::unique_ptr<FrameScorer> MetricFamily::make_scorer(Isa isa) const {
    if (members_.size() == 1) return members_.front()->metric().make_scorer(isa);
    std::vector<const Metric *> metrics;
    for (const MetricUse *member : members_) metrics.push_back(&member->metric());
    return metrics.front()->make_family_scorer(metrics, isa);
}

void MetricFamily::measure(const FrameInput &frame, const ReferenceUse &reference, std::span<FrameResult> results,
                           Isa isa) {
    std::unique_ptr<FrameScorer> scorer;
    {
        std::lock_guard lock(scorers_mutex_);
        if (!idle_scorers_.empty()) {
            scorer = std::move(idle_scorers_.back());
            idle_scorers_.pop_back();
        }
    }
    if (!scorer) scorer = make_scorer(isa);
    if (auto *const sharing = dynamic_cast<SharesReference *>(scorer.get())) sharing->share(reference);
    if (results.size() == 1)
        scorer->measure(frame, results[0]);
    else
        scorer->measure_family(frame, results);
    std::lock_guard lock(scorers_mutex_);
    idle_scorers_.push_back(std::move(scorer));
}

} // namespace vmaf
