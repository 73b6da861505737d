// The flags of each subcommand. Help, manual page and completion are made from this table.
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/run.hpp"
#include "commands/commands.hpp"
#include "commands/fast.hpp"
#include "commands/on_cluster.hpp"
#include "commands/predict.hpp"

namespace vmaf::tune {

CLI::App *add_command(CLI::App &app, const std::string &name, const std::string &summary,
                      const std::vector<std::string> &aliases, const std::string &examples) {
    CLI::App *sub = app.add_subcommand(name, summary);
    for (const std::string &alias : aliases) sub->alias(alias);
    sub->footer("Examples:\n" + examples);
    return sub;
}

void bind_commands(CLI::App &app, Options &o, int &exit_code) {
    static constexpr Choice<CorpusFormat> kCorpusFormats[] = {{"jsonl", CorpusFormat::jsonl},
                                                              {"csv", CorpusFormat::csv}};
    const auto corpus_own = std::make_shared<CorpusOptions>();
    auto *corpus =
        add_command(app, "corpus", "a grid of encodes, one JSON row each", {"sweep"},
                    "  vmaf-tune corpus -i a.mkv -i b.mkv -e libx264 -e libsvtav1 --preset medium --crf-range "
                    "20:40:5 -o corpus.jsonl");
    bind_encoding_command(*corpus, o, {.several_sources = true, .several_encoders = true});
    bind_variants(*corpus, o);
    add_option(*corpus, "--crf", o.q_values, "quality value (also --q); may be repeated")->group("Grid");
    add_option(*corpus, "--crf-range", corpus_own->q_range, "LOW:HIGH[:STEP]")->group("Grid");
    corpus->add_flag("--resume", corpus_own->resume, "go on with an existing output; nothing is done twice")
        ->group("Grid");
    corpus->add_flag("--append", corpus_own->append, "add to an existing output")->group("Grid");
    corpus->add_flag("--retry-failed", corpus_own->retry_failed, "with --resume: try failed cells again")
        ->group("Grid");
    add_option(*corpus, "--frames", corpus_own->frames_out, "per-frame scores as JSON lines, for report")
        ->group("Grid");
    corpus
        ->add_flag("--coarse-to-fine", corpus_own->coarse_to_fine,
                   "quality values by a coarse search, instead of --crf")
        ->group("Grid");
    add_option(*corpus, "--target-vmaf", o.target_vmaf, "with --coarse-to-fine: where the fine values lie")
        ->group("Grid");
    add_option(*corpus, "--min-q,--crf-min", o.min_q, "with --coarse-to-fine: smallest value")->group("Grid");
    add_option(*corpus, "--max-q,--crf-max", o.max_q, "with --coarse-to-fine: largest value")->group("Grid");
    corpus->add_flag("--unordered", corpus_own->unordered, "write rows as they are finished")->group("Grid");
    add_choice(*corpus, "--format", corpus_own->format, kCorpusFormats, "jsonl or csv", false)->group("Rows");
    bind_coarse_search(*corpus, o);
    bind_source_list(*corpus, o);
    bind_rows(*corpus, o);
    bind_older_flags(*corpus, o);
    bind_cluster(*corpus, o);
    o.files.push_back([corpus_own] { return CommandFiles{{}, {corpus_own->frames_out}}; });
    corpus->callback([&o, &exit_code, corpus_own] {
        exit_code = run_anywhere(o, corpus_on_cluster(*corpus_own),
                                 [corpus_own](const Options &options) { return run_corpus(options, *corpus_own); });
    });

    const auto search_own = std::make_shared<SearchOptions>();
    auto *search =
        add_command(app, "search", "the quality value that just meets a target", {"recommend", "bisect", "crf-search"},
                    "  vmaf-tune search -i film.mkv -e libsvtav1 --target-vmaf 95\n"
                    "  vmaf-tune search -i film.mkv --target \"vmaf:percentile=1>=88\" --target \"vmaf>=95\"\n"
                    "  vmaf-tune search --from-corpus corpus.jsonl --target-vmaf 93");
    bind_encoding_command(*search, o, {.several_sources = true, .several_encoders = true});
    bind_source_list(*search, o);
    bind_search(*search, o);
    add_option(*search, "--target-bitrate", o.target_bitrate, "kbps to come nearest to, instead of a quality")
        ->group("Search");
    add_option(*search, "--from-corpus", o.from_corpus, "answer from existing rows, without encoding")->group("Search");
    search
        ->add_flag("--interpolate", search_own->interpolate,
                   "with --from-corpus: a value between two rows, by a monotone curve")
        ->group("Search");
    search->add_flag("--allow-mixed-models", o.allow_mixed_models, "with --from-corpus: rows of different models")
        ->group("Search");
    bind_rows(*search, o);
    bind_older_flags(*search, o);
    search->callback([&o, &exit_code, search_own] { exit_code = run_search(o, *search_own); });

    auto *sample = add_command(app, "sample", "score and predicted size at one quality value", {"sample-encode"},
                               "  vmaf-tune sample -i film.mkv -e libx265 --crf 24");
    bind_encoding_command(*sample, o, {});
    add_option(*sample, "--crf", o.q_values, "quality value (also --q)")->required();
    bind_rows(*sample, o);
    bind_older_flags(*sample, o);
    sample->callback([&] { exit_code = run_sample(o); });

    bind_encode_command(app, o, exit_code);
    bind_score_command(app, o, exit_code);
    bind_compare(app, o, exit_code);
    bind_benchmark(app, o, exit_code);
    bind_ladder(app, o, exit_code);
    bind_per_shot(app, o, exit_code);
    bind_older_flags(*bind_fast(app, o, exit_code), o);
    bind_older_flags(*bind_predict(app, o, exit_code), o);
    bind_report(app, o, exit_code);

    auto *status = add_command(app, "status", "progress of runs on a cluster", {},
                               "  vmaf-tune status --shared /shared/tune\n"
                               "  vmaf-tune status /shared/tune/runs/20260101-120000-abc123 --attach");
    add_option(*status, "run", o.cluster.run, "folder of a run (default: all below --shared)");
    add_option(*status, "--shared", o.cluster.shared, "the folder that the runs were given");
    status->add_flag("--attach", o.cluster.attach, "watch until the end; Ctrl-C stops watching, the run goes on");
    status->add_flag("--wait", o.cluster.wait, "wait until the end, with the run's exit code");
    status->add_flag("--cancel", o.cluster.cancel, "end the run; what is done is written");
    status->add_flag("--json", o.json, "as JSON lines");
    status->callback([&] { exit_code = run_status(o); });

    auto *doctor = add_command(app, "doctor", "what is installed and usable", {"probe"}, "  vmaf-tune doctor --json");
    doctor->add_flag("--json", o.json, "as JSON");
    add_option(*doctor, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(*doctor, "--vmaf-bin", o.vmaf, "vmaf to ask with --scorer binary");
    add_choice(*doctor, "--scorer", o.scorer, kScorers, "library or binary");
    add_option(*doctor, "--cache-dir", o.cache_dir, "cache to look at");
    add_option(*doctor, "--work-dir,--temp-dir", o.work_dir, "scratch folder to look at");
    doctor->callback([&] { exit_code = run_doctor(o); });

    bind_cache(app, o, exit_code);

    auto *completions = add_command(app, "completions", "shell completion", {"print-completions"},
                                    "  vmaf-tune completions bash > /etc/bash_completion.d/vmaf-tune");
    const auto shell = std::make_shared<std::string>("bash");
    add_option(*completions, "shell", *shell, "bash, zsh or fish")->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completions->callback([&app, &exit_code, shell] { exit_code = print_completions(app, *shell); });
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
