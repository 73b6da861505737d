#include "commands/commands.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/lists.hpp"
#include "cli/add_option.hpp"

namespace vmaf::tune {

void add_commands(Commands &commands) {
    for (const auto add :
         {add_search, add_encode, add_compare, add_ladder, add_per_shot, add_score, add_sample, add_fast, add_predict,
          add_corpus, add_benchmark, add_report, add_doctor, add_cache, add_status, add_completions})
        add(commands);
}

namespace {

struct CompletionsRequest : RunningOptions {
    const CLI::App *program = nullptr;
    std::string shell = "bash";
};

int print_completions(const CompletionsRequest &o) {
    const std::string &shell = o.shell;
    std::string commands, cases;
    for (const CLI::App *sub : o.program->get_subcommands({})) {
        add_item(commands, sub->get_name(), " ");
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

void bind_completions(CLI::App &app, CompletionsRequest &o) {
    o.program = app.get_parent();
    add_option(app, "shell", o.shell, "bash, zsh or fish")->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

} // namespace

void add_completions(Commands &commands) {
    commands.add<CompletionsRequest>({"completions",
                                      "shell completion",
                                      {"print-completions"},
                                      "  eval \"$(vmaf-tune completions bash)\"\n"
                                      "  eval \"$(vmaf-tune completions zsh)\"\n"
                                      "  vmaf-tune completions fish | source"},
                                     bind_completions, print_completions);
}

} // namespace vmaf::tune
