#include "metrics/null/null.hpp"

namespace vmaf {

namespace {

class NullScorer final : public FrameScorer {
    void measure(const FrameInput &, FrameResult &) override {}
};

class NullMetric final : public Metric {
    PlanesRead planes_read() const override { return {.ref = 0, .dist = 0}; }
    void prepare(const PictureFormat &) override {}
    std::unique_ptr<FrameScorer> make_scorer(Isa) const override { return std::make_unique<NullScorer>(); }
    void emit(unsigned, const FrameResult &, ScoreSink &) override {}
};

} // namespace

const MetricInfo null_metric = {
    .name = "null",
    .summary = "nothing; measures the cost of reading and scheduling",
    .options = {},
    .provides = {},
    .every_frame = false,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<NullMetric>(); },
};

} // namespace vmaf
