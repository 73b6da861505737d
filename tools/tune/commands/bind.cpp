// The flags of each subcommand. Help, manual page and completion are made from this table.
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/run.hpp"
#include "commands/commands.hpp"
#include "commands/fast.hpp"
#include "commands/on_cluster.hpp"
#include "commands/predict.hpp"

namespace vmaf::tune {

namespace {

CLI::App *command(CLI::App &app, const std::string &name, const std::string &summary,
                  const std::vector<std::string> &aliases, const std::string &examples) {
    CLI::App *sub = app.add_subcommand(name, summary);
    for (const std::string &alias : aliases) sub->alias(alias);
    sub->footer("Examples:\n" + examples);
    return sub;
}

} // namespace

void bind_commands(CLI::App &app, Options &o, int &exit_code) {
    auto *corpus = command(app, "corpus", "a grid of encodes, one JSON row each", {"sweep"},
                           "  vmaf-tune corpus -i a.mkv -i b.mkv -e libx264 -e libsvtav1 --preset medium --crf-range "
                           "20:40:5 -o corpus.jsonl");
    bind_source(*corpus, o, true);
    bind_encode(*corpus, o, true);
    bind_variants(*corpus, o);
    bind_score(*corpus, o);
    bind_sampling(*corpus, o);
    bind_running(*corpus, o);
    add_option(*corpus, "--crf,--q", o.q_values, "quality value; may be repeated")->group("Grid");
    add_option(*corpus, "--crf-range", o.q_range, "LOW:HIGH[:STEP]")->group("Grid");
    corpus->add_flag("--resume", o.resume, "go on with an existing output; nothing is done twice")->group("Grid");
    corpus->add_flag("--append", o.append, "add to an existing output")->group("Grid");
    corpus->add_flag("--retry-failed", o.retry_failed, "with --resume: try failed cells again")->group("Grid");
    add_option(*corpus, "--frames", o.frames_out, "per-frame scores as JSON lines, for report")->group("Grid");
    corpus->add_flag("--coarse-to-fine", o.coarse_to_fine, "quality values by a coarse search, instead of --crf")
        ->group("Grid");
    add_option(*corpus, "--target-vmaf", o.target_vmaf, "with --coarse-to-fine: where the fine values lie")
        ->group("Grid");
    add_option(*corpus, "--min-q,--crf-min", o.min_q, "with --coarse-to-fine: smallest value")->group("Grid");
    add_option(*corpus, "--max-q,--crf-max", o.max_q, "with --coarse-to-fine: largest value")->group("Grid");
    corpus->add_flag("--unordered", o.unordered, "write rows as they are finished")->group("Grid");
    add_option(*corpus, "--format", o.format, "jsonl or csv")->check(CLI::IsMember({"jsonl", "csv"}))->group("Rows");
    bind_coarse_search(*corpus, o);
    bind_source_list(*corpus, o);
    bind_rows(*corpus, o);
    bind_older_flags(*corpus, o);
    bind_cluster(*corpus, o);
    corpus->callback([&] { exit_code = run_anywhere(o, corpus_on_cluster(), run_corpus); });

    auto *search =
        command(app, "search", "the quality value that just meets a target", {"recommend", "bisect", "crf-search"},
                "  vmaf-tune search -i film.mkv -e libsvtav1 --target-vmaf 95\n"
                "  vmaf-tune search -i film.mkv --target \"vmaf:percentile=1>=88\" --target \"vmaf>=95\"\n"
                "  vmaf-tune search --from-corpus corpus.jsonl --target-vmaf 93");
    bind_source(*search, o, true);
    bind_source_list(*search, o);
    bind_encode(*search, o, true);
    bind_score(*search, o);
    bind_sampling(*search, o);
    bind_running(*search, o);
    bind_search(*search, o);
    add_option(*search, "--target-bitrate", o.target_bitrate, "kbps to come nearest to, instead of a quality")
        ->group("Search");
    add_option(*search, "--from-corpus", o.from_corpus, "answer from existing rows, without encoding")->group("Search");
    search
        ->add_flag("--interpolate", o.interpolate, "with --from-corpus: a value between two rows, by a monotone curve")
        ->group("Search");
    search->add_flag("--allow-mixed-models", o.allow_mixed_models, "with --from-corpus: rows of different models")
        ->group("Search");
    bind_rows(*search, o);
    bind_older_flags(*search, o);
    search->callback([&] { exit_code = run_search(o); });

    auto *sample = command(app, "sample", "score and predicted size at one quality value", {"sample-encode"},
                           "  vmaf-tune sample -i film.mkv -e libx265 --crf 24");
    bind_source(*sample, o, false);
    bind_encode(*sample, o, false);
    bind_score(*sample, o);
    bind_sampling(*sample, o);
    bind_running(*sample, o);
    add_option(*sample, "--crf,--q", o.q_values, "quality value")->required();
    bind_rows(*sample, o);
    bind_older_flags(*sample, o);
    sample->callback([&] { exit_code = run_sample(o); });

    auto *encode = command(app, "encode", "search, then encode the whole file", {"auto-encode"},
                           "  vmaf-tune encode -i film.mkv -e libsvtav1 --preset slow --target-vmaf 95\n"
                           "  vmaf-tune encode -i film.mkv -e libx264 --crf 21 -o out.mp4");
    bind_source(*encode, o, false);
    bind_encode(*encode, o, false);
    bind_score(*encode, o);
    bind_sampling(*encode, o);
    bind_running(*encode, o);
    bind_search(*encode, o);
    add_option(*encode, "--crf,--q", o.q_values, "quality value; without it a search comes first");
    bind_source_list(*encode, o);
    bind_finished_file(*encode, o);
    bind_older_flags(*encode, o);
    encode->callback([&] { exit_code = run_encode_command(o); });

    auto *score = command(app, "score", "score existing files against a reference", {"vmaf", "metrics"},
                          "  vmaf-tune score master.mov encode.mkv\n"
                          "  vmaf-tune score master.mov a.mkv b.mkv --metrics vmaf,psnr,ssimulacra2 --format csv");
    add_option(*score, "reference,--reference", o.reference, "reference video")->required();
    add_option(*score, "distorted,--distorted", o.distorted, "videos to score")->required();
    bind_score(*score, o);
    bind_running(*score, o);
    add_option(*score, "--format", o.format, "human, json, csv or xml")
        ->check(CLI::IsMember({"human", "json", "csv", "xml"}));
    add_option(*score, "--num-frames", o.num_frames, "score so many frames")->check(CLI::Range(1, 1 << 30));
    add_option(*score, "--start-offset", o.start_offset, "begin there in both files: a time, or f:N for a frame");
    add_option(*score, "--pair", o.pair,
               "frames by their number (index), by the times at which they are shown (time), or by time where a "
               "file has a variable rate (auto)")
        ->check(CLI::IsMember({"auto", "time", "index"}));
    add_option(*score, "--frames", o.frames_out, "per-frame values as JSON lines");
    add_option(*score, "--vfilter", o.vfilter, "filter for the reference");
    add_option(*score, "--framerate", o.framerate, "frame rate of raw files");
    add_option(*score, "--width", o.width, "luma width of raw files");
    add_option(*score, "--height", o.height, "luma height of raw files");
    add_option(*score, "--pix-fmt", o.pix_fmt, "FFmpeg pixel format of raw files");
    score->add_flag("--allow-damaged", o.allow_damaged, "score although the reference has errors in its stream");
    score->add_flag("--deinterlace", o.deinterlace, "one picture of two fields, where a file is interlaced");
    add_option(*score, "--score-fps", o.score_fps, "pair by number although the tagged rates differ");
    add_option(*score, "--align", o.align,
               "check: refuse files that are out of step; auto: correct an offset of up to 2 s; none")
        ->check(CLI::IsMember({"check", "auto", "none"}));
    add_option(*score, "--reference-vfilter", o.reference_vfilter, "the same as --vfilter");
    add_option(*score, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(*score, "--ffprobe-bin", o.ffprobe, "ffprobe to use");
    add_option(*score, "--vmaf-bin", o.vmaf, "vmaf to use with --scorer binary");
    score->callback([&] { exit_code = run_score_command(o); });

    auto *compare =
        command(app, "compare", "several encoders at one target, ranked by bitrate", {},
                "  vmaf-tune compare -i film.mkv --encoders libx264,libx265:slow,libsvtav1 --target-vmaf 93");
    bind_source(*compare, o, false);
    bind_encode(*compare, o, true);
    bind_variants(*compare, o);
    bind_score(*compare, o);
    bind_sampling(*compare, o);
    bind_running(*compare, o);
    bind_search(*compare, o);
    add_option(*compare, "--encoders", o.compare_encoders,
               "ENCODER[:PRESET], separated by commas (default: all software encoders)")
        ->delimiter(',');
    add_option(*compare, "--baseline", o.baseline, "encoder or variant that others are compared with");
    add_option(*compare, "--format", o.format, "markdown, json, csv or html")
        ->check(CLI::IsMember({"markdown", "json", "csv", "html"}));
    bind_older_flags(*compare, o);
    bind_cluster(*compare, o);
    compare->callback([&] { exit_code = run_anywhere(o, compare_on_cluster(), run_compare); });

    auto *benchmark = command(app, "benchmark", "encoders at one target, from existing rows", {},
                              "  vmaf-tune benchmark --from-corpus corpus.jsonl --target-vmaf 93");
    add_option(*benchmark, "rows,--from-corpus", o.from_corpus, "rows of a corpus")->required();
    add_option(*benchmark, "--target-vmaf", o.target_vmaf, "VMAF to reach (default 92)");
    add_option(*benchmark, "--target", o.targets, "METRIC>=VALUE or METRIC:POOL>=VALUE")->expected(1);
    add_option(*benchmark, "--baseline-encoder,--baseline", o.baseline, "encoder that others are compared with");
    benchmark->add_flag("--per-source", o.per_source, "list the best row of each source too (JSON)");
    benchmark->add_flag("--allow-mixed-models", o.allow_mixed_models, "rows of different models");
    add_option(*benchmark, "--format", o.format, "markdown, json or csv")
        ->check(CLI::IsMember({"markdown", "json", "csv"}));
    add_option(*benchmark, "-o,--output", o.output, "result file; - for standard output");
    benchmark->add_flag("-y,--overwrite", o.overwrite, "replace existing results");
    benchmark->add_flag("--json", o.json, "the same as --format json");
    benchmark->add_flag("--strict", o.strict, "a malformed row ends the command");
    benchmark->callback([&] { exit_code = run_benchmark(o); });

    auto *ladder = command(app, "ladder", "resolutions and bitrates to ship", {},
                           "  vmaf-tune ladder -i film.mkv -e libx264 --resolutions 1920x1080,1280x720,640x360 "
                           "--format hls -o master.m3u8");
    bind_source(*ladder, o, false);
    bind_encode(*ladder, o, false);
    bind_score(*ladder, o);
    bind_sampling(*ladder, o);
    bind_running(*ladder, o);
    bind_search(*ladder, o);
    add_option(*ladder, "--resolutions", o.resolutions,
               "WxH, separated by commas (default: the source's own and smaller ones of its shape)");
    add_option(*ladder, "--target-vmafs", o.target_vmafs, "targets, separated by commas");
    add_option(*ladder, "--quality-tiers", o.quality_tiers, "rungs at most")->check(CLI::Range(1, 50));
    add_option(*ladder, "--spacing", o.spacing, "log_bitrate or vmaf")
        ->check(CLI::IsMember({"log_bitrate", "vmaf", "uniform"}));
    add_option(*ladder, "--format", o.format, "json, hls or dash")->check(CLI::IsMember({"json", "hls", "dash"}));
    add_option(*ladder, "--points", o.points, "all measured points as rows");
    add_option(*ladder, "--min-bitrate", o.min_bitrate, "kbps: no rung below");
    add_option(*ladder, "--audio-codec", o.audio_codec,
               "with --run: codec of the sound (default: AAC, copied if it is)");
    ladder->add_flag("--video-only", o.video_only, "with --run: without sound");
    ladder->add_flag("--run", o.run, "encode the rungs beside the output, key frames aligned");
    add_option(*ladder, "--segment-seconds", o.segment_seconds, "with --run: length of segments")
        ->check(CLI::PositiveNumber);
    bind_older_flags(*ladder, o);
    bind_cluster(*ladder, o);
    ladder->callback([&] { exit_code = run_anywhere(o, ladder_on_cluster(), run_ladder); });

    auto *per_shot =
        command(app, "per-shot", "a quality value for each shot", {"tune-per-shot"},
                "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --plan-out plan.json --script-out encode.sh");
    bind_source(*per_shot, o, false);
    bind_encode(*per_shot, o, false);
    bind_score(*per_shot, o);
    bind_running(*per_shot, o);
    bind_search(*per_shot, o);
    add_option(*per_shot, "--shots", o.shots, "shots of an external detector (JSON or CSV)");
    add_option(*per_shot, "--diff-threshold", o.diff_threshold,
               "cut where luma differs by so much from frame to frame, instead of asking the detector");
    add_option(*per_shot, "--min-shot", o.min_shot, "shortest shot in frames")->check(CLI::Range(1, 100000));
    add_option(*per_shot, "--max-shot", o.max_shot, "longer shots are split; 0: never");
    add_option(*per_shot, "--segment-dir", o.segment_dir, "folder for segments");
    add_option(*per_shot, "--plan-out", o.plan_out, "the plan as JSON");
    add_option(*per_shot, "--script-out", o.script_out, "a shell script that carries it out");
    per_shot->add_flag("--run", o.run, "encode, join and score now");
    add_option(*per_shot, "--per-shot-bin", o.per_shot_bin, "external shot detector to call");
    add_option(*per_shot, "--probe-preset", o.probe_preset, "preset of probes, faster than that of the segments");
    add_option(*per_shot, "--probe-rate", o.probe_rate, "probe every N-th frame only")->check(CLI::Range(1, 4));
    add_option(*per_shot, "--max-q-step", o.max_q_step, "neighbouring shots differ by at most this")
        ->check(CLI::PositiveNumber);
    add_option(*per_shot, "--floor", o.floor, "guard for bad frames, POOL>=VALUE, e.g. percentile=5>=85");
    add_option(*per_shot, "--zones", o.zones, "file with parts that have own wishes: `start end key=value...`");
    bind_older_flags(*per_shot, o);
    bind_cluster(*per_shot, o);
    per_shot->callback([&] { exit_code = run_anywhere(o, per_shot_on_cluster(), run_per_shot); });

    bind_older_flags(*bind_fast(app, o, exit_code), o);
    bind_older_flags(*bind_predict(app, o, exit_code), o);

    auto *report = command(app, "report", "measured rows as an HTML page, charts and tables", {},
                           "  vmaf-tune report corpus.jsonl --frames frames.jsonl -o report.html\n"
                           "  vmaf-tune report corpus.jsonl --svg rate-quality curves.svg --csv curves.csv");
    add_option(*report, "input", o.inputs, "rows (JSON lines), search results, ladders, shot plans, or frame scores")
        ->required();
    add_option(*report, "--frames", o.frame_files, "per-frame scores (of corpus --frames or score --frames)");
    add_option(*report, "-o,--output", o.output, "report.html, report.md, - or a folder for everything");
    report->add_flag("-y,--overwrite", o.overwrite, "replace existing files");
    add_option(*report, "--variant", o.variants,
               "NAME=key=value,...: the name of rows that were encoded with these options; may be repeated");
    add_option(*report, "--title", o.title, "heading of the page");
    add_option(*report, "--target", o.report_targets, "score to mark in the charts; may be repeated");
    add_option(*report, "--baseline", o.baseline,
               "configuration that savings are counted from, or how its name begins (default: libx264)");
    add_option(*report, "--thumbnails", o.thumbnails, "pictures of worst frames per encode; 0: none")
        ->check(CLI::Range(0, 50));
    add_option(*report, "--svg", o.svg,
               "KIND FILE: one chart (rate-quality, quality, speed, search, frames, histogram, ladder, shots)")
        ->expected(2);
    add_option(*report, "--csv", o.csv, "the table behind that chart, or all rows");
    add_option(*report, "--work-dir,--temp-dir", o.work_dir, "scratch folder");
    add_option(*report, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(*report, "--ffprobe-bin", o.ffprobe, "ffprobe to use");
    report->add_flag("-q,--quiet", o.quiet, "errors only");
    report->callback([&] { exit_code = run_report(o); });

    auto *status = command(app, "status", "progress of runs on a cluster", {},
                           "  vmaf-tune status --shared /shared/tune\n"
                           "  vmaf-tune status /shared/tune/runs/20260101-120000-abc123 --attach");
    add_option(*status, "run", o.cluster.run, "folder of a run (default: all below --shared)");
    add_option(*status, "--shared", o.cluster.shared, "the folder that the runs were given");
    status->add_flag("--attach", o.cluster.attach, "watch until the end; Ctrl-C stops watching, the run goes on");
    status->add_flag("--wait", o.cluster.wait, "wait until the end, with the run's exit code");
    status->add_flag("--cancel", o.cluster.cancel, "end the run; what is done is written");
    status->add_flag("--json", o.json, "as JSON lines");
    status->callback([&] { exit_code = run_status(o); });

    auto *doctor = command(app, "doctor", "what is installed and usable", {"probe"}, "  vmaf-tune doctor --json");
    doctor->add_flag("--json", o.json, "as JSON");
    add_option(*doctor, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(*doctor, "--vmaf-bin", o.vmaf, "vmaf to ask with --scorer binary");
    add_option(*doctor, "--scorer", o.scorer, "library or binary")->check(CLI::IsMember({"library", "binary"}));
    add_option(*doctor, "--cache-dir", o.cache_dir, "cache to look at");
    add_option(*doctor, "--work-dir,--temp-dir", o.work_dir, "scratch folder to look at");
    doctor->callback([&] { exit_code = run_doctor(o); });

    auto *cache = command(app, "cache", "the cache of results", {},
                          "  vmaf-tune cache stats\n  vmaf-tune cache prune --older 720h --to 1G");
    add_option(*cache, "--cache-dir", o.cache_dir, "cache to look at");
    cache->require_subcommand(1);
    const auto action = [&](const std::string &name, const std::string &summary) {
        CLI::App *sub = cache->add_subcommand(name, summary);
        sub->fallthrough(); // --cache-dir may follow
        sub->callback([&, name] { exit_code = run_cache(o, name); });
        return sub;
    };
    action("stats", "entries and size");
    action("list", "every entry: kind, last use, size, what it is about")->add_flag("--json", o.json, "as JSON lines");
    CLI::App *prune = action("prune", "forget what was not used for long");
    add_option(*prune, "--older", o.older, "entries not used for so long: 720h");
    add_option(*prune, "--to", o.shrink_to, "those used longest ago, until so much is left: 1G");
    prune->add_flag("--scratch", o.remove_scratch, "remove scratch folders older than seven days");
    add_option(*prune, "--work-dir,--temp-dir", o.work_dir, "where scratch folders are looked for");
    action("clear", "forget everything");
    action("verify", "look for damage; damaged entries are removed");

    auto *completions = command(app, "completions", "shell completion", {"print-completions"},
                                "  vmaf-tune completions bash > /etc/bash_completion.d/vmaf-tune");
    add_option(*completions, "shell", o.shell, "bash, zsh or fish")->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completions->callback([&] { exit_code = print_completions(app, o.shell); });
}

int print_completions(const CLI::App &app, const std::string &shell) {
    std::string commands, cases;
    for (const CLI::App *sub : app.get_subcommands({})) {
        commands += (commands.empty() ? "" : " ") + sub->get_name();
        std::string flags;
        const auto shown = sub->get_options([](const CLI::Option *option) { return !option->get_group().empty(); });
        for (const CLI::Option *option : shown)
            for (const std::string &name : option->get_lnames()) flags += (flags.empty() ? "--" : " --") + name;
        if (shell == "fish") {
            std::printf("complete -c vmaf-tune -n __fish_use_subcommand -a %s -d '%s'\n", sub->get_name().c_str(),
                        sub->get_description().c_str());
            for (const CLI::Option *option : shown)
                for (const std::string &name : option->get_lnames())
                    std::printf("complete -c vmaf-tune -n '__fish_seen_subcommand_from %s' -l %s\n",
                                sub->get_name().c_str(), name.c_str());
        }
        cases += "    " + sub->get_name() + ") words=\"" + flags + "\" ;;\n";
    }
    if (shell == "fish") return kExitOk;
    if (shell == "zsh") std::printf("#compdef vmaf-tune\nautoload -U +X bashcompinit && bashcompinit\n");
    std::printf(
        "_vmaf_tune() {\n  local words=\"%s\" current=\"${COMP_WORDS[COMP_CWORD]}\"\n  if [ \"$COMP_CWORD\" -gt 1 ]; "
        "then\n    case \"${COMP_WORDS[1]}\" in\n%s    esac\n    case \"$current\" in\n"
        "    -*) ;;\n    *) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n    esac\n  fi\n  "
        "COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\ncomplete -o filenames -F _vmaf_tune vmaf-tune\n",
        commands.c_str(), cases.c_str());
    return kExitOk;
}

} // namespace vmaf::tune
