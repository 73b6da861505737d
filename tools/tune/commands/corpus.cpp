// `corpus`: every combination of source, encoder, preset and quality becomes a row (tune.md 12.1). Failures are data. A
// unit is such a cell, or a coarse search over one source, encoder and preset.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_plan.hpp"
#include "commands/search_result.hpp"
#include "jobs/job.hpp"
#include "rows/row.hpp"
#include "rows/row_format.hpp"
#include "rows/row_scan.hpp"
#include "stages/conditions.hpp"
#include "system/environment.hpp"
#include "system/filesystem.hpp"
#include "system/mapped_file.hpp"
#include "system/output_file.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Rows of earlier runs: by keys and names, since two presets may be equal for an encoder; by cell if a failure left no
// keys.
class DoneRows {
  public:
    void read(const std::string &path, bool retry_failed) {
        const RowTable table(
            path, [](const std::string &) {}, RowTable::LastLine::only_if_ended);
        for (const ScannedRow &row : table.rows()) {
            if (row.exit_status != 0 && retry_failed) continue;
            const std::string keys = std::string(row.encode_key) + std::string(row.score_key);
            const std::string encoder(row.encoder);
            const std::string preset = std::string(row.preset) + "\n" + std::string(row.name);
            known_.insert(keys.empty() ? cell(std::string(row.src), encoder, preset, std::isnan(row.q) ? 0.0 : row.q)
                                       : keys + "\n" + encoder + "\n" + preset);
        }
    }
    bool contains(const CorpusSeries &series, double q) const {
        if (known_.empty()) return false;
        const std::string encoder = series.setup.encode.adapter->name;
        const std::string preset = series.setup.encode.preset + "\n" + series.setup.variant;
        if (known_.contains(cell(series.setup.source.path, encoder, preset, q))) return true;
        if (!series.outcome.ok()) return false;
        try {
            const auto [encode, score] = probe_keys(series.setup, q);
            return !encode.empty() && known_.contains(encode + score + "\n" + encoder + "\n" + preset);
        } catch (const Error &) { // the probe itself will report it
            return false;
        }
    }

  private:
    static std::string cell(const std::string &src, const std::string &encoder, const std::string &preset, double q) {
        return src + "\n" + encoder + "\n" + preset + "\n" + number_text(q);
    }
    std::set<std::string> known_;
};

// Temporary keys of rows: per-frame scores, and a mark for rows that the output already has.
constexpr const char *kFrames = "frames_of_row", *kSkipped = "skipped";

struct Tally {
    std::size_t rows = 0, failed = 0, cached = 0, skipped = 0;
    bool is_backend_not_kept = false;

    void add(const json &row) {
        rows++;
        failed += row.at("exit_status") != 0;
        cached += row.value("from_cache", false);
        is_backend_not_kept =
            is_backend_not_kept || outcome_of_row(row["exit_status"], "").kind == OutcomeKind::backend_not_kept;
    }
    ExitCode exit_code() const {
        return failed == 0           ? kExitOk
               : is_backend_not_kept ? kExitBackend
               : failed == rows      ? kExitFailed
                                     : kExitSomeFailed;
    }
};

// Whether other tasks may run on the same cluster node: then times are unreliable.
bool is_node_shared() {
    const auto own = system::environment("SLURM_CPUS_ON_NODE");
    return !own || std::strtol(own->c_str(), nullptr, 10) < long(std::thread::hardware_concurrency());
}

// For a coarse search over the grid (9.5).
SearchSettings coarse_settings(const QualityGrid &grid, const SearchOptions &o) {
    SearchSettings s;
    s.last = grid.last();
    s.target = 0; // of the margin
    s.has_target = o.target_vmaf || !o.targets.empty();
    s.noise = o.noise;
    s.coarse_step = grid.points_in(o.coarse_step);
    s.coarse_first = grid.first_multiple(o.coarse_step);
    s.fine_step = grid.points_in(o.fine_step);
    s.fine_radius = static_cast<int>(std::lround(o.fine_radius / grid.step()));
    return s;
}

CorpusRequest checked(CorpusRequest o) {
    read_source_list(o);
    check_files(files_of(o));
    if (o.sources.empty()) throw usage_error("give a source with -i, or --source-list");
    if (o.resume && (o.schema == 3 || o.format == CorpusFormat::csv))
        throw usage_error("--resume needs rows of schema 4: older rows and CSV do not state how they were made");
    if (o.output.empty()) o.output = "corpus.jsonl";
    return o;
}

