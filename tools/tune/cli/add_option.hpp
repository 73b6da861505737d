// Adds flags; their help shows the default, unless the text already does.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "text/choice.hpp"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace vmaf::tune {

// While it exists, new options belong to this group of the help.
class InGroup {
  public:
    InGroup(CLI::App &app, const std::string &group);
    ~InGroup();
    InGroup(const InGroup &) = delete;
    InGroup &operator=(const InGroup &) = delete;

  private:
    CLI::App &app_;
    const std::string before_;
};

// For texts and numbers, which may be optional, and lists of them. Lists and optional values have no default.
template <class T> CLI::Option *add_option(CLI::App &app, const std::string &name, T &field, const std::string &text);

// One of some words; passes on its index. `shown_default` may be empty.
void add_words(CLI::App &app, const std::string &name, const std::vector<std::string> &words,
               const std::function<void(std::size_t)> &take, const std::string &text, const std::string &shown_default);

// `choices` must outlive the command line.
template <class Field, class E, std::size_t N>
void add_choice(CLI::App &app, const std::string &name, Field &field, const Choice<E> (&choices)[N],
                const std::string &text, bool shows_default = true) {
    std::vector<std::string> words;
    for (const Choice<E> &choice : choices) words.emplace_back(choice.word);
    std::string shown;
    if constexpr (std::is_same_v<Field, E>)
        if (shows_default) shown = word_of(choices, field);
    add_words(
        app, name, words, [&field, &choices](std::size_t i) { field = choices[i].value; }, text, shown);
}

} // namespace vmaf::tune
