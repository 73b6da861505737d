// `report`: measured rows as one HTML page, Markdown, or single charts and tables (tune.md 13).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "cli/add_option.hpp"
#include "cli/complain.hpp"
#include "cli/outputs.hpp"
#include "cli/run.hpp"
#include "commands/commands.hpp"
#include "reporting/page.hpp"
#include "rows/configuration.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

struct ReportRequest : ProgramOptions, RunningOptions {
    std::vector<std::string> inputs, frame_files, svg, variants; // svg: kind and file
    std::string title = "vmaf-tune report", csv, baseline;
    std::vector<double> targets;
    unsigned thumbnails = 5;
};

CommandFiles files_of(const ReportRequest &o) {
    CommandFiles files = files_of(static_cast<const RunningOptions &>(o));
    files.outputs.insert(files.outputs.end(), {o.csv, o.svg.size() > 1 ? o.svg[1] : std::string()});
    for (const std::string &path : o.inputs) files.inputs.push_back({"the input", path});
    for (const std::string &path : o.frame_files) files.inputs.push_back({"the frames", path});
    return files;
}

void write_text(const ReportRequest &o, const std::string &path, const std::string &text) {
    std::error_code error;
    if (path != "-" && !o.overwrite && fs::is_regular_file(path, error) && fs::file_size(path, error) > 0)
        throw CommandError(kExitOutput, "'" + path + "' exists; use --overwrite or another --output");
    check_output(files_of(o), path);
    vmaf::system::write_output_file(path, [&](const auto &out) { out(text); });
}

// Of the encodes that the page shows.
std::vector<ReportPictures> worst_pictures(const ReportRequest &o, const ReportData &data,
                                           const std::string &work_folder) {
    std::vector<ReportPictures> all(data.frames.size());
    const auto ffmpeg = find_program(o.ffmpeg), ffprobe = find_program(o.ffprobe);
    for (const std::size_t i : encodes_near(data, target_of(data, o.targets, o.baseline), kShownEncodes)) {
        const FrameScores &scores = data.frames[i];
        const std::vector<std::size_t> worst = worst_frames(scores, o.thumbnails);
        try {
            if (!scores.map.file.empty()) all[i].heat = read_heat_map(scores, worst);
        } catch (const Error &e) {
            all[i].heat_missing = e.what();
        }
        if (o.thumbnails == 0) continue;
        try {
            if (!ffmpeg || !ffprobe) throw invalid("ffmpeg was not found");
            if (scores.distorted.empty()) throw invalid("the encode was not kept (--keep)");
            Programs programs;
            programs.ffmpeg = *ffmpeg;
            programs.ffprobe = *ffprobe;
            all[i].thumbnails = make_thumbnails(programs, scores, worst, work_folder);
        } catch (const Error &e) {
            all[i].missing = e.what();
        }
    }
    return all;
}

// Names rows that were encoded with a variant's options.
void name_variants(std::vector<nlohmann::json> &rows, const std::vector<std::string> &texts) {
    if (texts.empty()) return;
    for (const Variant &variant : parse_variants(texts))
        for (nlohmann::json &row : rows) {
            const Configuration c = configuration_of(row);
            std::vector<std::string> wanted;
            for (const std::string &item : variant.enc) wanted.push_back(item);
            for (const std::string &item : {variant.vfilter, variant.keyint, variant.out_pix_fmt})
                if (!item.empty()) wanted.push_back(item);
            const bool has_all =
                std::ranges::all_of(wanted, [&](const std::string &item) { return contains(c.options, item); });
            const bool has_none = wanted.empty() && !c.options.empty(); // a name for rows without options
            if (has_all && !has_none && (variant.encoder.empty() || variant.encoder == c.encoder) &&
                (variant.preset.empty() || variant.preset == c.preset))
                row["variant"] = variant.name;
        }
}

// One file per kind; several sources become numbered files.
void write_charts(const ReportRequest &o, const ReportContent &content, const std::string &kind, const std::string &svg,
                  const std::string &csv) {
    std::vector<const Chart *> chosen;
    for (const Chart &chart : content.charts)
        if (chart.kind == kind) chosen.push_back(&chart);
    if (chosen.empty()) {
        std::string kinds;
        for (const std::string &name : chart_kinds())
            if (std::ranges::any_of(content.charts, [&](const Chart &c) { return c.kind == name; }))
                add_item(kinds, name);
        throw usage_error("the data have no chart '" + kind + "'; there are: " + (kinds.empty() ? "none" : kinds));
    }
    const auto path_of = [&](const std::string &path, std::size_t i) {
        if (i == 0 || path == "-") return path;
        const fs::path p(path);
        return (p.parent_path() / (p.stem().string() + "-" + std::to_string(i + 1) + p.extension().string())).string();
    };
    for (std::size_t i = 0; i < chosen.size(); i++) {
        if (!svg.empty()) write_text(o, path_of(svg, i), svg_text(chosen[i]->plot));
        if (!csv.empty()) write_text(o, path_of(csv, i), csv_text(chosen[i]->table));
    }
}

