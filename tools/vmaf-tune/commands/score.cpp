// `score`: two existing files (tune.md 12.3).
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "report/output_file.hpp"
#include "stages/alignment_check.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

json global_figures(const Series &values) {
    return {{"average", pooled(values, "mean")},   {"median", pooled(values, "median")},
            {"stdev", standard_deviation(values)}, {"min", pooled(values, "min")},
            {"max", pooled(values, "max")},        {"harmonic_mean", pooled(values, "harmonic")}};
}

// Refuses files that are out of step, or finds by how many frames (--align).
std::int64_t settle_alignment(Run &run, const Source &reference, const Source &distorted,
                              const ScoreSettings &settings) {
    const Options &o = run.options();
    if (o.align == "none" || o.dist_delay != 0) return 0;
    const AlignmentReport report = check_alignment(run.programs(), reference, settings.reference_filter, distorted);
    if (report.levels != LevelChange::none)
        run.progress().warn(
            "'" + distorted.path + "' has " + (report.levels == LevelChange::widened ? "a wider" : "a narrower") +
            " range of levels than the reference, as after a wrong conversion between limited and full range");
    const std::string sentence = report.sentence(distorted.path, reference.rate.value());
    if (sentence.empty()) return 0;
    if (o.align == "auto" && report.verdict == AlignmentReport::Verdict::offset) {
        run.progress().warn(sentence + "; that is corrected");
        return report.offset;
    }
    const std::string advice = report.verdict == AlignmentReport::Verdict::offset
                                   ? "; use --align auto to correct that, or --align none to score it as it is"
                                   : "; use --align none to score it all the same";
    throw CommandError(kExitFailed, sentence + advice);
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
    Run run(o, true);
    ScoreSettings settings = run.score_settings();
    settings.reference_filter = o.reference_vfilter.value_or(o.vfilter);
    Source reference = run.open_source(o.reference);
    if (!o.score_fps.empty()) reference.rate = reference.real_rate = parse_rational(o.score_fps);
    json results = json::array();
    bool failed = false;
    for (const std::string &path : o.distorted) {
        const Source distorted = run.open_source(path);
        if (o.score_fps.empty() && reference.rate.value() > 0 && distorted.rate.value() > 0 &&
            std::fabs(reference.rate.value() - distorted.rate.value()) > 0.001 * reference.rate.value())
            throw CommandError(kExitFailed, "the reference has " + reference.rate.text() + " frames/s, '" + path +
                                                "' " + distorted.rate.text() +
                                                "; frames of different rates cannot be paired by number: convert one "
                                                "of them, give --score-fps if only the tags are wrong, or use `vmaf`, "
                                                "which pairs by time");
        ScorePair pair{&reference, {}, &distorted, {}, 0};
        const auto count = [&](const Source &s) {
            return s.kind == Source::Kind::container ? video_packets(run.programs().ffprobe, s.path).packets
                                                     : s.frame_count();
        };
        const std::int64_t ref_frames = count(reference), dist_frames = count(distorted);
        const std::int64_t late = settle_alignment(run, reference, distorted, settings);
        pair.skip_distorted = std::max<std::int64_t>(0, late);
        pair.skip_reference = std::max<std::int64_t>(0, -late);
        if (ref_frames > 0 && dist_frames > 0 && std::llabs(ref_frames - dist_frames) > 1 && !o.allow_short &&
            o.dist_delay == 0 && late == 0)
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
                      {"alignment_frames", late},
                      {"global", json::object()},
                      {"frames", json::object()}};
        for (const MetricChoice &metric : settings.metrics) {
            const Series &values = scored.series.at(metric.series);
            entry["global"][metric.name] = global_figures(values);
            entry["frames"][metric.name] = values;
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
