// Adds a flag whose help shows its default, unless the text already does.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "text/choice.hpp"

namespace vmaf::tune {

// `nan` and `inf` are meaningless here.
inline CLI::Validator finite_number() {
    return CLI::Validator(
        [](std::string &text) {
            const double value = std::strtod(text.c_str(), nullptr);
            return std::isfinite(value) ? std::string() : "'" + text + "' is not a usable number";
        },
        "", "number");
}

// While it exists, new options belong to this group of the help.
class InGroup {
  public:
    InGroup(CLI::App &app, const std::string &group) : app_(app), before_(app.option_defaults()->get_group()) {
        app.option_defaults()->group(group);
    }
    ~InGroup() { app_.option_defaults()->group(before_); }
    InGroup(const InGroup &) = delete;
    InGroup &operator=(const InGroup &) = delete;

  private:
    CLI::App &app_;
    const std::string before_;
};

template <class T> CLI::Option *add_option(CLI::App &app, const std::string &name, T &field, const std::string &text) {
    CLI::Option *option = app.add_option(name, field, text);
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>> ||
                  std::is_same_v<T, std::vector<double>>)
        option->check(finite_number());
    // Lists and optional values have no default.
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
        if (text.find("default") == std::string::npos) option->capture_default_str();
    return option;
}

// `choices` must outlive the command line.
template <class Field, class E, std::size_t N>
CLI::Option *add_choice(CLI::App &app, const std::string &name, Field &field, const Choice<E> (&choices)[N],
                        const std::string &text, bool shows_default = true) {
    std::vector<std::string> words;
    for (const Choice<E> &choice : choices) words.emplace_back(choice.word);
    CLI::Option *option = app.add_option_function<std::string>(
        name,
        [&field, &choices](const std::string &word) {
            for (const Choice<E> &choice : choices)
                if (word == choice.word) field = choice.value;
        },
        text);
    option->check(CLI::IsMember(words));
    if constexpr (std::is_same_v<Field, E>) // an optional value has no default
        if (shows_default) option->default_str(word_of(choices, field));
    return option;
}

} // namespace vmaf::tune
