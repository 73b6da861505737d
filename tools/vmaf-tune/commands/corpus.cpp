// `corpus`: every combination of source, encoder, preset and quality becomes a row (tune.md 12.1). Failure is data.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "rows/row.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Cell {
    ProbeSetup setup;
    double q;
};

std::vector<double> quality_values(const Options &o) {
    std::vector<double> values = o.q_values;
    if (!o.q_range.empty()) {
        double low = 0, high = 0, step = 1;
        const int count = std::sscanf(o.q_range.c_str(), "%lf:%lf:%lf", &low, &high, &step);
        if (count < 2 || !(step > 0) || low > high || (high - low) / step > 10000)
            throw usage_error("--crf-range " + o.q_range + " is not LOW:HIGH or LOW:HIGH:STEP");
        for (int i = 0; low + i * step <= high + 1e-9; i++) values.push_back(std::round((low + i * step) * 1e6) / 1e6);
    }
    if (values.empty()) throw usage_error("no quality values: give --crf 20 --crf 30, or --crf-range 18:38:5");
    return values;
}

std::string kept_name(const Options &o, const Cell &cell, const std::set<std::string> &repeated_stems) {
    const fs::path source(cell.setup.source.path);
    std::string stem = source.stem().string();
    if (repeated_stems.contains(stem)) stem += "-" + sha256_hex(fs::absolute(source).string()).substr(0, 8);
    const fs::path folder = o.work_dir.empty() ? fs::path("encodes") : fs::path(o.work_dir);
    fs::create_directories(folder);
    return (folder / (stem + "__" + cell.setup.encode.adapter->name + "__" + cell.setup.encode.preset + "__crf" +
                      number_text(cell.q) + "." + std::string(cell.setup.encode.adapter->container)))
        .string();
}

} // namespace

