#include "option_table.hpp"

#include "exit_code.hpp"
#include "say.hpp"
#include "suggestion.hpp"
#include "system/environment.hpp"

namespace vmaf::cli {

namespace {

std::vector<std::string_view> names_beginning_with(std::string_view prefix) {
    std::vector<std::string_view> list;
    for (const CommandOption &o : command_options())
        if (o.name.starts_with(prefix)) list.push_back(o.name);
    return list;
}

Failure problem(const ScannedOption &found) {
    using Status = ScannedOption::Status;
    const std::string known =
        found.letter ? std::string("-") + found.letter : "--" + std::string(command_options()[found.option].name);
    if (found.status == Status::value_missing) return usage_error("option " + known + " needs a value");
    if (found.status == Status::value_unwanted) return usage_error("option " + known + " takes no value");
    if (found.letter) return usage_error("unknown option " + known);
    const std::string name(found.name);
    if (found.status == Status::ambiguous) {
        std::string list;
        for (const std::string_view candidate : names_beginning_with(name)) list.append(" --").append(candidate);
        return usage_error("option --" + name + " is ambiguous; it may mean" + list);
    }
    const std::string_view meant = nearest(name, names_beginning_with(""));
    return usage_error("unknown option --" + name +
                       (meant.empty() ? "" : "; did you mean --" + std::string(meant) + "?"));
}

} // namespace

std::vector<FoundOption> scan_command_line(std::span<const char *const> arguments) {
    std::vector<LongOption> known_options;
    for (const CommandOption &o : command_options())
        known_options.push_back({o.name, o.value, o.letter, o.is_reference});
    OptionScanner scanner(known_options, arguments.empty() ? arguments : arguments.subspan(1),
                          system::is_set("POSIXLY_CORRECT"));
    std::vector<FoundOption> list;
    while (const auto found = scanner.next()) {
        if (found->status != ScannedOption::Status::found) throw problem(*found);
        const CommandOption &known = command_options()[found->option];
        list.push_back({&known, std::string(found->value.value_or(""))});
        if (known.acts_at_once) return list;
    }
    for (const std::string_view word : scanner.others())
        say("warning: '" + std::string(word) + "' is not an option and is ignored; write --distorted before each clip");
    return list;
}

} // namespace vmaf::cli
