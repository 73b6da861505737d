// `score`: two existing files (tune.md 12.3).
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "report/output_file.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

json global_figures(const Series &values) {
    return {{"average", pooled(values, "mean")},   {"median", pooled(values, "median")},
            {"stdev", standard_deviation(values)}, {"min", pooled(values, "min")},
            {"max", pooled(values, "max")},        {"harmonic_mean", pooled(values, "harmonic")}};
}

// Whether shifting one video by a few frames would fit better: the commonest way to get wrong scores.
void check_alignment(Run &run, const std::string &path, const Series &psnr) {
    if (psnr.size() < 8) return;
    Series sorted = psnr;
    std::sort(sorted.begin(), sorted.end());
    if (sorted[sorted.size() / 2] < 22)
        run.progress().warn("'" + path + "' looks very different from the reference (median PSNR " +
                            number_text(std::round(sorted[sorted.size() / 2] * 10) / 10) +
                            " dB); if it is delayed, give --dist-delay");
}

} // namespace

int run_score_command(const Options &options) {
    Options o = options;
    std::istringstream list(o.metrics);
    o.also.clear();
    std::vector<std::string> names;
    for (std::string name; std::getline(list, name, ',');)
        if (!name.empty()) names.push_back(name);
    if (names.empty()) throw usage_error("--metrics is empty");
    o.metric = names.front();
    o.also.assign(names.begin() + 1, names.end());
    Run run(o, false, true);
    ScoreSettings settings = run.score_settings();
    settings.reference_filter = o.reference_vfilter.value_or(o.vfilter);
    const Source reference = run.open_source(o.reference);
    json results = json::array();
    bool failed = false;
    for (const std::string &path : o.distorted) {
        const Source distorted = run.open_source(path);
        if (reference.rate.value() > 0 && distorted.rate.value() > 0 &&
            std::fabs(reference.rate.value() - distorted.rate.value()) > 0.001 * reference.rate.value())
            throw usage_error("the reference has " + reference.rate.text() + " frames/s, '" + path + "' " +
                              distorted.rate.text() +
                              "; frames cannot be paired: convert one of them, or give --framerate to both");
        ScorePair pair{&reference, {}, &distorted, {}, 0};
        const auto count = [&](const Source &s) {
            return s.kind == Source::Kind::container ? video_packets(run.programs().ffprobe, s.path).packets
                                                     : s.frame_count();
        };
        const std::int64_t ref_frames = count(reference), dist_frames = count(distorted);
        if (ref_frames > 0 && dist_frames > 0 && std::llabs(ref_frames - dist_frames) > 1 && !o.allow_short &&
            o.dist_delay == 0)
            throw CommandError(kExitFailed, "frame count mismatch: reference " + std::to_string(ref_frames) +
                                                ", distorted " + std::to_string(dist_frames) +
                                                "; check for dropped or repeated frames, or use --allow-short");
        const ScoreResult scored = run_score(run.programs(), pair, settings);
        run.check_interrupted();
        if (!scored.ok()) {
            failed = true;
            std::fprintf(stderr, "vmaf-tune score: %s: %s\n", path.c_str(), scored.error.c_str());
            continue;
        }
        for (const std::string &warning : scored.warnings) run.progress().warn(warning);
        json entry = {{"reference", reference.path},
                      {"distorted", path},
                      {"model", scored.model},
                      {"metric", settings.metrics.front().name},
                      {"framerate", reference.rate.value()},
                      {"reference_vfilter", settings.reference_filter},
                      {"score_backend", scored.backend_used},
                      {"score_scale", scored.scale_note},
                      {"scored_frames", scored.frames},
                      {"global", json::object()},
                      {"frames", json::object()}};
        for (const MetricChoice &metric : settings.metrics) {
            const Series &values = scored.series.at(metric.series);
            entry["global"][metric.name] = global_figures(values);
            entry["frames"][metric.name] = values;
            if (metric.name == "psnr") check_alignment(run, path, values);
        }
        results.push_back(std::move(entry));
    }
    const std::string format = o.format.empty() ? (o.json ? "json" : "human") : o.format;
    std::string text;
    if (format == "json") {
        text = (results.size() == 1 ? results[0] : results).dump(2) + "\n";
    } else if (format == "csv") {
        text = "distorted,metric,frame,value\n";
        for (const json &entry : results)
            for (const auto &[name, values] : entry["frames"].items())
                for (std::size_t i = 0; i < values.size(); i++)
                    text += entry["distorted"].get<std::string>() + "," + name + "," + std::to_string(i) + "," +
                            values[i].dump() + "\n";
    } else {
        for (const json &entry : results)
            for (const auto &[name, figures] : entry["global"].items()) {
                char line[300];
                std::snprintf(
                    line, sizeof line, "%s: %s %.6f (min %.4f, median %.4f, max %.4f; %lld frames, %s)\n",
                    entry["distorted"].get<std::string>().c_str(), name.c_str(), figures["average"].get<double>(),
                    figures["min"].get<double>(), figures["median"].get<double>(), figures["max"].get<double>(),
                    entry["scored_frames"].get<long long>(), entry["score_backend"].get<std::string>().c_str());
                text += line;
            }
    }
    vmaf::write_output_file(o.output.empty() ? "-" : o.output, [&](const auto &out) { out(text); });
    if (!o.frames_out.empty())
        vmaf::write_output_file(o.frames_out, [&](const auto &out) {
            for (const json &entry : results) out(entry.dump() + "\n");
        });
    return failed ? kExitFailed : kExitOk;
}

} // namespace vmaf::tune
