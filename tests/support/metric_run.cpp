#include "support/metric_run.hpp"

namespace vmaf {

namespace {

class MapSink final : public ScoreSink {
  public:
    explicit MapSink(MetricScores &scores) : scores_(scores) {}
    void score(std::string_view name, unsigned index, double value) override {
        scores_.frames[std::string(name)][index] = value;
    }
    void aggregate(std::string_view name, double value) override { scores_.aggregates[std::string(name)] = value; }

  private:
    MetricScores &scores_;
};

} // namespace

std::vector<double> MetricScores::series(const std::string &name) const {
    const std::map<unsigned, double> &values = frames.at(name);
    std::vector<double> list;
    for (unsigned i = 0; i < values.size(); i++) list.push_back(values.at(i));
    return list;
}

FrameInput frame_input(const Metric &metric, const std::vector<Picture> &ref, const std::vector<Picture> &dist,
                       unsigned index, Parallel &parallel) {
    FrameInput frame{index, ref.at(index), dist.at(index), {}, {}, parallel};
    const History history = metric.history();
    for (unsigned k = 0; k < 2 && k < index; k++) {
        if (k < history.ref) frame.earlier_ref[k] = &ref[index - 1 - k];
        if (k < history.dist) frame.earlier_dist[k] = &dist[index - 1 - k];
    }
    return frame;
}

MetricScores run_metric(const MetricInfo &info, const OptionTexts &options, const std::vector<Picture> &ref,
                        const std::vector<Picture> &dist, Isa isa, Parallel &parallel) {
    const auto metric = info.create(OptionValues(info.name, info.options, options));
    metric->prepare(ref.at(0).format());
    const auto scorer = metric->make_scorer(isa);
    MetricScores scores;
    MapSink sink(scores);
    const std::vector<Picture> &second = dist.empty() ? ref : dist;
    for (unsigned i = 0; i < ref.size(); i++) {
        FrameResult result;
        scorer->measure(frame_input(*metric, ref, second, i, parallel), result);
        metric->emit(i, result, sink);
    }
    if (!ref.empty()) metric->flush(sink);
    return scores;
}

MetricScores run_metric(const MetricInfo &info, const OptionTexts &options, const std::vector<Picture> &ref,
                        const std::vector<Picture> &dist, Isa isa) {
    Parallel parallel;
    return run_metric(info, options, ref, dist, isa, parallel);
}

} // namespace vmaf
