#include "commands/search.hpp"

#include <algorithm>

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_answers.hpp"
#include "commands/search_result.hpp"
#include "rows/row.hpp"
#include "system/terminal.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::vector<std::string> list_or(const std::vector<std::string> &list, const std::string &fallback) {
    return list.empty() ? std::vector<std::string>{fallback} : list;
}

void warn_if_larger(Run &run, const SearchReport &report) {
    if (!report.failed && report.prediction.percent > 100)
        run.progress().warn("the encode will be larger than the source (" + fixed_text(report.prediction.percent, 0) +
                            " %); a lower target, a better encoder or keeping the source may serve better");
}

// One source, encoder and preset.
int search_one(Run &run, const SearchRequest &o, const ProbeSetup &setup, std::vector<QualityTarget> targets,
               RowWriter *rows) {
    const ProbeListener listen = [&](const ProbeResult &probe) { // told at once (9.12)
        if (rows) rows->write(make_row(setup, probe));
        if (!o.json) return;
        json line = probe_json(setup, probe, targets.front());
        line["type"] = "probe";
        print_line(line.dump());
    };
    SearchReport report;
    if (o.target_bitrate) {
        report = search_bitrate(run, o, setup, *o.target_bitrate, listen);
    } else {
        QualitySearch search(run, o, setup, targets, setup.encode.adapter->step);
        search.on_probe = listen;
        report = search.find(targets);
        for (std::size_t i = 0; i < o.fallback_targets.size() && !report.failed && report.status == SearchStatus::unmet;
             i++) {
            run.progress().say("vmaf-tune search: " + targets.front().metric + " " +
                               number_text(targets.front().value) + " is not reached; trying the fallback " +
                               number_text(o.fallback_targets[i]));
            targets.front().value = o.fallback_targets[i];
            report = search.find(targets, report.q);
        }
    }
    json object = search_json(setup, report, targets);
    if (o.target_bitrate) object["target_bitrate_kbps"] = *o.target_bitrate;
    if (o.json) {
        print_line(row_text(object));
    } else {
        if (!report.failed && !report.probes.empty()) {
            print_line(answer_sentence(setup, report, targets));
            print_line(report.scored);
        }
        // For parsers; people have the sentence.
        if (report.failed || !system::is_terminal(system::Stream::output))
            print_line(search_line(setup, report, targets.front()));
        warn_if_larger(run, report);
        if (!report.ok() && !report.failed)
            run.progress().say("vmaf-tune search: no suitable quality: " + report.reason);
        if (report.ok() && system::is_terminal(system::Stream::output)) run.progress().say("encode it with:");
        if (report.ok()) print_line(shell_quoted(encode_hint(o, setup, report)));
    }
    object["type"] = "search-done";
    run.progress().event(object);
    if (report.failed) return exit_code_of_status(report.failure_status);
    return report.ok() || o.best_effort ? kExitOk : kExitUnmet;
}

int run_search(const SearchRequest &given) {
    SearchRequest o = given;
    read_source_list(o);
    take_metric_of_targets(o, o);
    check_files(files_of(o));
    if (o.target_bitrate && (o.target_vmaf || !o.targets.empty()))
        throw usage_error("--target-bitrate and a quality target exclude each other; use --max-bitrate for a limit");
    if (o.target_bitrate && !(*o.target_bitrate > 0)) throw usage_error("--target-bitrate must be positive");
    if (!o.from_corpus.empty()) return search_corpus(o);
    if (o.sources.empty()) throw usage_error("give a source with -i, or --from-corpus");
    if (o.two_pass && !o.target_bitrate)
        throw usage_error("a search for a quality needs a quality value, --two-pass a bitrate: give --target-bitrate, "
                          "or use `vmaf-tune encode --two-pass --bitrate`");
    if (o.two_pass) o.bitrate = static_cast<unsigned>(std::max(1.0, *o.target_bitrate + 0.5));
    // A bitrate stands in where one is wished.
    const std::vector<QualityTarget> targets = quality_targets(o, o, o.target_bitrate);
    Run run(o, true);
    std::unique_ptr<RowWriter> rows;
    if (!o.output.empty())
        rows = std::make_unique<RowWriter>(o.output, o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::fresh);
    // What is wrong with a source or an encoder shows before the first probe.
    std::vector<Source> sources;
    for (const std::string &path : o.sources) sources.push_back(run.open_source(path));
    std::vector<const Adapter *> encoders;
    for (const std::string &encoder : list_or(o.encoders, "libx264")) encoders.push_back(&run.adapter(encoder));
    int worst = kExitOk;
    for (const Source &source : sources)
        for (const Adapter *used : encoders)
            for (const std::string &preset : list_or(o.presets, "")) {
                const Adapter &adapter = *used;
                const ProbeSetup setup = run.setup(source, adapter, preset, true);
                if (o.dry_run) {
                    const QualityGrid grid(adapter, o, adapter.step);
                    print_probe_commands(setup, grid.q(grid.last() / 2));
                } else {
                    worst = std::max(worst, search_one(run, o, setup, targets, rows.get()));
                }
            }
    return worst;
}

void bind_search_command(CLI::App &app, SearchRequest &o) {
    bind_encoding_command(app, o, {.several_sources = true, .several_encoders = true});
    bind_source_list(app, o);
    bind_search(app, o);
    add_option(app, "--target-bitrate", o.target_bitrate, "bitrate to approach in kbps, instead of a quality")
        ->group("Search");
    add_option(app, "--from-corpus", o.from_corpus, "answer from existing rows; encode nothing")->group("Search");
    app.add_flag("--interpolate", o.interpolate, "with --from-corpus: interpolate between rows")->group("Search");
    app.add_flag("--allow-mixed-models", o.allow_mixed_models,
                 "with --from-corpus: accept different models or scoring conditions, each apart")
        ->group("Search");
    bind_rows(app, o);
    bind_older_flags(app, o, &o);
}

} // namespace

CommandFiles files_of(const SearchRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.inputs.push_back({"the rows", o.from_corpus});
    return files;
}

void add_search(Commands &commands) {
    commands.add<SearchRequest>({"search",
                                 "the quality value that just meets a target",
                                 {"recommend", "bisect", "crf-search"},
                                 "  vmaf-tune search -i film.mkv -e libsvtav1 --target-vmaf 95\n"
                                 "  vmaf-tune search -i film.mkv --target \"vmaf>=95\" --target \"vmaf:min>=80\"\n"
                                 "  vmaf-tune search --from-corpus corpus.jsonl --target-vmaf 93"},
                                bind_search_command, run_search);
}

} // namespace vmaf::tune
