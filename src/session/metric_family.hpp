// Metrics that differ only in late options (OptionSpec::stage). One job per frame measures all of them, with separate
// working memory per thread.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "metrics/metric.hpp"
#include "metrics/reference_halves.hpp"
#include "session/metric_use.hpp"

namespace vmaf {

// Whether one pass can measure both; some options may still need several passes.
bool are_of_one_family(const MetricUse &a, const MetricUse &b);

class MetricFamily final {
  public:
    explicit MetricFamily(const MetricUse &first) : members_{&first} {}

    bool takes(const MetricUse &use) const { return are_of_one_family(use, *members_.front()); }
    void add(const MetricUse &use) { members_.push_back(&use); } // call it before the first frame
    std::span<const MetricUse *const> members() const { return members_; }

    // Thread-safe. results[i] belongs to member i.
    void measure(const FrameInput &frame, const ReferenceUse &reference, std::span<FrameResult> results, Isa isa);

  private:
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const;

    std::vector<const MetricUse *> members_;
    std::mutex scorers_mutex_;
    std::vector<std::unique_ptr<FrameScorer>> idle_scorers_;
};

} // namespace vmaf
