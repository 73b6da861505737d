#include "cli/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace vmaf::tune {

namespace {

constexpr std::size_t kWidth = 80, kColumn = 30;

// The options that most users need, shown first.
constexpr const char *kCommon[] = {"source",    "encoder", "preset",   "target-vmaf", "target",
                                   "crf",       "metrics", "encoders", "output",      "format",
                                   "overwrite", "resume",  "jobs",     "json",        "help"};
// Groups shown first, and those for special set-ups shown last; others are in between.
constexpr std::string_view kFirstGroups[] = {"Options", "Search", "Source", "Encoding", "Scoring"};
constexpr std::string_view kLastGroups[] = {"Running", "Programs", "Cluster"};

std::size_t rank_of(const std::string &group) {
    const auto *const first = std::ranges::find(kFirstGroups, group);
    if (first != std::end(kFirstGroups)) return static_cast<std::size_t>(first - std::begin(kFirstGroups));
    const auto *const last = std::ranges::find(kLastGroups, group);
    const std::size_t middle = std::size(kFirstGroups);
    return last == std::end(kLastGroups) ? middle
                                         : middle + 1 + static_cast<std::size_t>(last - std::begin(kLastGroups));
}

bool is_common(const CLI::Option *option) {
    return std::ranges::any_of(kCommon, [&](const char *name) { return option->check_lname(name); });
}

std::vector<const CLI::Option *> common_options(const CLI::App *app) {
    std::vector<const CLI::Option *> found;
    for (const char *name : kCommon) {
        const auto options = app->get_options([&](const CLI::Option *option) {
            return option->nonpositional() && !option->get_group().empty() && option->check_lname(name);
        });
        found.insert(found.end(), options.begin(), options.end());
    }
    return found;
}

// Appends text from the given column on; breaks lines after a blank or, in lists of words, after a comma.
void append_wrapped(std::string &out, std::string_view text, std::size_t column, std::size_t indent) {
    while (column + text.size() > kWidth) {
        const std::size_t room = kWidth - column;
        std::size_t end = text.find_last_of(' ', room);
        if (end == std::string_view::npos || end == 0) {
            end = text.substr(0, room).find_last_of(',');
            end = end == std::string_view::npos ? room : end + 1;
        }
        out.append(text.substr(0, end)).append("\n").append(indent, ' ');
        text.remove_prefix(std::min(text.size(), text[end] == ' ' ? end + 1 : end));
        column = indent;
    }
    out.append(text).append("\n");
}

std::string entry(const std::string &name, const std::string &description) {
    std::string out = "  ";
    if (2 + name.size() < kColumn && !description.empty()) {
        out.append(name).append(kColumn - 2 - name.size(), ' ');
    } else {
        append_wrapped(out, name, 2, 6);
        if (description.empty()) return out;
        out.append(kColumn, ' ');
    }
    append_wrapped(out, description, kColumn, kColumn);
    return out;
}

void replace(std::string &text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_option(const CLI::Option *option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option *option) const override;
    std::string make_subcommand(const CLI::App *sub) const override;
};

std::string HelpFormatter::make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    std::string out = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    const bool has_common = app->get_parent() != nullptr; // a command, with many options
    if (has_common) out += make_group("Common options", false, common_options(app));
    std::vector<std::string> groups = app->get_groups();
    std::ranges::stable_sort(groups,
                             [](const std::string &a, const std::string &b) { return rank_of(a) < rank_of(b); });
    for (const std::string &group : groups) {
        const auto options = app->get_options([&](const CLI::Option *option) {
            return option->get_group() == group && option->nonpositional() && !(has_common && is_common(option));
        });
        if (!group.empty() && !options.empty()) out += make_group(group, false, options);
    }
    return out + make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::make_option(const CLI::Option *option, bool is_positional) const {
    return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

// "{a,b}" instead of "TEXT:{a,b}", "N in [1 - 8]" instead of "UINT:INT in [1 - 8]".
std::string HelpFormatter::make_option_opts(const CLI::Option *option) const {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (const auto &[from, to] :
         {std::pair(":INT in", " in"), std::pair(":UINT in", " in"), std::pair(":POSITIVE", ""),
          std::pair(":NONNEGATIVE", ""), std::pair("TEXT:{", "{"), std::pair("INT:{", "{"), std::pair("UINT", "N"),
          std::pair("INT", "N"), std::pair("FLOAT", "NUMBER")})
        replace(text, from, to);
    return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App *sub) const {
    return entry(sub->get_display_name(true), sub->get_description());
}

} // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

} // namespace vmaf::tune
