// `sample`: score and prediction at one quality value (tune.md 12.3).
#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/search_result.hpp"
#include "rows/row.hpp"
#include "stages/conditions.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

struct SampleRequest : ProbeRequest {};

int run_sample(const SampleRequest &o) {
    if (o.q_values.size() != 1) throw usage_error("sample needs one --crf");
    Run run(o, true);
    const Source source = run.open_source(o.sources.at(0));
    const Adapter &adapter = run.only_adapter();
    ProbeSetup setup = run.setup(source, adapter, run.only_preset(), true);
    run.show_progress(setup, adapter.name);
    adapter.codec_arguments(setup.encode.preset, o.q_values[0]); // refuses values outside the encoder's range
    if (o.dry_run) {
        print_probe_commands(setup, o.q_values[0]);
        return kExitOk;
    }
    const ProbeResult probe = run.probe(setup, o.q_values[0]);
    const Prediction whole = predict_whole(setup, probe);
    json row = make_row(setup, probe);
    row["type"] = "sample-done";
    row["predicted_size_bytes"] = std::round(whole.bytes);
    row["predicted_percent"] = whole.percent;
    row["predicted_seconds"] = whole.seconds;
    run.progress().event(row);
    if (o.json)
        print_line(json_line(row));
    else {
        std::string scores;
        for (const MetricChoice &metric : setup.score.metrics)
            scores += " " + metric.name + "=" + fixed_text(probe_score(setup, probe, metric.name, o.pool), 4);
        print_line(adapter.knob + "=" + number_text(probe.q) + scores + " kbps=" + fixed_text(probe.bitrate_kbps(), 1) +
                   " predicted_size=" + human_size(whole.bytes) + " (" + fixed_text(whole.percent, 1) +
                   "%) predicted_time=" + fixed_text(whole.seconds, whole.seconds < 1 ? 2 : 0) + "s" +
                   (probe.from_cache ? " [cached]" : ""));
        print_line(conditions_line(setup, probe));
    }
    return kExitOk;
}

void bind_sample(CLI::App &app, SampleRequest &o) {
    bind_encoding_command(app, o, {});
    add_option(app, "--crf", o.q_values, "quality value (also --q)")->required();
    bind_rows(app, o);
    bind_older_flags(app, o);
}

} // namespace

void add_sample(Commands &commands) {
    commands.add<SampleRequest>({"sample",
                                 "score and predicted size at one quality value",
                                 {"sample-encode"},
                                 "  vmaf-tune sample -i film.mkv --crf 24\n"
                                 "  vmaf-tune sample -i film.mkv -e libsvtav1 --crf 35 --samples 3\n"
                                 "  vmaf-tune sample -i film.mkv --crf 24 --sample-mode scenes --json"},
                                bind_sample, run_sample);
}

} // namespace vmaf::tune
