// `corpus`: every combination of source, encoder, preset and quality becomes a row (tune.md 12.1). Failure is data.
#include <algorithm>
#include <limits>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "base/thread_group.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_plan.hpp"
#include "commands/on_cluster.hpp"
#include "commands/search_result.hpp"
#include "rows/row.hpp"
#include "rows/row_format.hpp"
#include "stages/conditions.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Rows of earlier runs: by their keys and names, since two presets may be the same to an encoder; by their cell where a
// failure left no keys.
class DoneRows {
  public:
    void read(const std::string &path, bool retry_failed) {
        for (const json &row : read_whole_rows(path)) {
            if (row.value("exit_status", 1) != 0 && retry_failed) continue;
            const std::string keys = row.value("encode_key", "") + row.value("score_key", "");
            const std::string encoder = row.value("encoder", "");
            const std::string preset = row.value("preset", "") + "\n" + row.value("variant", "");
            known_.insert(keys.empty() ? cell(row.value("src", ""), encoder, preset, row.value("crf", 0.0))
                                       : keys + "\n" + encoder + "\n" + preset);
        }
    }
    bool contains(const CorpusJob &job, double q) const {
        if (known_.empty()) return false;
        const std::string encoder = job.setup.encode.adapter->name;
        const std::string preset = job.setup.encode.preset + "\n" + job.setup.variant;
        if (known_.contains(cell(job.setup.source.path, encoder, preset, q))) return true;
        if (job.failure) return false;
        try {
            const auto [encode, score] = probe_keys(job.setup, q);
            return !encode.empty() && known_.contains(encode + score + "\n" + encoder + "\n" + preset);
        } catch (const Error &) { // the probe itself will say it
            return false;
        }
    }

  private:
    static std::string cell(const std::string &src, const std::string &encoder, const std::string &preset, double q) {
        return src + "\n" + encoder + "\n" + preset + "\n" + number_text(q);
    }
    std::set<std::string> known_;
};

// Runs jobs side by side and writes their rows, in the order of the plan unless told otherwise.
class CorpusRun {
  public:
    CorpusRun(Run &run, const CorpusRequest &o, const CorpusPlan &plan, const std::string &output)
        : run_(run), options_(o), plan_(plan), results_(plan.jobs.size()), finished_(plan.jobs.size()) {
        format_ = o.format == CorpusFormat::csv ? RowFormat::csv
                  : o.schema == 3               ? RowFormat::schema3
                                                : RowFormat::schema4;
        std::error_code error;
        if (o.resume && fs::is_regular_file(output, error))
            done_.read(output, o.retry_failed); // a pipe has no rows yet
        for (const std::string &file : o.cluster.done_files) done_.read(file, o.retry_failed);
        if (o.cluster.on_rows) return;
        try {
            writer_ = std::make_unique<RowWriter>(output, o.overwrite ? RowWriter::Mode::overwrite
                                                          : o.resume  ? RowWriter::Mode::resume
                                                          : o.append  ? RowWriter::Mode::append
                                                                      : RowWriter::Mode::fresh);
        } catch (const Error &e) {
            throw CommandError(e.code() == EEXIST ? kExitUsage : kExitOutput, e.what());
        }
        if (const std::string header = row_header(format_); !header.empty() && writer_->is_empty())
            writer_->write_line(header);
        if (!o.frames_out.empty())
            frames_ = std::make_unique<RowWriter>(o.frames_out,
                                                  o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::resume);
    }

    void work() {
        for (;;) {
            std::size_t i = 0;
            {
                const std::lock_guard lock(mutex_);
                if (next_ >= plan_.jobs.size() || interruption::requested() || !write_error_.empty()) return;
                i = next_++;
            }
            const CorpusJob &job = plan_.jobs[i];
            const bool is_whole = job.qualities.empty() ? run_coarse(i) : run_cells(i);
            if (!is_whole) return; // interrupted
            const std::lock_guard lock(mutex_);
            finished_[i] = true;
            if (options_.cluster.on_rows)
                write_job(i);
            else
                write_ready();
        }
    }

    int end(const std::string &output) {
        if (!write_error_.empty()) throw CommandError(kExitOutput, write_error_);
        run_.progress().say("wrote " + std::to_string(rows_) + " rows -> " + output + " (" + std::to_string(failed_) +
                            " failed" + (run_.cache() ? ", " + std::to_string(cached_) + " cached" : "") +
                            (skipped_ ? ", " + std::to_string(skipped_) + " already there" : "") + ")");
        run_.check_interrupted();
        if (failed_ == 0) return kExitOk;
        if (is_backend_not_kept_) return kExitBackend;
        return failed_ == rows_ ? kExitFailed : kExitSomeFailed;
    }

