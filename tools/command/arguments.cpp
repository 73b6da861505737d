// Parses --model and --feature (cli-and-formats.md 5, 6).
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "base/option_items.hpp"
#include "exit_code.hpp"
#include "options.hpp"

namespace vmaf::cli {

namespace {

struct Item {
    std::string key;
    std::optional<std::string> value;
};

// Splits "key=value:flag:..." from `begin` on, skipping empty items; drops what follows a second '=' in an item.
std::vector<Item> split_items(const std::string &text, std::size_t begin, const std::string &option) {
    std::vector<Item> items;
    while (begin <= text.size()) {
        const std::size_t end = item_end(text, begin);
        const std::string item = text.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t equals = item.find('=');
        const std::string key = item.substr(0, equals);
        if (key.empty())
            throw usage_error("option --" + option + " '" + text +
                              "': an item has no name; write "
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

// The index of the value among the possible ones.
std::size_t choice(const std::string &option, const std::string &value, std::initializer_list<const char *> possible) {
    std::string list;
    std::size_t i = 0;
    for (const char *const word : possible) {
        if (value == word) return i;
        list += (i == 0 ? "" : i + 1 == possible.size() ? " or " : ", ") + std::string(word);
        i++;
    }
    throw usage_error("option --" + option + ": '" + value + "' is not valid; use " + list);
}

constexpr int kLargestOffset = 1'000'000;

void set_align(VideoOptions &options, const std::string &value) {
    if (value == "auto" || value == "none" || value == "check") {
        options.align = value == "auto" ? Align::find : value == "none" ? Align::none : Align::check;
        return;
    }
    char *end = nullptr;
    const long frames = std::strtol(value.c_str(), &end, 10);
    if (value.empty() || *end || frames > kLargestOffset || frames < -kLargestOffset)
        throw usage_error("option --align: '" + value + "' is not valid; use auto, none, check or a number of frames");
    options.align = Align::fixed;
    options.offset_frames = static_cast<int>(frames);
}

void set_crop(VideoOptions &options, const std::string &value) {
    options.finds_bars = value == "auto";
    options.crop.reset();
    if (value == "auto" || value == "none") return;
    std::array<unsigned, 4> numbers{};
    const char *at = value.data(), *const end = value.data() + value.size();
    bool is_good = true;
    for (std::size_t i = 0; i < numbers.size() && is_good; i++) {
        const auto [stop, error] = std::from_chars(at, end, numbers[i]);
        is_good = error == std::errc() && (i + 1 == numbers.size() ? stop == end : stop != end && *stop == ':');
        at = stop + 1;
    }
    if (!is_good || numbers[0] == 0 || numbers[1] == 0)
        throw usage_error("option --crop: '" + value + "' is not valid; use none, auto or WIDTH:HEIGHT:X:Y");
    options.crop = Crop{numbers[0], numbers[1], numbers[2], numbers[3]};
}

} // namespace

void set_video_option(VideoOptions &options, const std::string &name, const std::string &value) {
    if (options.first_given.empty() && name != "crop") options.first_given = name; // all clips can be cropped
    if (name == "align")
        set_align(options, value);
    else if (name == "pair")
        options.is_by_index = choice(name, value, {"time", "index"}) == 1;
    else if (name == "missing")
        options.missing = choice(name, value, {"skip", "repeat"}) == 1 ? MissingFrames::repeat : MissingFrames::skip;
    else if (name == "scaler")
        choice(name, options.scaler = value, {"bicubic", "bilinear", "lanczos", "spline", "area", "nearest"});
    else if (name == "range")
        options.ignores_range = choice(name, value, {"convert", "ignore"}) == 1;
    else if (name == "crop")
        set_crop(options, value);
    else if (name == "hwaccel")
        options.hwaccel = value;
    else if (name == "film_grain")
        options.drops_film_grain = choice(name, value, {"keep", "drop"}) == 1;
    else if (name == "deinterlace")
        options.deinterlaces = true;
    else if (name == "mismatch")
        options.only_warns = choice(name, value, {"refuse", "warn"}) == 1;
}

ModelArgument parse_model_argument(const std::string &text) {
    ModelArgument argument;
    for (const auto &[key, value] : split_items(text, 0, "model")) {
        if (key == "disable_clip") {
            if (is_on(value)) argument.config.disable_clip = true;
        } else if (key == "enable_transform") {
            if (is_on(value)) argument.config.enable_transform = true;
        } else if (!value && key == kAutomaticModel) {
            argument.version = key;
        } else if (!value && text == key && key != "version" && key != "path" && key != "name") { // only a model's name
            throw usage_error("option --model '" + text + "': write version=" + text +
                              " for a built-in model, path=" + text + " for a file");
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
            throw usage_error("option --model '" + text + "': unknown key '" + key +
                              "'; use version, path, name, disable_clip, enable_transform or EXTRACTOR.OPTION");
        }
    }
    return argument;
}

FeatureArgument parse_feature_argument(const std::string &text) {
    FeatureArgument argument;
    const std::size_t equals = text.find('=');
    argument.name = text.substr(0, equals);
    if (argument.name.empty()) throw usage_error("option --feature '" + text + "': the feature's name is missing");
    if (equals == std::string::npos) return argument;
    for (const auto &[key, value] : split_items(text, equals + 1, "feature")) {
        if (!value)
            throw usage_error("feature '" + argument.name + "': option '" + key + "' has no value; write " + key +
                              "=VALUE");
        if (!argument.options.emplace(key, normalised_option_text(*value)).second)
            throw usage_error("feature '" + argument.name + "': option '" + key + "' is set twice; set it once");
    }
    return argument;
}

} // namespace vmaf::cli
