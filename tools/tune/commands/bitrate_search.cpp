// Finds the quality with the bitrate closest to a wish (tune.md 9.11).
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/seconds.hpp"
#include "commands/quality_search.hpp"
#include "stages/conditions.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

void fill_from(SearchReport &report, const ProbeSetup &setup, const ProbeResult &probe) {
    report.status = SearchStatus::ok;
    if (!setup.encode.bitrate_kbps) report.q = probe.q;
    report.score = probe_score(setup, probe, setup.score.metrics.front().name, setup.pool);
    report.margin = probe.bitrate_kbps() - report.target;
    report.bitrate_kbps = probe.bitrate_kbps();
    report.prediction = predict_whole(setup, probe);
    report.encode_seconds = probe.encode_seconds;
    report.encoder_version = probe.encoder_version;
    report.scored = conditions_line(setup, probe);
    report.conditions = conditions_json(setup, probe).dump();
}

} // namespace

SearchReport search_bitrate(Run &run, const SearchOptions &o, const ProbeSetup &base, double wish,
                            const ProbeListener &on_probe) {
    ProbeSetup setup = base;
    const Adapter &adapter = *setup.encode.adapter;
    SearchReport report;
    report.target = wish;
    const auto started = std::chrono::steady_clock::now();
    const std::string label = adapter.name + " " + adapter.knob;
    run.show_progress(setup, label);
    const auto measure = [&](double q) {
        run.check_interrupted();
        report.probes.push_back(run_probe(setup, q));
        const ProbeResult &probe = report.probes.back();
        report.elapsed = seconds_since(started);
        if (on_probe) on_probe(probe);
        if (!probe.ok()) {
            run.check_interrupted();
            report.outcome = probe.outcome;
            report.reason = probe.outcome.sentence;
            return false;
        }
        run.progress().probe_done(
            setup.source.path,
            {{"q", probe.q}, {"bitrate_kbps", probe.bitrate_kbps()}, {"from_cache", probe.from_cache}},
            label + " " + number_text(probe.q) + ": " + fixed_text(probe.bitrate_kbps(), 1) + " kbps");
        return true;
    };
    if (setup.encode.bitrate_kbps) { // the encoder's own rate control: one probe gives its score
        if (measure(adapter.default_q)) fill_from(report, setup, report.probes.back());
        return report;
    }

    // A bracket on the grid, narrowed by interpolation in log bitrate.
    const QualityGrid grid(adapter, o, adapter.step);
    std::map<int, std::size_t> at;           // k -> probe
    int above = -1, below = grid.last() + 1; // bitrate at least the wish; below it
    int next = grid.nearest(adapter.default_q);
    const auto kbps = [&](int k) { return report.probes[at.at(k)].bitrate_kbps(); };
    while (below - above > 1) {
        at[next] = report.probes.size();
        if (!measure(grid.q(next))) return report;
        if (report.probes.back().backend != report.probes.front().backend) { // lost: never mix backends (7.6)
            report.probes.clear();
            at.clear();
            above = -1;
            below = grid.last() + 1;
            next = grid.nearest(adapter.default_q);
            continue;
        }
        (kbps(next) >= wish ? above : below) = next;
        double cut = (double(above) + below) / 2;
        if (above >= 0 && below <= grid.last()) {
            const double a = std::log(kbps(above)), b = std::log(kbps(below));
            if (a > b) cut = above + (below - above) * (a - std::log(wish)) / (a - b);
        }
        next = std::clamp(static_cast<int>(std::lround(cut)), above + 1, std::max(above + 1, below - 1));
    }
    // The closer of the two; the better quality on a tie.
    int chosen = above >= 0 ? above : below;
    if (above >= 0 && below <= grid.last() && std::fabs(kbps(below) - wish) < std::fabs(kbps(above) - wish))
        chosen = below;
    report.at_bound = chosen == 0 || chosen == grid.last();
    fill_from(report, setup, report.probes[at.at(chosen)]);
    return report;
}

} // namespace vmaf::tune
