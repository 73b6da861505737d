#include "cli/config.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "system/environment.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

std::string stripped(const std::string &text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_given(const CLI::Option &option, const std::vector<std::string> &arguments) {
    return std::ranges::any_of(arguments, [&](const std::string &a) {
        for (const std::string &name : option.get_lnames())
            if (a == "--" + name || a.starts_with("--" + name + "=")) return true;
        for (const std::string &name : option.get_snames())
            if (a.starts_with("-" + name) && !a.starts_with("--")) return true;
        return false;
    });
}

void add(const CLI::Option &option, const std::string &name, const std::string &value,
         std::vector<std::string> &added) {
    const std::string flag = "--" + (option.check_lname(name) ? name : option.get_lnames()[0]);
    if (option.get_expected_max() > 0) {
        added.push_back(flag + "=" + value);
        return;
    }
    // A flag: on, off, or a count.
    if (value == "false" || value == "no" || value == "off" || value == "0") return;
    const int times = value.size() == 1 && std::isdigit(static_cast<unsigned char>(value[0])) ? value[0] - '0' : 1;
    for (int i = 0; i < times; i++) added.push_back(flag);
}

std::string environment_name(const std::string &flag) {
    std::string name = "VMAF_TUNE_";
    for (const char c : flag) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

} // namespace

std::vector<std::pair<std::string, std::string>> parse_config(const std::string &text) {
    std::vector<std::pair<std::string, std::string>> entries;
    std::istringstream lines(text);
    int number = 0;
    for (std::string raw; std::getline(lines, raw);) {
        number++;
        const std::string line = stripped(raw);
        if (line.empty() || line[0] == '#' || line[0] == '[') continue;
        const std::size_t equals = line.find('=');
        std::string key = stripped(line.substr(0, equals));
        key.erase(0, std::min(key.find_first_not_of('-'), key.size()));
        if (equals == std::string::npos || key.empty())
            throw invalid("line " + std::to_string(number) + " of the configuration is not `flag = value`: " + line);
        std::string value = stripped(line.substr(equals + 1));
        if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
            value = value.substr(1, value.size() - 2);
        else if (const std::size_t comment = value.find(" #"); comment != std::string::npos)
            value = stripped(value.substr(0, comment));
        std::replace(key.begin(), key.end(), '_', '-');
        entries.emplace_back(key, value);
    }
    return entries;
}

void add_defaults(const CLI::App &app, std::vector<std::string> &arguments) {
    if (arguments.empty()) return;
    const auto commands = app.get_subcommands([](const CLI::App *) { return true; });
    const auto found = std::ranges::find_if(commands, [&](const CLI::App *c) { return c->check_name(arguments[0]); });
    if (found == commands.end()) return;

    std::string file;
    for (std::size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].starts_with("--config=")) file = arguments[i].substr(9);
        if (arguments[i] == "--config" && i + 1 < arguments.size()) file = arguments[i + 1];
    }
    if (file.empty()) file = system::environment("VMAF_TUNE_CONFIG").value_or("");
    std::vector<std::pair<std::string, std::string>> entries;
    if (!file.empty()) {
        system::fs::ifstream stream(file);
        if (!stream) throw invalid("the configuration '" + file + "' cannot be read");
        entries = parse_config(std::string((std::istreambuf_iterator<char>(stream)), {}));
        for (const auto &entry : entries) {
            const std::string flag = entry.first == "q" ? "--crf" : "--" + entry.first;
            if (std::ranges::none_of(commands,
                                     [&](const CLI::App *c) { return c->get_option_no_throw(flag) != nullptr; }))
                throw invalid("'" + file + "': no command has a flag " + flag);
        }
    }
    std::vector<std::string> added;
    for (const CLI::Option *option : (*found)->get_options()) {
        if (option->get_lnames().empty() || is_given(*option, arguments)) continue;
        bool set = false;
        const std::vector<std::string> names = long_names(*option);
        for (const std::string &name : names) {
            if (name == "help" || name == "config") continue;
            if (const auto value = system::environment(environment_name(name)); value && !set) {
                add(*option, name, *value, added);
                set = true;
            }
        }
        for (const std::string &name : names)
            for (const auto &[key, value] : entries)
                if (!set && key == name) add(*option, name, value, added);
    }
    arguments.insert(arguments.begin() + 1, added.begin(), added.end());
}

} // namespace vmaf::tune