class CorpusJob : public Job {
  public:
    explicit CorpusJob(const CorpusRequest &o)
        : Job(o), o_(checked(o)), grid_(run_, o_), is_task_(!o.store.empty()),
          is_timing_shared_(is_task_ ? is_node_shared() : o.encode_jobs > 1 || o.jobs > 1),
          format_(o.format == CorpusFormat::csv ? RowFormat::csv
                  : o.schema == 3               ? RowFormat::schema3
                                                : RowFormat::schema4) {
        if (is_task_ && o_.coarse_to_fine) read_done(); // other units are planned without finished rows
    }

    void print_commands() override {
        for (const json &unit : grid_.units())
            if (!unit.contains("fails")) {
                const ProbeSetup &setup = grid_.series(unit).setup;
                print_probe_commands(setup, unit.value("crf", setup.encode.adapter->default_q));
            }
    }

    std::vector<json> next(const JobRows &so_far) override {
        if (!so_far.empty()) return {};
        std::vector<json> units = grid_.units();
        read_done();
        if (o_.executor == ExecutorKind::local) {
            open_output();
        } else {
            check_output();
            drop_done(units);
        }
        constexpr std::size_t kUsualProbes = 14; // of a coarse search (9.2)
        run_.progress().expect(units.size() * (o_.coarse_to_fine ? kUsualProbes : 1));
        return units;
    }

    std::vector<json> run(const json &unit, const JobRows &) override {
        const CorpusSeries &series = grid_.series(unit);
        if (!series.outcome.ok() && !unit.contains("fails"))
            throw usage_error(series.outcome.sentence); // only on this node
        if (!unit.contains("crf")) return search(series);
        const double q = unit["crf"];
        if (done_.contains(series, q)) return {{{kSkipped, true}}};
        return {row_of(series, probe(series, q))};
    }

    void keep(UnitRows &unit) override {
        try {
            for (json &row : unit.rows) {
                if (row.contains(kSkipped)) {
                    kept_.skipped++;
                    continue;
                }
                if (const auto frames = row.find(kFrames); frames != row.end()) {
                    if (frames_) frames_->write(*frames);
                    row.erase(frames);
                }
                writer_->write_line(row_line(row, format_));
                kept_.add(row);
            }
        } catch (const Error &e) {
            throw CommandError(kExitOutput, e.what());
        }
        unit.rows.clear();
    }

    // rows were written as they arrived
    Answer result(const JobRows &) override { return answer(kept_, run_.cache(), ""); }

    // Rows from other tasks, in grid order. Replaces the files completely or not at all.
    Answer merge(const std::function<void(const UseOfUnit &)> &each_unit) override {
        if (!o_.frames_out.empty())
            system::write_output_file(o_.frames_out, [&](const auto &out) {
                write_earlier_rows(o_.frames_out, "", out);
                each_unit([&](const UnitRows &unit) {
                    for (const json &row : unit.rows)
                        if (const auto frames = row.find(kFrames); frames != row.end()) out(json_line(*frames) + "\n");
                });
            });
        Tally tally;
        const auto write = [&](const auto &out) {
            write_earlier_rows(o_.output, row_header(format_), out);
            each_unit([&](UnitRows &unit) {
                tally.failed += !unit.failure.empty();
                for (json &row : unit.rows) {
                    if (row.contains(kSkipped)) {
                        tally.skipped++;
                        continue;
                    }
                    row.erase(kFrames);
                    if (!o_.keep) row["encode_path"] = "";
                    out(row_line(row, format_) + "\n");
                    tally.add(row);
                }
            });
        };
        std::string text;
        if (o_.output == "-")
            write([&](std::string_view part) { text += part; });
        else
            system::write_output_file(o_.output, write);
        return answer(tally, true, std::move(text));
    }

    Parallel parallel(const json &) override { return {run_.parallel_searches(), !o_.unordered}; }
    bool answers_in_part() const override { return true; }

