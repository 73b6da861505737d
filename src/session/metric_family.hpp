// Metrics of one kind that differ in late options only (OptionSpec::stage). One job per frame measures for all of them,
// with working memory of their own for each thread.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "metrics/metric.hpp"
#include "metrics/reference_halves.hpp"
#include "session/metric_slot.hpp"

namespace vmaf {

// Whether one pass can measure for both; metrics may still need several for some options.
bool are_of_one_family(const MetricSlot &a, const MetricSlot &b);

class MetricFamily final {
  public:
    explicit MetricFamily(const MetricSlot &first) : members_{&first} {}

    bool takes(const MetricSlot &slot) const { return are_of_one_family(slot, *members_.front()); }
    void add(const MetricSlot &slot) { members_.push_back(&slot); } // before the first frame
    std::span<const MetricSlot *const> members() const { return members_; }

    // From any thread. results[i] is for member i.
    void measure(const FrameInput &frame, const ReferenceUse &reference, std::span<FrameResult> results, Isa isa);

  private:
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const;

    std::vector<const MetricSlot *> members_;
    std::mutex scorers_mutex_;
    std::vector<std::unique_ptr<FrameScorer>> idle_scorers_;
};

} // namespace vmaf
