#include "stages/aggregate.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace vmaf::tune {

namespace {

const Series &series_of(const ProbeResult &probe, const std::string &metric) {
    const auto found = probe.series.find(metric);
    if (found == probe.series.end()) throw invalid("there are no values of " + metric);
    return found->second;
}

// Bytes of the source that a sample represents.
double bytes_of(const Sample &sample) {
    const auto all = double(sample.source.file_bytes);
    const std::int64_t frames = sample.source.frame_count();
    if (sample.window.full() || frames <= 0) return all;
    return all * double(sample.window.frames) / double(frames);
}

} // namespace

std::vector<double> sample_scores(const ProbeResult &probe, const std::string &metric, const std::string &pool) {
    const Series &all = series_of(probe, metric);
    std::vector<double> scores;
    std::size_t at = 0;
    for (const SampleResult &sample : probe.samples) {
        const std::size_t end = std::min(all.size(), at + static_cast<std::size_t>(sample.scored_frames));
        scores.push_back(
            pooled_metric(metric, Series(all.begin() + std::ptrdiff_t(at), all.begin() + std::ptrdiff_t(end)), pool));
        at = end;
    }
    return scores;
}

std::size_t worst_sample(const ProbeResult &probe, const std::string &metric, const std::string &pool) {
    const std::vector<double> scores = sample_scores(probe, metric, pool);
    const bool lower_is_better = metric_choice(metric)->lower_is_better;
    const auto worst = lower_is_better ? std::ranges::max_element(scores) : std::ranges::min_element(scores);
    return static_cast<std::size_t>(worst - scores.begin());
}

double aggregated(const ProbeResult &probe, const std::string &metric, const std::string &pool, SampleAggregate how) {
    if (how == SampleAggregate::pooled || probe.samples.size() < 2)
        return pooled_metric(metric, series_of(probe, metric), pool);
    const std::vector<double> scores = sample_scores(probe, metric, pool);
    if (how == SampleAggregate::worst) return scores[worst_sample(probe, metric, pool)];
    return pooled(scores, "mean");
}

Prediction predict_whole(const ProbeSetup &setup, const ProbeResult &probe) {
    Prediction p;
    double input = 0;
    for (const Sample &sample : setup.samples) input += bytes_of(sample);
    const double scale =
        setup.clip_mode == "full" || probe.encoded_duration <= 0 ? 1 : setup.source.duration / probe.encoded_duration;
    p.percent = input > 0 ? 100 * double(probe.stream_bytes) / input : 0;
    p.bytes = double(probe.stream_bytes) * scale;
    if (p.percent > 0 && setup.source.file_bytes > 0)
        p.bytes = std::min(p.bytes, double(setup.source.file_bytes) * p.percent / 100);
    p.seconds = probe.encode_seconds * scale;
    if (p.seconds > 1) p.seconds = std::round(p.seconds);
    return p;
}

} // namespace vmaf::tune