  private:
    // Coarse points, then the gap with the answer (9.5). Known points come from the cache.
    std::vector<json> search(const CorpusSeries &series) {
        const QualityGrid grid(*series.setup.encode.adapter, o_, 1);
        const QualityTarget target = quality_targets(o_, o_, 0).front();
        const auto search = make_search(SearchMethod::coarse, coarse_settings(grid, o_));
        std::vector<json> rows;
        while (const auto k = search->next()) {
            run_.check_interrupted();
            const ProbeResult probe = this->probe(series, grid.q(*k));
            if (done_.contains(series, grid.q(*k)))
                rows.push_back({{kSkipped, true}, {"crf", probe.q}});
            else
                rows.push_back(row_of(series, probe));
            // A failed point does not attract the search.
            const double margin =
                probe.ok() ? search_margin(target, probe_score(series.setup, probe, target.metric, target.pool))
                           : std::numeric_limits<double>::lowest();
            search->add(*k, {margin, true});
        }
        std::ranges::stable_sort(
            rows, [](const json &a, const json &b) { return a["crf"].get<double>() < b["crf"].get<double>(); });
        return rows;
    }

    ProbeResult probe(const CorpusSeries &series, double q) {
        if (!series.outcome.ok()) {
            ProbeResult failed;
            failed.outcome = series.outcome;
            failed.q = q;
            return failed;
        }
        ProbeSetup setup = series.setup;
        if (!setup.keep_in.empty() && !o_.coarse_to_fine) setup.keep_as = grid_.kept_name(setup, q);
        ProbeResult probe = run_probe(setup, q);
        if (!probe.ok()) run_.check_interrupted(); // not the encoder's result
        return probe;
    }

    json row_of(const CorpusSeries &series, const ProbeResult &probe) {
        json row = make_row(series.setup, probe);
        if (is_timing_shared_) row["timing_shared"] = true;
        tell(series.setup, probe, row);
        if (!o_.frames_out.empty() && probe.ok()) row[kFrames] = frames_json(series.setup, probe);
        return row;
    }

    void tell(const ProbeSetup &setup, const ProbeResult &probe, const json &row) {
        for (const std::string &warning : probe.warnings) run_.progress().warn(warning);
        const std::string text =
            !probe.ok()
                ? "FAILED: " + probe.outcome.sentence
                : o_.metric + " " + fixed_text(row["score"].is_number() ? row["score"].get<double>() : 0.0, 4) + ", " +
                      fixed_text(probe.bitrate_kbps(), 1) + " kbps" + (probe.from_cache ? " [cached]" : "");
        if (probe.ok()) run_.progress().remark(conditions_line(setup, probe));
        run_.progress().probe_done(setup.source.path,
                                   {{"encoder", row["encoder"]},
                                    {"preset", row["preset"]},
                                    {"q", probe.q},
                                    {"score", row["score"]},
                                    {"exit_status", row["exit_status"]}},
                                   setup.encode.adapter->name + " " + setup.encode.preset + " " +
                                       (setup.variant.empty() ? "" : setup.variant + " ") + number_text(probe.q) +
                                       ": " + text);
        json event = row;
        event["type"] = "row";
        run_.progress().event(event);
    }

    void read_done() {
        std::error_code error;
        if (o_.resume && fs::is_regular_file(o_.output, error)) // a pipe has no rows yet
            done_.read(o_.output, o_.retry_failed);
    }

    // Drops what other machines need not know.
    void drop_done(std::vector<json> &units) {
        const std::size_t all = units.size();
        std::erase_if(units, [&](const json &unit) {
            return unit.contains("crf") && done_.contains(grid_.series(unit), unit["crf"]);
        });
        if (units.size() < all)
            run_.progress().say(std::to_string(all - units.size()) + " of " + std::to_string(all) +
                                " cells are in the output already");
    }

    void open_output() {
        try {
            writer_ = std::make_unique<RowWriter>(o_.output, o_.overwrite ? RowWriter::Mode::overwrite
                                                             : o_.resume  ? RowWriter::Mode::resume
                                                             : o_.append  ? RowWriter::Mode::append
                                                                          : RowWriter::Mode::fresh);
        } catch (const Error &e) {
            throw CommandError(e.code() == EEXIST ? kExitUsage : kExitOutput, e.what());
        }
        if (const std::string header = row_header(format_); !header.empty() && writer_->is_empty())
            writer_->write_line(header);
        if (!o_.frames_out.empty())
            frames_ = std::make_unique<RowWriter>(o_.frames_out,
                                                  o_.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::resume);
    }

