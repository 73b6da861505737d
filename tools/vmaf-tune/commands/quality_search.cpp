#include "commands/quality_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace vmaf::tune {

using nlohmann::json;

QualityTarget parse_target(const std::string &text, const std::string &default_pool) {
    const std::size_t at = text.find(">=") != std::string::npos ? text.find(">=") : text.find("<=");
    if (at == std::string::npos)
        throw usage_error("--target " + text + " is not of the form METRIC>=VALUE or METRIC:POOL>=VALUE");
    QualityTarget target;
    target.metric = text.substr(0, at);
    target.pool = default_pool;
    if (const std::size_t colon = target.metric.find(':'); colon != std::string::npos) {
        target.pool = target.metric.substr(colon + 1);
        target.metric.resize(colon);
    }
    char *end = nullptr;
    target.value = std::strtod(text.c_str() + at + 2, &end);
    if (*end || end == text.c_str() + at + 2) throw usage_error("--target " + text + ": the value is not a number");
    const auto metric = metric_choice(target.metric);
    if (!metric) throw usage_error("--target " + text + ": the metric '" + target.metric + "' is not known");
    if (metric->lower_is_better != (text.substr(at, 2) == "<="))
        throw usage_error("--target " + text + ": for " + target.metric +
                          (metric->lower_is_better ? " lower" : " higher") + " is better; write " +
                          (metric->lower_is_better ? "<=" : ">="));
    try {
        pooled({1.0}, target.pool);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    return target;
}

std::vector<QualityTarget> quality_targets(const Options &options, std::optional<double> fallback) {
    std::vector<QualityTarget> targets;
    if (options.target_vmaf) targets.push_back({options.metric, options.pool, *options.target_vmaf});
    for (const std::string &text : options.targets) targets.push_back(parse_target(text, options.pool));
    if (targets.empty() && fallback) targets.push_back({options.metric, options.pool, *fallback});
    if (targets.empty()) throw usage_error("no target: give --target-vmaf 95, or --target \"vmaf>=95\"");
    return targets;
}

QualityGrid::QualityGrid(const Adapter &adapter, const Options &options, double default_step)
    : low_(options.min_q.value_or(adapter.search.low)), high_(options.max_q.value_or(adapter.search.high)),
      step_(options.q_step.value_or(default_step)), higher_is_better_(adapter.higher_is_better) {
    const std::string knob(adapter.knob);
    if (low_ < adapter.hard.low || high_ > adapter.hard.high)
        throw usage_error(adapter.name + ": " + knob + " goes from " + number_text(adapter.hard.low) + " to " +
                          number_text(adapter.hard.high) + "; check --min-q and --max-q");
    if (!(low_ <= high_)) throw usage_error("--min-q is above --max-q");
    if (!(step_ > 0)) throw usage_error("--q-step must be positive");
    last_ = static_cast<int>(std::floor((high_ - low_) / step_ + 1e-9));
}

double QualityGrid::q(int k) const {
    const int from_low = higher_is_better_ ? last_ - k : k;
    return std::round((low_ + from_low * step_) * 1e6) / 1e6; // 0.1 steps without dust
}

int QualityGrid::nearest(double q) const {
    const int from_low = static_cast<int>(std::lround((q - low_) / step_));
    return std::clamp(higher_is_better_ ? last_ - from_low : from_low, 0, last_);
}

double probe_score(const ProbeResult &probe, const std::string &metric, const std::string &pool) {
    const auto series = probe.series.find(metric);
    if (series == probe.series.end()) throw CommandError(kExitInternal, "no series of " + metric);
    return pooled(series->second, pool);
}

double predicted_size(const ProbeSetup &setup, const ProbeResult &probe) {
    if (setup.clip_mode == "full" || probe.encoded_duration <= 0) return double(probe.stream_bytes);
    return double(probe.stream_bytes) * setup.source.duration / probe.encoded_duration;
}

const char *status_word(const SearchReport &report) {
    if (report.failed) return "failed";
    switch (report.status) {
    case SearchStatus::ok: return "ok";
    case SearchStatus::no_solution: return "no_solution";
    default: return "unmet";
    }
}

namespace {

// How far a probe is above all targets, in the sense in which higher is better.
double margin_of(const ProbeResult &probe, const std::vector<QualityTarget> &targets) {
    double margin = std::numeric_limits<double>::infinity();
    for (const QualityTarget &t : targets) {
        const double score = probe_score(probe, t.metric, t.pool);
        margin = std::min(margin, metric_choice(t.metric)->lower_is_better ? t.value - score : score - t.value);
    }
    return margin;
}

std::string probe_line(const ProbeSetup &setup, const ProbeResult &probe, const QualityTarget &target, bool passes) {
    char text[200];
    std::snprintf(text, sizeof text, "%s %s: %s %.4f, %.1f kbps%s%s", std::string(setup.encode.adapter->knob).c_str(),
                  number_text(probe.q).c_str(), target.metric.c_str(), probe_score(probe, target.metric, target.pool),
                  probe.bitrate_kbps(), passes ? "" : " (below target)", probe.from_cache ? " [cached]" : "");
    return text;
}

double resolution_hint(const Source &source, const Adapter &adapter) {
    const double offset = source.height >= 2160 ? -2 : source.height >= 1080 ? 0 : source.height >= 720 ? 2 : 4;
    return adapter.default_q + (adapter.higher_is_better ? -offset : offset);
}

} // namespace

SearchReport search_quality(Run &run, const ProbeSetup &base, const std::vector<QualityTarget> &targets,
                            double default_step, std::optional<double> hint) {
    const Options &o = run.options();
    ProbeSetup setup = base;
    for (const QualityTarget &t : targets) { // every target's metric is measured
        const bool known = std::any_of(setup.score.metrics.begin(), setup.score.metrics.end(),
                                       [&](const MetricChoice &m) { return m.name == t.metric; });
        if (!known) setup.score.metrics.push_back(*metric_choice(t.metric));
    }
    const Adapter &adapter = *setup.encode.adapter;
    const QualityGrid grid(adapter, o, default_step);
    const QualityTarget &first = targets.front();
    const MetricChoice metric = *metric_choice(first.metric);
    const bool single = targets.size() == 1 && !metric.lower_is_better;

    SearchSettings settings;
    settings.last = grid.last();
    settings.target = single ? first.value : 0; // several targets: the smallest margin must not be negative
    settings.bounded_by_100 = single && metric.bounded_by_100;
    settings.tolerance = o.thorough ? 0 : o.tolerance.value_or(grid.step() < 1 ? 0.1 : 0);
    settings.noise = o.noise;
    settings.max_iterations = o.max_iterations;
    settings.coarse_step = std::max(1, static_cast<int>(std::lround(10 / grid.step())));
    settings.start = grid.nearest(o.start_q ? *o.start_q : hint ? *hint : resolution_hint(setup.source, adapter));
    auto search = make_search(*search_method(o.search), settings);

    SearchReport report;
    const auto started = std::chrono::steady_clock::now();
    const double max_bytes = o.max_size.empty() ? 0 : parse_size(o.max_size);
    std::map<int, std::size_t> at; // k -> probe
    const std::string label = setup.encode.adapter->name + " " + std::string(adapter.knob);
    setup.progress = [&](const StageProgress &p) { run.progress().stage(label, p); };
    while (const auto k = search->next()) {
        run.check_interrupted();
        const ProbeResult probe = run_probe(setup, grid.q(*k));
        if (probe.ok() && !report.probes.empty() && probe.backend != report.probes.front().backend) {
            // A backend was lost: scores of one search are not mixed, so it begins again on the other (7.6).
            report.probes.clear();
            at.clear();
            for (const std::string &warning : probe.warnings) run.progress().warn(warning);
            search = make_search(*search_method(o.search), settings);
            continue;
        }
        at[*k] = report.probes.size();
        report.probes.push_back(probe);
        if (!probe.ok()) {
            if (interruption::requested()) run.check_interrupted();
            report.failed = true;
            report.error = probe.error;
            report.reason = probe.error;
            break;
        }
        for (const std::string &warning : probe.warnings) run.progress().warn(warning);
        const double bytes = predicted_size(setup, probe);
        bool fits = true;
        if (o.max_bitrate && probe.bitrate_kbps() > *o.max_bitrate) fits = false;
        if (max_bytes > 0 && bytes > max_bytes) fits = false;
        if (o.max_encoded_percent && setup.source.file_bytes > 0 &&
            100 * bytes / double(setup.source.file_bytes) > *o.max_encoded_percent)
            fits = false;
        const double margin = margin_of(probe, targets);
        search->add(*k, {single ? probe_score(probe, first.metric, first.pool) : margin, fits});
        run.progress().probe_done(
            setup.source.path,
            {{"q", probe.q},
             {"score", probe_score(probe, first.metric, first.pool)},
             {"bitrate_kbps", probe.bitrate_kbps()},
             {"passes", margin >= 0 && fits},
             {"from_cache", probe.from_cache}},
            label + " " + probe_line(setup, probe, first, margin >= 0).substr(std::string(adapter.knob).size() + 1));
    }
    report.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    report.target = first.value;
    if (report.failed) return report;

    const SearchAnswer answer = search->answer();
    report.status = answer.status;
    report.at_bound = answer.at_bound;
    report.plateau = answer.plateau;
    report.non_monotone = answer.non_monotone;
    if (answer.non_monotone)
        run.progress().warn("quality does not fall steadily with " + std::string(adapter.knob) +
                            " on this content; the answer holds for what was measured");
    const std::optional<int> chosen = answer.k ? answer.k : answer.best_passing;
    if (!chosen) return report;
    const ProbeResult &probe = report.probes[at.at(*chosen)];
    report.q = probe.q;
    report.score = probe_score(probe, first.metric, first.pool);
    report.margin = margin_of(probe, targets);
    report.bitrate_kbps = probe.bitrate_kbps();
    report.predicted_bytes = predicted_size(setup, probe);
    report.predicted_percent =
        setup.source.file_bytes ? 100 * report.predicted_bytes / double(setup.source.file_bytes) : 0;
    report.predicted_seconds =
        probe.encoded_duration > 0 ? probe.encode_seconds * setup.source.duration / probe.encoded_duration : 0;
    report.encode_seconds = probe.encode_seconds;
    report.encode_fps = probe.encode_seconds > 0 ? double(probe.encoded_frames) / probe.encode_seconds : 0;
    report.encoder_version = probe.encoder_version;
    if (answer.status == SearchStatus::unmet)
        report.reason = "the best allowed " + std::string(adapter.knob) + " " + number_text(probe.q) + " reaches " +
                        first.metric + " " + number_text(report.score) + ", below the target of " +
                        number_text(first.value);
    if (answer.status == SearchStatus::no_solution) {
        report.reason = std::string(adapter.knob) + " " + number_text(probe.q) +
                        " meets the target but is too large (" + number_text(std::round(report.bitrate_kbps)) +
                        " kbps)";
        if (answer.best_fitting) {
            const ProbeResult &fitting = report.probes[at.at(*answer.best_fitting)];
            report.reason += "; " + std::string(adapter.knob) + " " + number_text(fitting.q) +
                             " fits but reaches only " + number_text(probe_score(fitting, first.metric, first.pool));
        }
    }
    return report;
}

json search_json(const ProbeSetup &setup, const SearchReport &r, const std::vector<QualityTarget> &targets) {
    json probes = json::array();
    for (const ProbeResult &p : r.probes)
        probes.push_back(
            {{"q", p.q},
             {"score", p.ok() ? json(probe_score(p, targets.front().metric, targets.front().pool)) : json(nullptr)},
             {"bitrate_kbps", p.bitrate_kbps()},
             {"from_cache", p.from_cache},
             {"exit_status", p.status}});
    json object = {{"type", "search-result"},
                   {"src", setup.source.path},
                   {"encoder", setup.encode.adapter->name},
                   {"preset", setup.encode.preset},
                   {"q_knob", setup.encode.adapter->knob},
                   {"metric", targets.front().metric},
                   {"pool", targets.front().pool},
                   {"target", r.target},
                   {"status", status_word(r)},
                   {"probes", probes},
                   {"non_monotone", r.non_monotone},
                   {"plateau", r.plateau},
                   {"at_bound", r.at_bound},
                   {"elapsed_s", r.elapsed},
                   {"score_backend", r.probes.empty() ? setup.score.backend : r.probes.back().backend},
                   {"reason", r.reason}};
    const bool has_point = !r.failed && !r.probes.empty();
    for (const auto &[key, value] :
         {std::pair("q", r.q), std::pair("score", r.score), std::pair("margin", r.margin),
          std::pair("bitrate_kbps", r.bitrate_kbps), std::pair("predicted_size_bytes", std::round(r.predicted_bytes)),
          std::pair("predicted_percent", r.predicted_percent), std::pair("predicted_seconds", r.predicted_seconds)})
        object[key] = has_point ? json(value) : json(nullptr);
    return object;
}

Arguments encode_hint(const Options &o, const ProbeSetup &setup, double q) {
    Arguments command = {"vmaf-tune", "encode", "-i", setup.source.path};
    if (setup.source.kind == Source::Kind::raw)
        command.insert(command.end(),
                       {"--width", std::to_string(setup.source.width), "--height", std::to_string(setup.source.height),
                        "--pix-fmt", setup.source.pix_fmt, "--framerate", setup.source.rate.text()});
    command.insert(command.end(),
                   {"-e", setup.encode.adapter->name, "--preset", setup.encode.preset, "--crf", number_text(q)});
    for (const std::string &item : o.enc) command.insert(command.end(), {"--enc", item});
    if (!o.vfilter.empty()) command.insert(command.end(), {"--vfilter", o.vfilter});
    return command;
}

} // namespace vmaf::tune
