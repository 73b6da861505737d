#include "cli/add_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace vmaf::tune {

namespace {

// `nan` and `inf` are meaningless here.
CLI::Validator finite_number() {
    return CLI::Validator(
        [](std::string &text) {
            const double value = std::strtod(text.c_str(), nullptr);
            return std::isfinite(value) ? std::string() : "'" + text + "' is not a usable number";
        },
        "", "number");
}

} // namespace

InGroup::InGroup(CLI::App &app, const std::string &group) : app_(app), before_(app.option_defaults()->get_group()) {
    app.option_defaults()->group(group);
}

InGroup::~InGroup() { app_.option_defaults()->group(before_); }

template <class T> CLI::Option *add_option(CLI::App &app, const std::string &name, T &field, const std::string &text) {
    CLI::Option *option = app.add_option(name, field, text);
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>> ||
                  std::is_same_v<T, std::vector<double>>)
        option->check(finite_number());
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
        if (text.find("default") == std::string::npos) option->capture_default_str();
    return option;
}

#define VMAF_OPTION(...)                                                                                               \
    template CLI::Option *add_option(CLI::App &, const std::string &, __VA_ARGS__ &, const std::string &)
VMAF_OPTION(std::string);
VMAF_OPTION(std::optional<std::string>);
VMAF_OPTION(std::vector<std::string>);
VMAF_OPTION(int);
VMAF_OPTION(unsigned);
VMAF_OPTION(std::int64_t);
VMAF_OPTION(double);
VMAF_OPTION(std::optional<int>);
VMAF_OPTION(std::optional<unsigned>);
VMAF_OPTION(std::optional<double>);
VMAF_OPTION(std::vector<double>);
#undef VMAF_OPTION

void add_words(CLI::App &app, const std::string &name, const std::vector<std::string> &words,
               const std::function<void(std::size_t)> &take, const std::string &text,
               const std::string &shown_default) {
    CLI::Option *option = app.add_option_function<std::string>(
        name,
        [words, take](const std::string &word) {
            take(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
        },
        text);
    option->check(CLI::IsMember(words));
    if (!shown_default.empty()) option->default_str(shown_default);
}

} // namespace vmaf::tune
