// The small grammars of --model and --feature (cli-and-formats.md 5, 6).
#include <algorithm>
#include <vector>

#include "exit_code.hpp"
#include "metrics/registry.hpp"
#include "options.hpp"

namespace vmaf::cli {

namespace {

struct Item {
    std::string key;
    std::optional<std::string> value;
};

// "key=value:flag:..." without empty items; what follows a second '=' of an item is dropped.
std::vector<Item> split_items(const std::string &text, const std::string &option) {
    std::vector<Item> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t equals = item.find('=');
        const std::string key = item.substr(0, equals);
        if (key.empty())
            throw usage_error("option --" + option + " '" + text +
                              "': there is an item without a name; items are "
                              "NAME=VALUE, separated by single colons");
        if (equals == std::string::npos) {
            items.push_back({key, std::nullopt});
            continue;
        }
        const std::string value =
            item.substr(equals + 1, std::min(item.find('=', equals + 1), item.size()) - equals - 1);
        if (value.empty())
            throw usage_error("option --" + option + " '" + text + "': '" + key + "' has no value; write " + key +
                              "=VALUE");
        items.push_back({key, value});
    }
    return items;
}

bool is_on(const std::optional<std::string> &value) { return !value || *value == "true"; }

void take_overload(ModelArgument &argument, const std::string &key, const std::string &value) {
    if (argument.overloads.size() == kMaxOverloads)
        throw usage_error("option --model: at most " + std::to_string(kMaxOverloads) + " feature options per model");
    const std::size_t dot = key.find('.');
    argument.overloads.push_back({key.substr(0, dot), key.substr(dot + 1), normalised_option_text(value)});
}

} // namespace

ModelArgument parse_model_argument(const std::string &text) {
    ModelArgument argument;
    for (const auto &[key, value] : split_items(text, "model")) {
        if (key == "disable_clip") {
            if (is_on(value)) argument.config.disable_clip = true;
        } else if (key == "enable_transform") {
            if (is_on(value)) argument.config.enable_transform = true;
        } else if (!value) {
            throw usage_error("option --model '" + text + "': '" + key + "' has no value; write " + key + "=VALUE");
        } else if (key == "version") {
            argument.version = *value;
        } else if (key == "path") {
            argument.path = *value;
        } else if (key == "name") {
            argument.config.name = *value;
        } else if (key.find('.') != std::string::npos) {
            take_overload(argument, key, *value);
        } else {
            throw usage_error("option --model '" + text + "': there is no key '" + key +
                              "'; use version, path, name, disable_clip, enable_transform or EXTRACTOR.OPTION");
        }
    }
    return argument;
}

FeatureArgument parse_feature_argument(const std::string &text) {
    FeatureArgument argument;
    const std::size_t equals = text.find('=');
    argument.name = text.substr(0, equals);
    if (argument.name.empty()) throw usage_error("option --feature '" + text + "': the name of the feature is missing");
    if (equals == std::string::npos) return argument;
    for (const auto &[key, value] : split_items(text.substr(equals + 1), "feature")) {
        if (!value)
            throw usage_error("feature '" + argument.name + "': option '" + key + "' has no value; write " + key +
                              "=VALUE");
        if (!argument.options.emplace(key, normalised_option_text(*value)).second)
            throw usage_error("feature '" + argument.name + "': option '" + key + "' is given twice; give it once");
    }
    return argument;
}

} // namespace vmaf::cli
