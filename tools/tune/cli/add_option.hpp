// A flag whose help shows what it is without being given, unless the text says that already.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>

namespace vmaf::tune {

template <class T>
CLI::Option *add_option(CLI::App &app, const std::string &name, T &field, const std::string &text) {
    CLI::Option *option = app.add_option(name, field, text);
    // Lists and optional values have no default.
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
        if (text.find("default") == std::string::npos) option->capture_default_str();
    return option;
}

} // namespace vmaf::tune
