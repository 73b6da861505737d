#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include "text/near_names.hpp"

namespace vmaf::tune {

namespace {

const CLI::App *command_of(const CLI::App &app, const std::vector<std::string> &arguments) {
    if (arguments.empty()) return nullptr;
    for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
        if (command->check_name(arguments[0])) return command;
    return nullptr;
}

bool is_flag(const CLI::App &command, const std::string &name) {
    const CLI::Option *option = command.get_option_no_throw(name);
    return option && option->get_items_expected_max() == 0;
}

struct Mistake {
    std::string_view flag, meant;
};
// Names that other tools use for the same option.
constexpr Mistake kMistakes[] = {
    {"--vmaf", "--target-vmaf"},
    {"--min-vmaf", "--target-vmaf"},
    {"--vmaf-target", "--target-vmaf"},
    {"--input", "--source"},
    {"--out", "--output"},
    {"--pix-format", "--out-pix-fmt"},
    {"--threads", "--score-threads"},
    {"--backend", "--score-backend"},
    {"--vf", "--vfilter"},
    {"--cache", "--cache-dir"},
    {"--workers", "--jobs"},
    {"--max-crf-value", "--max-q"},
    {"--svt", "--enc svtav1-params="},
    {"--crf", "--start-q"},
    {"--ffmpeg", "--ffmpeg-bin"},
};

} // namespace

std::vector<std::string> long_names(const CLI::Option &option) {
    std::vector<std::string> names = option.get_lnames();
    if (option.check_lname("crf")) names.emplace_back("q");
    return names;
}

void resolve_negations(const CLI::App &app, std::vector<std::string> &arguments) {
    const CLI::App *command = command_of(app, arguments);
    if (!command) return;
    for (std::string &argument : arguments) {
        if (argument == "--") return;
        if ((argument == "--q" || argument.starts_with("--q=")) && command->get_option_no_throw("--crf"))
            argument.replace(0, 3, "--crf");
        if (!argument.starts_with("--") || command->get_option_no_throw(argument)) continue;
        const std::string twin =
            argument.starts_with("--no-") ? "--" + argument.substr(5) : "--no-" + argument.substr(2);
        if (is_flag(*command, twin)) argument = twin + "=false";
    }
}

std::string hint_for_unknown_flag(const CLI::App &app, const std::vector<std::string> &arguments) {
    const CLI::App *command = command_of(app, arguments);
    if (!command) return {};
    for (std::size_t i = 1; i < arguments.size(); i++) {
        const std::string flag = arguments[i].substr(0, arguments[i].find('='));
        if (!flag.starts_with("--") || flag.size() < 4 || command->get_option_no_throw(flag)) continue;
        const bool has_value = i + 1 < arguments.size() && !arguments[i + 1].starts_with("-");
        const std::string value = has_value ? " " + arguments[i + 1] : "";
        if (flag == "--predicate-module")
            return "--predicate-module needs a Python tool; searches here measure with --metric, --pool and --target";
        std::string meant;
        for (const Mistake &mistake : kMistakes)
            if (flag == mistake.flag &&
                command->get_option_no_throw(std::string(mistake.meant.substr(0, mistake.meant.find(' ')))))
                meant = mistake.meant;
        if (meant.empty()) {
            std::vector<std::string> names;
            for (const CLI::Option *option : command->get_options())
                for (const std::string &name : option->get_lnames()) names.push_back(name);
            if (const std::string name = nearest_name(flag.substr(2), names); !name.empty()) meant = "--" + name;
        }
        if (!meant.empty()) return "did you mean " + meant + value + "?";
    }
    return {};
}

std::string unknown_command(const CLI::App &app, const std::vector<std::string> &arguments) {
    const auto all = [](const CLI::App *) { return true; };
    if (arguments.empty() || arguments[0].starts_with("-")) return {};
    if (const CLI::App *command = command_of(app, arguments)) {
        if (command->get_subcommands(all).empty()) return {};
        return unknown_command(*command, {arguments.begin() + 1, arguments.end()});
    }
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands(all)) {
        for (const std::string &alias : command->get_aliases()) names.push_back(alias);
        names.push_back(command->get_name());
    }
    const std::string hint = near_name_hint(arguments[0], names);
    return "there is no command '" + arguments[0] + "'" + (hint.empty() ? " (see --help)" : hint);
}

void bind_older_flags(CLI::App &app, ProbeRequest &o, SearchOptions *search) {
    const auto hidden = [](CLI::Option *option) { option->group(""); };
    const auto notice = [&](const char *flag, const char *text) {
        if (!app.get_option_no_throw(flag))
            hidden(app.add_flag_callback(
                flag, [&o, sentence = std::string(flag) + ": " + text] { o.notices.push_back(sentence); }));
    };
    if (app.get_option_no_throw("--pix-fmt")) {
        app.add_option("--bitdepth", o.bitdepth, "8, 10 or 12; must agree with the source")
            ->check(CLI::IsMember({8, 10, 12}))
            ->group("");
    }
    if (app.get_option_no_throw("--source"))
        app.add_option("--total-frames", o.total_frames, "length in frames, if the file does not state it")
            ->check(CLI::PositiveNumber)
            ->group("Source");
    if (search)
        hidden(app.add_flag_callback("--coarse-to-fine", [&o, search] {
            search->search = SearchMethod::coarse;
            o.notices.push_back(
                "--coarse-to-fine: the same as --search coarse; the default, interp, needs fewer probes");
        }));
    notice("--use-saliency", "saliency is not computed here; rows have no saliency columns");
    notice("--saliency-aware", "saliency is not computed here; a plain encode is made");
}

} // namespace vmaf::tune
