// Metrics that differ only in late options (OptionSpec::stage). One job per frame measures all of them, with separate
// working memory per thread.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "metrics/metric.hpp"
#include "metrics/reference_halves.hpp"
#include "session/metric_slot.hpp"

namespace vmaf {

// Whether one pass can measure both; some options may still need several passes.
bool are_of_one_family(const MetricSlot &a, const MetricSlot &b);

class MetricFamily final {
  public:
    explicit MetricFamily(const MetricSlot &first) : members_{&first} {}

    bool takes(const MetricSlot &slot) const { return are_of_one_family(slot, *members_.front()); }
    void add(const MetricSlot &slot) { members_.push_back(&slot); } // call it before the first frame
    std::span<const MetricSlot *const> members() const { return members_; }

    // Thread-safe. results[i] belongs to member i.
    void measure(const FrameInput &frame, const ReferenceUse &reference, std::span<FrameResult> results, Isa isa);

  private:
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const;

    std::vector<const MetricSlot *> members_;
    std::mutex scorers_mutex_;
    std::vector<std::unique_ptr<FrameScorer>> idle_scorers_;
};

} // namespace vmaf
