#include "commands/search.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_answers.hpp"
#include "commands/search_result.hpp"
#include "rows/row.hpp"
#include "system/terminal.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::vector<std::string> list_or(const std::vector<std::string> &list, const std::string &fallback) {
    return list.empty() ? std::vector<std::string>{fallback} : list;
}

void warn_if_larger(Run &run, const SearchReport &report) {
    if (!report.failed() && report.prediction.percent > 100)
        run.progress().warn("the encode will be larger than the source (" + fixed_text(report.prediction.percent, 0) +
                            " %); a lower target, a better encoder or keeping the source may serve better");
}

// The request with defaults applied. Throws CommandError.
SearchRequest checked(const SearchRequest &given) {
    SearchRequest o = given;
    read_source_list(o);
    take_metric_of_targets(o, o);
    check_files(files_of(o));
    if (o.target_bitrate && (o.target_vmaf || !o.targets.empty()))
        throw usage_error("--target-bitrate and a quality target exclude each other; use --max-bitrate for a limit");
    if (o.target_bitrate && !(*o.target_bitrate > 0)) throw usage_error("--target-bitrate must be positive");
    if (!o.from_corpus.empty()) return o;
    if (o.sources.empty()) throw usage_error("give a source with -i, or --from-corpus");
    if (o.two_pass && !o.target_bitrate)
        throw usage_error("a search for a quality needs a quality value, --two-pass a bitrate: give --target-bitrate, "
                          "or use `vmaf-tune encode --two-pass --bitrate`");
    if (o.two_pass) o.bitrate = static_cast<unsigned>(std::max(1.0, *o.target_bitrate + 0.5));
    return o;
}

// A search per source, encoder and preset.
class SearchJob : public Job {
  public:
    explicit SearchJob(const SearchRequest &o) : SearchJob(std::make_unique<const SearchRequest>(checked(o))) {}

    void check_outputs() override {
        if (o_.output.empty()) return;
        const auto mode = o_.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::fresh;
        if (is_local_)
            writer_ = std::make_unique<RowWriter>(o_.output, mode);
        else
            check_result(o_, o_.output);
    }

    void print_commands() override {
        for (const json &unit : units()) {
            const ProbeSetup setup = setup_of(unit);
            const QualityGrid grid(*setup.encode.adapter, o_, setup.encode.adapter->step);
            print_probe_commands(setup, grid.q(grid.last() / 2));
        }
    }

    std::vector<json> next(const JobRows &so_far) override { return so_far.empty() ? units() : std::vector<json>{}; }

    std::vector<json> run(const json &unit, const JobRows &) override {
        const ProbeSetup setup = setup_of(unit);
        std::vector<QualityTarget> targets = targets_;
        text_.clear();
        std::vector<json> rows;
        const ProbeListener listen = [&](const ProbeResult &probe) { // reported immediately (9.12)
            if (writer_) writer_->write(make_row(setup, probe));
            if (!is_local_ && !o_.output.empty()) rows.push_back(make_row(setup, probe));
            if (!o_.json) return;
            json line = probe_json(setup, probe, targets.front());
            line["type"] = "probe";
            print(line.dump());
        };
        const SearchReport report = find(setup, targets, listen);
        json object = search_json(setup, report, targets);
        if (o_.target_bitrate) object["target_bitrate_kbps"] = *o_.target_bitrate;
        tell(setup, report, targets, object);
        object["type"] = "search-done";
        run_.progress().event(object);
        const ExitCode code = report.failed()                 ? report.outcome.exit_code()
                              : report.ok() || o_.best_effort ? kExitOk
                                                              : kExitUnmet;
        return {{{"text", text_}, {"rows", rows}, {"exit_code", code}, {"exit_status", report.outcome.row_status()}}};
    }

    Answer result(const JobRows &units) override {
        Answer answer;
        std::string rows;
        for (const UnitRows &unit : units)
            for (const json &found : unit.rows) {
                answer.exit_code = worse(answer.exit_code, ExitCode(found.at("exit_code").get<int>()));
                answer.text += found.at("text").get<std::string>();
                for (const json &row : found.at("rows")) rows += json_line(row) + "\n";
            }
        if (!is_local_ && !o_.output.empty()) write_result(o_, o_.output, rows);
        return answer;
    }

  private:
    explicit SearchJob(const std::unique_ptr<const SearchRequest> &o)
        : Job(*o), o_(*o), targets_(quality_targets(o_, o_, o_.target_bitrate)) {} // a bitrate replaces a target