  private:
    bool run_cells(std::size_t i) {
        const CorpusJob &job = plan_.jobs[i];
        for (const double q : job.qualities) {
            if (done_.contains(job, q)) {
                const std::lock_guard lock(mutex_);
                skipped_++;
                continue;
            }
            if (!probe_cell(i, q, true)) return false;
        }
        return true;
    }

    // Coarse points, then the gap in which the answer lies (9.5). Known points come from the cache.
    bool run_coarse(std::size_t i) {
        const CorpusJob &job = plan_.jobs[i];
        const QualityGrid grid(*job.setup.encode.adapter, options_, 1);
        SearchSettings settings = coarse_settings(grid, options_);
        const QualityTarget target = quality_targets(options_, options_, 0).front();
        settings.target = 0; // of the margin
        const auto search = make_search(SearchMethod::coarse, settings);
        while (const auto k = search->next()) {
            if (interruption::requested()) return false;
            const bool is_known = done_.contains(job, grid.q(*k));
            const auto probe = probe_cell(i, grid.q(*k), !is_known);
            if (!probe) return false;
            if (is_known) {
                const std::lock_guard lock(mutex_);
                skipped_++;
            }
            // A failed point is no reason to go on towards it.
            const double margin = probe->ok()
                                      ? margin_above(target, probe_score(job.setup, *probe, target.metric, target.pool))
                                      : std::numeric_limits<double>::lowest();
            search->add(*k, {margin, true});
        }
        return true;
    }

    std::optional<ProbeResult> probe_cell(std::size_t i, double q, bool write) {
        const CorpusJob &job = plan_.jobs[i];
        ProbeResult probe = job.failure ? *job.failure : run_probe(job.setup, q);
        if (job.failure) probe.q = q;
        if (!probe.ok() && interruption::requested()) return std::nullopt; // not a result of the encoder
        const std::lock_guard lock(mutex_);
        if (!write) return probe;
        json row = make_row(job.setup, probe);
        if (options_.encode_jobs > 1 || options_.jobs > 1) row["timing_shared"] = true;
        failed_ += !probe.ok();
        is_backend_not_kept_ = is_backend_not_kept_ || probe.status == kStatusBackendNotKept;
        cached_ += probe.from_cache;
        if (frames_ && probe.ok()) frames_->write(frames_json(job.setup, probe));
        if (options_.cluster.on_rows && !options_.frames_out.empty() && probe.ok())
            row[kFramesOfRow] = frames_json(job.setup, probe);
        tell(job, probe, row);
        results_[i].push_back(std::move(row));
        if (options_.unordered && !options_.cluster.on_rows) write_job(i);
        return probe;
    }

    void tell(const CorpusJob &job, const ProbeResult &probe, const json &row) {
        for (const std::string &warning : probe.warnings) run_.progress().warn(warning);
        const std::string text =
            !probe.ok()
                ? "FAILED: " + probe.error
                : options_.metric + " " + fixed_text(row["score"].is_number() ? row["score"].get<double>() : 0.0, 4) +
                      ", " + fixed_text(probe.bitrate_kbps(), 1) + " kbps" + (probe.from_cache ? " [cached]" : "");
        if (probe.ok()) run_.progress().remark(conditions_line(job.setup, probe));
        run_.progress().probe_done(job.setup.source.path,
                                   {{"encoder", row["encoder"]},
                                    {"preset", row["preset"]},
                                    {"q", probe.q},
                                    {"score", row["score"]},
                                    {"exit_status", row["exit_status"]}},
                                   job.setup.encode.adapter->name + " " + job.setup.encode.preset + " " +
                                       (job.setup.variant.empty() ? "" : job.setup.variant + " ") +
                                       number_text(probe.q) + ": " + text);
        json event = row;
        event["type"] = "row";
        run_.progress().event(event);
    }

    void write_ready() {
        while (written_ < plan_.jobs.size() && finished_[written_]) write_job(written_++);
    }

    void write_job(std::size_t i) {
        std::vector<json> rows = std::move(results_[i]);
        results_[i].clear();
        std::stable_sort(rows.begin(), rows.end(),
                         [](const json &a, const json &b) { return a["crf"].get<double>() < b["crf"].get<double>(); });
        if (options_.cluster.on_rows) {
            options_.cluster.on_rows(i, rows);
            rows_ += rows.size();
            return;
        }
        for (const json &row : rows) {
            if (!write_error_.empty()) return;
            try {
                writer_->write_line(row_line(row, format_));
                rows_++;
            } catch (const Error &e) {
                write_error_ = e.what();
            }
        }
    }

