// A frame may be split over threads at any time: the number of parts must not affect any score of any metric.
#include <gtest/gtest.h>

#include "metrics/registry.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::splitting_test {
namespace {

// Runs the parts one by one in reverse, and reports another number of threads on each call.
class ChangingParts : public Parallel {
  public:
    explicit ChangingParts(unsigned most) : most_(most) {}
    unsigned threads() const override { return asked_ = asked_ % most_ + 1; }
    void run(unsigned count, const std::function<void(unsigned)> &task) override {
        for (unsigned i = count; i > 0; i--) task(i - 1);
    }

  private:
    unsigned most_;
    mutable unsigned asked_ = 0;
};

std::vector<Picture> pictures(const char *distort) {
    clipgen::Options options;
    options.width = 350;
    options.height = 290;
    options.format = "420";
    options.scene = "street";
    if (distort) options.distort = distort;
    return {clip_frame(options, 0), clip_frame(options, 1)};
}

TEST(Metrics, SplittingAFrameChangesNoScoreOfAnyOfThem) {
    const std::vector<Picture> ref = pictures(nullptr), dist = pictures("dct:40");
    for (const MetricInfo *info : all_metrics())
        for (const Isa isa : usable_isas()) {
            const MetricScores whole = run_metric(*info, {}, ref, dist, isa);
            for (const unsigned most : {3u, 7u}) {
                ChangingParts parts(most);
                EXPECT_EQ(run_metric(*info, {}, ref, dist, isa, parts).frames, whole.frames)
                    << info->name << " on " << to_string(isa) << " in up to " << most << " parts";
            }
        }
}

} // namespace
} // namespace vmaf::splitting_test