int run_report(const ReportRequest &o) {
    ReportContent content;
    content.title = o.title;
    content.targets = o.targets;
    content.baseline = o.baseline;
    std::vector<std::string> files = o.inputs;
    files.insert(files.end(), o.frame_files.begin(), o.frame_files.end());
    try {
        content.data = read_report_data(files, [&](auto &rows) { name_variants(rows, o.variants); });
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    for (const std::string &complaint : content.data.complaints) complain("report", complaint);
    content.charts = make_charts(content.data, o.targets);

    const bool single = !o.svg.empty() || !o.csv.empty();
    if (!o.svg.empty()) write_charts(o, content, o.svg.at(0), o.svg.at(1), o.csv);
    if (o.svg.empty() && !o.csv.empty()) write_text(o, o.csv, csv_text(row_table(content.data)));
    if (single && o.output.empty()) return kExitOk;

    const std::string output = o.output.empty() ? "report.html" : o.output;
    std::error_code error;
    const bool folder = (!output.empty() && !fs::path(output).has_filename()) || fs::is_directory(output, error);
    if (output.ends_with(".md")) {
        write_text(o, output, markdown_page(content));
        return kExitOk;
    }
    {
        const WorkFolder work(o.work_dir, false);
        content.pictures = worst_pictures(o, content.data, work.path());
    }
    if (!folder) {
        write_text(o, output, html_page(content));
        if (output != "-" && !o.quiet) complain("report", "wrote " + output);
        return kExitOk;
    }
    fs::create_directories(output, error);
    const fs::path base(output);
    write_text(o, (base / "report.html").string(), html_page(content));
    if (!content.data.rows.empty()) write_text(o, (base / "rows.csv").string(), csv_text(row_table(content.data)));
    for (const Table &table : bd_rate_tables(content.data))
        write_text(o, (base / (table.id + ".csv")).string(), csv_text(table));
    for (const Chart &chart : content.charts) {
        write_text(o, (base / (chart.plot.id + ".svg")).string(), svg_text(chart.plot));
        write_text(o, (base / (chart.plot.id + ".csv")).string(), csv_text(chart.table));
    }
    if (!o.quiet) complain("report", "wrote " + (base / "report.html").string());
    return kExitOk;
}

void bind_report(CLI::App &app, ReportRequest &o) {
    add_option(app, "input", o.inputs, "rows (JSON lines), search results, ladders, shot plans, or frame scores")
        ->required();
    add_option(app, "--frames", o.frame_files, "per-frame scores (of corpus --frames or score --frames)");
    add_option(app, "-o,--output", o.output, "report.html, report.md, - or a folder for everything");
    app.add_flag("-y,--overwrite", o.overwrite, "replace existing files");
    add_option(app, "--variant", o.variants,
               "NAME=key=value,...: name of rows encoded with these options; may be repeated");
    add_option(app, "--title", o.title, "heading of the page");
    add_option(app, "--target", o.targets, "score to mark in the charts; may be repeated");
    add_option(app, "--baseline", o.baseline,
               "configuration to compare with, or the start of its name (default: libx264)");
    add_option(app, "--thumbnails", o.thumbnails, "pictures of the worst frames per encode (0: none)")
        ->check(CLI::Range(0, 50));
    add_option(app, "--svg", o.svg,
               "KIND FILE: one chart (rate-quality, quality, speed, search, frames, histogram, ladder, shots)")
        ->expected(2);
    add_option(app, "--csv", o.csv, "write the table of that chart, or all rows");
    add_option(app, "--work-dir,--temp-dir", o.work_dir, "scratch folder");
    add_option(app, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(app, "--ffprobe-bin", o.ffprobe, "ffprobe to use");
    app.add_flag("-q,--quiet", o.quiet, "print errors only");
}

} // namespace

void add_report(Commands &commands) {
    commands.add<ReportRequest>({"report",
                                 "rows as an HTML page, charts and tables",
                                 {},
                                 "  vmaf-tune report corpus.jsonl -o report.html\n"
                                 "  vmaf-tune report corpus.jsonl --target 93 --baseline libx264 -o report.md\n"
                                 "  vmaf-tune report corpus.jsonl --svg rate-quality curves.svg --csv curves.csv"},
                                bind_report, run_report);
}

} // namespace vmaf::tune