    // Problems with a source or an encoder appear before the first probe.
    std::vector<json> units() {
        for (const std::string &path : o_.sources) sources_.try_emplace(path, run_.open_source(path));
        for (const std::string &encoder : list_or(o_.encoders, "libx264")) run_.adapter(encoder);
        std::vector<json> units;
        for (const std::string &source : o_.sources)
            for (const std::string &encoder : list_or(o_.encoders, "libx264"))
                for (const std::string &preset : list_or(o_.presets, ""))
                    units.push_back({{"src", source}, {"encoder", encoder}, {"preset", preset}});
        return units;
    }

    ProbeSetup setup_of(const json &unit) {
        const std::string path = unit.at("src");
        auto source = sources_.find(path);
        if (source == sources_.end()) source = sources_.emplace(path, run_.open_source(path)).first;
        return run_.setup(source->second, run_.adapter(unit.at("encoder")), unit.at("preset"), true);
    }

    SearchReport find(const ProbeSetup &setup, std::vector<QualityTarget> &targets, const ProbeListener &listen) {
        if (o_.target_bitrate) return search_bitrate(run_, o_, setup, *o_.target_bitrate, listen);
        QualitySearch search(run_, o_, setup, targets, setup.encode.adapter->step);
        search.on_probe = listen;
        SearchReport report = search.find(targets);
        for (const double fallback : o_.fallback_targets) {
            if (report.failed() || report.status != SearchStatus::unmet) break;
            run_.progress().say("vmaf-tune search: " + targets.front().metric + " " +
                                number_text(targets.front().value) + " is not reached; trying the fallback " +
                                number_text(fallback));
            targets.front().value = fallback;
            report = search.find(targets, report.q);
        }
        return report;
    }

    void tell(const ProbeSetup &setup, const SearchReport &report, const std::vector<QualityTarget> &targets,
              const json &object) {
        if (o_.json) return print(json_line(object));
        const bool is_for_people = system::is_terminal(system::Stream::output);
        if (!report.failed() && !report.probes.empty()) {
            print(answer_sentence(setup, report, targets));
            print(report.scored);
        }
        if (report.failed() || !is_for_people) print(search_line(setup, report, targets.front())); // for parsers
        warn_if_larger(run_, report);
        if (!report.ok() && !report.failed())
            run_.progress().say("vmaf-tune search: no suitable quality: " + report.reason);
        if (!report.ok()) return;
        if (is_for_people) run_.progress().say("encode it with:");
        print(shell_quoted(encode_hint(o_, setup, report)));
    }

    void print(const std::string &line) { // immediately, or at the end if other machines search
        if (is_local_)
            print_line(line);
        else
            text_ += line + "\n";
    }

    const SearchRequest o_;
    const std::vector<QualityTarget> targets_;
    const bool is_local_ = o_.executor == ExecutorKind::local;
    std::map<std::string, Source> sources_;
    std::unique_ptr<RowWriter> writer_; // of probes, on this machine
    std::string text_;                  // of the running unit
};

std::optional<int> answer_from_corpus(const SearchRequest &o) {
    return o.from_corpus.empty() ? std::nullopt : std::optional(search_corpus(checked(o)));
}

void bind_search_command(CLI::App &app, SearchRequest &o) {
    bind_encoding_command(app, o, {.several_sources = true, .several_encoders = true});
    bind_source_list(app, o);
    bind_search(app, o);
    {
        const InGroup group(app, "Search");
        add_option(app, "--target-bitrate", o.target_bitrate, "bitrate to approach in kbps, instead of a quality");
        add_option(app, "--from-corpus", o.from_corpus, "answer from existing rows; encode nothing");
        app.add_flag("--interpolate", o.interpolate, "with --from-corpus: interpolate between rows");
        app.add_flag("--allow-mixed-models", o.allow_mixed_models,
                     "with --from-corpus: accept different models or scoring conditions, each apart");
    }
    bind_rows(app, o);
    bind_older_flags(app, o, &o);
    bind_cluster(app, o);
}

} // namespace

CommandFiles files_of(const SearchRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.inputs.push_back({"the rows", o.from_corpus});
    return files;
}

void add_search(Commands &commands) {
    commands.add_job<SearchJob, SearchRequest>(
        {"search",
         "the quality value that just meets a target",
         {"recommend", "bisect", "crf-search"},
         "  vmaf-tune search -i film.mkv -e libsvtav1 --target-vmaf 95\n"
         "  vmaf-tune search -i film.mkv --target \"vmaf>=95\" --target \"vmaf:min>=80\"\n"
         "  vmaf-tune search --from-corpus corpus.jsonl --target-vmaf 93"},
        bind_search_command, answer_from_corpus);
}

} // namespace vmaf::tune