int run_corpus(const Options &o) {
    const std::vector<double> values = quality_values(o);
    Run run(o, true);

    // Everything is checked against all adapters before the first encode.
    std::vector<Cell> cells;
    std::set<std::string> stems, repeated;
    for (const std::string &path : o.sources)
        if (!stems.insert(fs::path(path).stem().string()).second) repeated.insert(fs::path(path).stem().string());
    for (const std::string &path : o.sources) {
        const Source source = run.open_source(path);
        for (const std::string &encoder : o.encoders.empty() ? std::vector<std::string>{"libx264"} : o.encoders) {
            const Adapter &adapter = run.adapter(encoder);
            for (const std::string &preset : o.presets.empty() ? std::vector<std::string>{""} : o.presets)
                for (const double q : values) {
                    Cell cell{run.setup(source, adapter, preset, false), q};
                    try {
                        adapter.codec_arguments(cell.setup.encode.preset, q);
                    } catch (const Error &e) {
                        throw usage_error(e.what());
                    }
                    if (o.keep) cell.setup.keep_as = kept_name(o, cell, repeated);
                    cell.setup.progress = [&run, label = adapter.name + " " + cell.setup.encode.preset](
                                              const StageProgress &p) { run.progress().stage(label, p); };
                    cells.push_back(std::move(cell));
                }
        }
    }
    if (o.dry_run) {
        for (const Cell &cell : cells)
            std::printf("%s\n", shell_quoted(encode_command(cell.setup.programs, cell.setup.samples[0].source,
                                                            cell.setup.samples[0].window, cell.setup.encode, cell.q, 0,
                                                            "", "OUTPUT.mkv"))
                                    .c_str());
        return kExitOk;
    }

    const std::string output = o.output.empty() ? "corpus.jsonl" : o.output;
    std::set<std::string> done; // keys of rows that need not be made again
    if (o.resume && output != "-" && fs::exists(output))
        for (const json &row : read_rows(output, [](const std::string &) {}))
            if (row.value("exit_status", 1) == 0 || !o.retry_failed)
                done.insert(row.value("encode_key", "") + row.value("score_key", ""));
    std::unique_ptr<RowWriter> writer;
    try {
        writer = std::make_unique<RowWriter>(output, o.overwrite ? RowWriter::Mode::overwrite
                                                     : o.resume  ? RowWriter::Mode::resume
                                                     : o.append  ? RowWriter::Mode::append
                                                                 : RowWriter::Mode::fresh);
    } catch (const Error &e) {
        throw CommandError(e.code() == EEXIST ? kExitUsage : kExitOutput, e.what());
    }

    std::unique_ptr<RowWriter> frames_writer;
    if (!o.frames_out.empty())
        frames_writer = std::make_unique<RowWriter>(o.frames_out,
                                                    o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::resume);

    std::vector<std::optional<json>> results(cells.size());
    std::vector<bool> skipped(cells.size());
    std::mutex mutex;
    std::size_t next = 0, written = 0, rows = 0, failed = 0, cached = 0;
    std::string write_error;
    run.progress().expect(cells.size());
    const auto write_ready = [&] { // rows come in the order of the grid, whatever ran first
        while (written < cells.size() && (results[written] || skipped[written])) {
            if (results[written] && write_error.empty()) {
                try {
                    writer->write(*results[written]);
                    rows++;
                } catch (const Error &e) {
                    write_error = e.what();
                }
                results[written] = json();
            }
            written++;
        }
    };
    const auto work = [&] {
        for (;;) {
            std::size_t i = 0;
            {
                const std::lock_guard lock(mutex);
                if (next >= cells.size() || interruption::requested() || !write_error.empty()) return;
                i = next++;
            }
            const Cell &cell = cells[i];
            bool skip = false;
            if (!done.empty()) {
                try {
                    const auto [encode, score] = probe_keys(cell.setup, cell.q);
                    skip = !encode.empty() && done.contains(encode + score);
                } catch (const Error &) { // the probe itself will say it
                }
            }
            std::optional<ProbeResult> probe;
            if (!skip) probe = run_probe(cell.setup, cell.q);
            if (probe && !probe->ok() && interruption::requested()) return; // not a result of the encoder
            const std::lock_guard lock(mutex);
            if (skip) {
                skipped[i] = true;
            } else {
                json row = make_row(cell.setup, *probe);
                if (o.encode_jobs > 1 || o.jobs > 1) row["timing_shared"] = true;
                failed += !probe->ok();
                if (frames_writer && probe->ok()) frames_writer->write(frames_json(cell.setup, *probe));
                cached += probe->from_cache;
                for (const std::string &warning : probe->warnings) run.progress().warn(warning);
                const std::string label =
                    cell.setup.encode.adapter->name + " " + cell.setup.encode.preset + " " + number_text(cell.q);
                char text[120];
                if (probe->ok())
                    std::snprintf(text, sizeof text, "%s %.4f, %.1f kbps%s", o.metric.c_str(),
                                  row["score"].is_number() ? row["score"].get<double>() : 0.0, probe->bitrate_kbps(),
                                  probe->from_cache ? " [cached]" : "");
                run.progress().probe_done(cell.setup.source.path,
                                          {{"encoder", row["encoder"]},
                                           {"preset", row["preset"]},
                                           {"q", cell.q},
                                           {"score", row["score"]},
                                           {"exit_status", row["exit_status"]}},
                                          label + ": " + (probe->ok() ? std::string(text) : "FAILED: " + probe->error));
                json event = row;
                event["type"] = "row";
                run.progress().event(event);
                results[i] = std::move(row);
            }
            write_ready();
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < run.parallel_searches(); i++) threads.emplace_back(work);
    work();
    for (std::thread &thread : threads) thread.join();
    if (!write_error.empty()) throw CommandError(kExitOutput, write_error);
    const std::size_t skips = static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), true));
    run.progress().say("wrote " + std::to_string(rows) + " rows -> " + output + " (" + std::to_string(failed) +
                       " failed, " + std::to_string(cached) + " cached" +
                       (skips ? ", " + std::to_string(skips) + " already there" : "") + ")");
    run.check_interrupted();
    if (failed == 0) return kExitOk;
    return failed == rows ? kExitFailed : kExitSomeFailed;
}

} // namespace vmaf::tune