    Run &run_;
    const CorpusRequest &options_;
    const CorpusPlan &plan_;
    RowFormat format_;
    DoneRows done_;
    std::unique_ptr<RowWriter> writer_, frames_;
    std::mutex mutex_;
    std::vector<std::vector<json>> results_; // by job, until they are written
    std::vector<bool> finished_;
    std::size_t next_ = 0, written_ = 0, rows_ = 0, failed_ = 0, cached_ = 0, skipped_ = 0;
    bool is_backend_not_kept_ = false;
    std::string write_error_;
};

constexpr Choice<CorpusFormat> kCorpusFormats[] = {{"jsonl", CorpusFormat::jsonl}, {"csv", CorpusFormat::csv}};

void bind_corpus(CLI::App &app, CorpusRequest &o) {
    bind_encoding_command(app, o, {.several_sources = true, .several_encoders = true});
    bind_variants(app, o);
    add_option(app, "--crf", o.q_values, "quality value (also --q); may be repeated")->group("Grid");
    add_option(app, "--crf-range", o.q_range, "LOW:HIGH[:STEP]")->group("Grid");
    app.add_flag("--resume", o.resume, "continue an interrupted run; nothing is done twice")->group("Grid");
    app.add_flag("--append", o.append, "add to an existing output")->group("Grid");
    app.add_flag("--retry-failed", o.retry_failed, "with --resume: try failed cells again")->group("Grid");
    add_option(app, "--frames", o.frames_out, "write per-frame scores as JSON lines, for report")->group("Grid");
    app.add_flag("--coarse-to-fine", o.coarse_to_fine, "choose quality values by a coarse search, instead of --crf")
        ->group("Grid");
    add_option(app, "--target-vmaf", o.target_vmaf, "with --coarse-to-fine: put the fine values around this VMAF")
        ->group("Grid");
    add_option(app, "--min-q,--crf-min", o.min_q, "with --coarse-to-fine: smallest value")->group("Grid");
    add_option(app, "--max-q,--crf-max", o.max_q, "with --coarse-to-fine: largest value")->group("Grid");
    app.add_flag("--unordered", o.unordered, "write rows in the order they finish")->group("Grid");
    add_choice(app, "--format", o.format, kCorpusFormats, "jsonl or csv", false)->group("Rows");
    bind_coarse_search(app, o);
    bind_source_list(app, o);
    bind_rows(app, o);
    bind_older_flags(app, o);
    bind_cluster(app, o.cluster);
}

int run_corpus_anywhere(const CorpusRequest &o) { return run_anywhere(o, corpus_on_cluster(o), run_corpus); }

} // namespace

CommandFiles files_of(const CorpusRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.outputs.push_back(o.frames_out);
    return files;
}

int run_corpus(const CorpusRequest &given) {
    CorpusRequest o = given;
    read_source_list(o);
    check_files(files_of(o));
    if (o.sources.empty()) throw usage_error("give a source with -i, or --source-list");
    if (o.resume && (o.schema == 3 || o.format == CorpusFormat::csv))
        throw usage_error("--resume needs rows of schema 4: older rows and CSV do not state how they were made");
    Run run(o, true);
    const CorpusPlan plan = plan_corpus(run, o);
    if (o.dry_run) {
        for (const CorpusJob &job : plan.jobs)
            for (const double q : job.qualities)
                if (!job.failure) print_probe_commands(job.setup, q);
        for (const CorpusJob &job : plan.jobs)
            if (job.qualities.empty()) print_probe_commands(job.setup, job.setup.encode.adapter->default_q);
        return kExitOk;
    }
    const std::string output = o.output.empty() ? "corpus.jsonl" : o.output;
    CorpusRun corpus(run, o, plan, output);
    run.progress().expect(plan.cells);
    ThreadGroup threads;
    for (unsigned i = 1; i < run.parallel_searches() && threads.start([&] { corpus.work(); }); i++) {
    }
    corpus.work();
    threads.join();
    return corpus.end(output);
}

void add_corpus(Commands &commands) {
    commands.add<CorpusRequest>({"corpus",
                                 "a grid of encodes, one JSON row each",
                                 {"sweep"},
                                 "  vmaf-tune corpus -i film.mkv --crf-range 20:40:5 -o corpus.jsonl\n"
                                 "  vmaf-tune corpus -i film.mkv --crf-range 20:40:5 -o corpus.jsonl --resume\n"
                                 "  vmaf-tune corpus -i film.mkv -e libx264 -e libsvtav1 --preset fast \\\n"
                                 "      --crf-range 20:40:5 -o encoders.jsonl"},
                                bind_corpus, run_corpus_anywhere);
}

} // namespace vmaf::tune