    // The file written at the end.
    void check_output() const {
        std::error_code error;
        if (o_.output == "-") return;
        if (fs::exists(o_.output, error) && !o_.overwrite && !o_.resume && !o_.append)
            throw usage_error("'" + o_.output + "' exists; use --resume, --append or --overwrite");
        system::check_output_file(o_.output);
    }

    Answer answer(const Tally &tally, bool has_cache, std::string text) const {
        return {tally.exit_code(), std::move(text),
                "wrote " + std::to_string(tally.rows) + " rows -> " + o_.output + " (" + std::to_string(tally.failed) +
                    " failed" + (has_cache ? ", " + std::to_string(tally.cached) + " cached" : "") +
                    (tally.skipped ? ", " + std::to_string(tally.skipped) + " already there" : "") + ")"};
    }

    // The earlier rows, if they are kept.
    template <class Out>
    void write_earlier_rows(const std::string &path, const std::string &header, const Out &out) const {
        std::error_code error;
        if ((o_.resume || o_.append) && fs::is_regular_file(path, error)) {
            const system::MappedFile file(path);
            const std::string_view whole =
                file.text().substr(0, file.text().rfind('\n') + 1); // drops an incomplete line
            if (!whole.empty()) return out(whole);
        }
        if (!header.empty()) out(header + "\n");
    }

    const CorpusRequest o_;
    CorpusGrid grid_;
    const bool is_task_, is_timing_shared_;
    const RowFormat format_;
    DoneRows done_;
    std::unique_ptr<RowWriter> writer_, frames_; // for rows as they arrive
    Tally kept_;
};

constexpr Choice<CorpusFormat> kCorpusFormats[] = {{"jsonl", CorpusFormat::jsonl}, {"csv", CorpusFormat::csv}};

void bind_grid(CLI::App &app, CorpusRequest &o) {
    const InGroup group(app, "Grid");
    add_option(app, "--crf", o.q_values, "quality value (also --q); may be repeated");
    add_option(app, "--crf-range", o.q_range, "LOW:HIGH[:STEP]");
    app.add_flag("--resume", o.resume, "continue an interrupted run; nothing is done twice");
    app.add_flag("--append", o.append, "add to an existing output");
    app.add_flag("--retry-failed", o.retry_failed, "with --resume: try failed cells again");
    add_option(app, "--frames", o.frames_out, "write per-frame scores as JSON lines, for report");
    app.add_flag("--coarse-to-fine", o.coarse_to_fine, "choose quality values by a coarse search, instead of --crf");
    add_option(app, "--target-vmaf", o.target_vmaf, "with --coarse-to-fine: put the fine values around this VMAF");
    add_option(app, "--min-q,--crf-min", o.min_q, "with --coarse-to-fine: smallest value");
    add_option(app, "--max-q,--crf-max", o.max_q, "with --coarse-to-fine: largest value");
    app.add_flag("--unordered", o.unordered, "write rows in the order they finish");
}

void bind_corpus(CLI::App &app, CorpusRequest &o) {
    bind_encoding_command(app, o, {.several_sources = true, .several_encoders = true});
    bind_variants(app, o);
    bind_grid(app, o);
    {
        const InGroup group(app, "Rows");
        add_choice(app, "--format", o.format, kCorpusFormats, "jsonl or csv", false);
    }
    bind_coarse_search(app, o);
    bind_source_list(app, o);
    bind_rows(app, o);
    bind_older_flags(app, o);
    bind_cluster(app, o);
}

} // namespace

CommandFiles files_of(const CorpusRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.outputs.push_back(o.frames_out);
    return files;
}

void add_corpus(Commands &commands) {
    commands.add_job<CorpusJob, CorpusRequest>(
        {"corpus",
         "a grid of encodes, one JSON row each",
         {"sweep"},
         "  vmaf-tune corpus -i film.mkv --crf-range 20:40:5 -o corpus.jsonl\n"
         "  vmaf-tune corpus -i film.mkv --crf-range 20:40:5 -o corpus.jsonl --resume\n"
         "  vmaf-tune corpus -i film.mkv -e libx264 -e libsvtav1 --preset fast \\\n"
         "      --crf-range 20:40:5 -o encoders.jsonl"},
        bind_corpus);
}

} // namespace vmaf::tune
