// `corpus` on several machines: a unit is a cell, or a coarse search over one source, encoder and preset.

#include <thread>

#include "base/error.hpp"
#include "base/visible_text.hpp"
#include "cli/variants.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_plan.hpp"
#include "commands/on_cluster.hpp"
#include "hash/sha256.hpp"
#include "rows/row.hpp"
#include "rows/row_format.hpp"
#include "system/environment.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

std::string output_of(const CorpusRequest &o) { return o.output.empty() ? "corpus.jsonl" : o.output; }

// Whether other tasks may be at work on the same node: then times tell little.
bool is_node_shared() {
    const auto own = system::environment("SLURM_CPUS_ON_NODE");
    return !own || std::strtol(own->c_str(), nullptr, 10) < long(std::thread::hardware_concurrency());
}

void plan_cells(const CorpusRequest &given, Manifest &manifest) {
    CorpusRequest o = given;
    read_source_list(o);
    check_files(files_of(o));
    if (o.sources.empty()) throw usage_error("give a source with -i, or --source-list");
    if (o.resume && (o.schema == 3 || o.format == CorpusFormat::csv))
        throw usage_error("--resume needs rows of schema 4: older rows and CSV do not state how they were made");
    std::error_code error;
    if (const std::string output = output_of(o); output != "-") {
        if (fs::exists(output, error) && !o.overwrite && !o.resume && !o.append)
            throw usage_error("'" + output + "' exists; use --resume, --append or --overwrite");
        system::check_output_file(output);
    }
    o.score_backend = BackendWish::cpu; // nothing is scored here
    o.sample_at.clear();
    o.store.clear();
    Run run(o, true);
    const CorpusPlan plan = plan_corpus(run, o);
    for (const CorpusJob &job : plan.jobs) {
        const std::string &encoder = job.setup.encode.adapter->name, &preset = job.setup.encode.preset;
        json unit = {
            {"src", job.setup.source.path}, {"encoder", encoder}, {"preset", preset}, {"variant", job.setup.variant}};
        unit["group"] =
            sha256_hex(job.setup.source.path + "\n" + encoder + "\n" + preset + "\n" + job.setup.variant).substr(0, 12);
        if (!job.qualities.empty()) unit["crf"] = job.qualities.front();
        if (job.failure) { // known before it starts: the row is made at the end
            ProbeResult failed = *job.failure;
            failed.q = job.qualities.empty() ? 0 : job.qualities.front();
            unit["row"] = make_row(job.setup, failed);
        }
        manifest.units.push_back(std::move(unit));
    }
}

void work_on_cells(const CorpusRequest &given, const std::vector<json> &units,
                   const std::function<void(std::size_t, const UnitResult &)> &done) {
    CorpusRequest o = given;
    o.source_list.clear();
    o.sources = {units.front().at("src").get<std::string>()};
    o.encoders = {units.front().at("encoder").get<std::string>()};
    o.presets = {units.front().at("preset").get<std::string>()};
    const std::string variant = units.front().at("variant");
    std::erase_if(o.variants, [&](const std::string &text) { return parse_variants({text}).front().name != variant; });
    o.q_range.clear();
    o.q_values.clear();
    std::vector<std::size_t> numbers; // of those that are to be run
    for (std::size_t i = 0; i < units.size(); i++) {
        if (units[i].contains("row")) {
            done(i, {{units[i]["row"]}, "", 0});
            continue;
        }
        numbers.push_back(i);
        if (units[i].contains("crf")) o.q_values.push_back(units[i]["crf"].get<double>());
    }
    if (numbers.empty()) return;
    std::error_code error;
    if (o.resume && fs::is_regular_file(output_of(given), error)) o.cluster.done_files = {output_of(given)};
    o.resume = o.append = o.keep = false;
    o.output = "-";
    o.format = CorpusFormat::jsonl;
    const bool is_shared = is_node_shared();
    o.cluster.on_rows = [&](std::size_t job, const std::vector<json> &rows) {
        UnitResult result{rows, "", 0};
        for (json &row : result.rows)
            if (is_shared) row["timing_shared"] = true;
        done(numbers.at(job), result);
    };
    run_corpus(o);
}

// Output, whole or as it was: the rows of before, if they are to stay, and the new ones in the order of the grid.
int merge_rows(const CorpusRequest &o, const Manifest &manifest, const std::map<std::size_t, UnitResult> &results) {
    const std::string output = output_of(o);
    const RowFormat format = o.format == CorpusFormat::csv ? RowFormat::csv
                             : o.schema == 3               ? RowFormat::schema3
                                                           : RowFormat::schema4;
    std::size_t rows = 0, failed = 0, cached = 0, skipped = 0;
    bool is_backend_not_kept = false;
    std::string text, frames;
    for (std::size_t unit = 0; unit < manifest.units.size(); unit++) {
        const auto found = results.find(unit);
        if (found == results.end()) continue;
        if (found->second.rows.empty()) found->second.failure.empty() ? skipped++ : failed++;
        for (json row : found->second.rows) {
            if (const auto own = row.find(kFramesOfRow); own != row.end()) {
                frames += row_text(*own) + "\n";
                row.erase(own);
            }
            if (!o.keep) row["encode_path"] = "";
            failed += row.value("exit_status", 0) != 0;
            is_backend_not_kept = is_backend_not_kept || row.value("exit_status", 0) == kStatusBackendNotKept;
            cached += row.value("from_cache", false);
            text += row_line(row, format) + "\n";
            rows++;
        }
    }
    const auto write = [&](const std::string &path, const std::string &what, const std::string &header) {
        std::string before;
        if (std::error_code error; (o.resume || o.append) && fs::is_regular_file(path, error)) {
            fs::ifstream file(path, std::ios::binary);
            before.assign(std::istreambuf_iterator<char>(file), {});
            before.resize(before.rfind('\n') + 1); // a torn line goes
        }
        if (before.empty() && !header.empty()) before = header + "\n";
        system::write_output_file(path, [&](const auto &out) {
            out(before);
            out(what);
        });
    };
    write(output, text, row_header(format));
    if (!o.frames_out.empty()) write(o.frames_out, frames, "");
    o.cluster.on_summary("wrote " + std::to_string(rows) + " rows -> " + output + " (" + std::to_string(failed) +
                         " failed, " + std::to_string(cached) + " cached" +
                         (skipped ? ", " + std::to_string(skipped) + " already there)" : ")"));
    if (failed == 0) return kExitOk;
    if (is_backend_not_kept) return kExitBackend;
    return failed == rows ? kExitFailed : kExitSomeFailed;
}

} // namespace

ClusterCommand corpus_on_cluster(const CorpusRequest &o) {
    ClusterCommand command;
    command.name = "corpus";
    command.plan = [o](const ClusterRequest &settled, Manifest &manifest) {
        plan_cells(settled_as(o, settled), manifest);
    };
    command.work = [o](const ClusterRequest &settled, const std::vector<json> &units,
                       const std::function<void(std::size_t, const UnitResult &)> &done) {
        work_on_cells(settled_as(o, settled), units, done);
    };
    command.finish = [o](const ClusterRequest &settled, const Manifest &manifest,
                         const std::map<std::size_t, UnitResult> &results) {
        return merge_rows(settled_as(o, settled), manifest, results);
    };
    command.is_finish_light = true;
    return command;
}

} // namespace vmaf::tune
