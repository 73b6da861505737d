#include "option_table.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <getopt.h>
#include <optional>

#include "exit_code.hpp"
#include "suggestion.hpp"

namespace vmaf::cli {

namespace {

using enum OptionId;
using enum OptionValue;

constexpr auto kOptions = std::to_array<CommandOption>({
    {reference, "reference", 'r', required, true},
    {distorted, "distorted", 'd', required, true},
    {width, "width", 'w', required, true},
    {height, "height", 'h', required, true},
    {pixel_format, "pixel_format", 'p', required, true},
    {bitdepth, "bitdepth", 'b', required, true},
    {model, "model", 'm', required, true},
    {feature, "feature", 0, required, true},
    {output, "output", 'o', required, true},
    {xml, "xml", 0, none, true},
    {json, "json", 0, none, true},
    {csv, "csv", 0, none, true},
    {sub, "sub", 0, none, true},
    {threads, "threads", 0, required, true},
    {subsample, "subsample", 0, required, true},
    {cpumask, "cpumask", 'c', required, true},
    {gpumask, "gpumask", 0, required, true},
    {frame_cnt, "frame_cnt", 0, required, true},
    {frame_skip_ref, "frame_skip_ref", 0, required, true},
    {frame_skip_dist, "frame_skip_dist", 0, required, true},
    {aom_ctc, "aom_ctc", 0, required, true},
    {nflx_ctc, "nflx_ctc", 0, required, true},
    {no_prediction, "no_prediction", 'n', none, true},
    {quiet, "quiet", 'q', none, true},
    {version, "version", 'v', none, true},
    {precision, "precision", 0, required},
    {backend, "backend", 0, required},
    {no_backend, "no_cuda", 0, optional},
    {no_backend, "no_sycl", 0, optional},
    {no_backend, "no_hip", 0, optional},
    {no_backend, "no_metal", 0, optional},
    {no_backend, "no_vulkan", 0, optional},
    {device, "sycl_device", 0, required},
    {device, "hip_device", 0, required},
    {device, "metal_device", 0, required},
    {unsupported_device, "vulkan_device", 0, required},
    {strict_length, "strict_length"},
    {align, "align", 0, required},
    {pair, "pair", 0, required},
    {missing, "missing", 0, required},
    {scaler, "scaler", 0, required},
    {range, "range", 0, required},
    {hwaccel, "hwaccel", 0, required},
    {film_grain, "film_grain", 0, required},
    {deinterlace, "deinterlace"},
    {mismatch, "mismatch", 0, required},
    {capabilities, "capabilities"},
    {list_models, "list_models"},
    {list_features, "list_features"},
    {help, "help"},
    {neural, "tiny-model", 0, required},
    {neural, "tiny-device", 0, required},
    {neural, "tiny-threads", 0, required},
    {neural, "tiny-fp16"},
    {neural, "tiny-model-verify"},
    {neural, "dnn-ep", 0, required},
    {neural, "no-reference"},
    {neural, "tiny_model", 0, required},
    {neural, "tiny_device", 0, required},
    {neural, "tiny_threads", 0, required},
    {neural, "tiny_fp16"},
    {neural, "tiny_model_verify"},
    {neural, "dnn_ep", 0, required},
    {neural, "no_reference"},
});

constexpr int kFirstCode = 256; // getopt's code of an option is its position behind this

std::vector<option> long_options() {
    std::vector<option> list;
    for (std::size_t i = 0; i < kOptions.size(); i++) {
        const OptionValue value = kOptions[i].value;
        const int has_value = value == required   ? required_argument
                              : value == optional ? optional_argument
                                                  : no_argument;
        list.push_back({kOptions[i].name.data(), has_value, nullptr, kFirstCode + static_cast<int>(i)});
    }
    list.push_back({nullptr, 0, nullptr, 0});
    return list;
}

std::string short_options() {
    std::string text = ":"; // a missing value is told apart from an unknown option
    for (const CommandOption &o : kOptions)
        if (o.letter) text.append(1, o.letter).append(o.value == required ? ":" : "");
    return text;
}

const CommandOption *with_letter(int letter) {
    const auto *const found =
        std::find_if(kOptions.begin(), kOptions.end(), [&](const CommandOption &o) { return o.letter == letter; });
    return found == kOptions.end() ? nullptr : found;
}

// The name in "--name" or "--name=value"; empty for other words.
std::string_view long_name(std::string_view word) {
    if (!word.starts_with("--")) return {};
    word.remove_prefix(2);
    return word.substr(0, word.find('='));
}

std::vector<std::string_view> names_beginning_with(std::string_view prefix, bool reference_only) {
    std::vector<std::string_view> list;
    for (const CommandOption &o : kOptions)
        if (o.name.starts_with(prefix) && (o.is_reference || !reference_only)) list.push_back(o.name);
    return list;
}

// The full name that a prefix means among the reference's options, if it is no name itself.
std::optional<std::string_view> reference_name(std::string_view prefix) {
    if (prefix.empty()) return std::nullopt;
    for (const CommandOption &o : kOptions)
        if (o.name == prefix) return std::nullopt;
    const auto names = names_beginning_with(prefix, true);
    if (names.size() != 1) return std::nullopt;
    return names[0];
}

class Scanner {
  public:
    explicit Scanner(std::span<const char *const> arguments) : words_(arguments.begin(), arguments.end()) {
        if (words_.empty()) words_.emplace_back("vmaf");
        for (std::string &word : words_) argv_.push_back(word.data());
        argv_.push_back(nullptr);
    }

    std::vector<FoundOption> scan() {
        const std::vector<option> long_table = long_options();
        const std::string short_table = short_options();
        std::vector<FoundOption> found;
        optind = 0; // GNU: start afresh, also after an earlier scan
        opterr = 0;
        for (;;) {
            expand_next_prefix();
            const int code = getopt_long(argc(), argv_.data(), short_table.c_str(), long_table.data(), nullptr);
            if (code == -1) return found;
            if (code == '?' || code == ':') throw problem(code == ':');
            const CommandOption *known =
                code >= kFirstCode ? &kOptions[static_cast<std::size_t>(code - kFirstCode)] : with_letter(code);
            found.push_back({known, optarg ? optarg : ""});
            if (known->id == version || known->id == help) return found;
        }
    }

  private:
    int argc() const { return static_cast<int>(argv_.size()) - 1; }

    // getopt_long would call a prefix ambiguous when one of our own names shares it.
    void expand_next_prefix() {
        int next = std::max(optind, 1);
        while (next < argc() && (argv_[next][0] != '-' || argv_[next][1] == '\0')) next++;
        if (next >= argc()) return;
        const std::string_view word = argv_[next];
        if (const auto name = reference_name(long_name(word))) {
            expanded_.push_back("--" + std::string(*name) + std::string(word.substr(2 + long_name(word).size())));
            argv_[next] = expanded_.back().data();
        }
    }

    Failure problem(bool value_missing) const {
        const std::string_view word = optind >= 1 && optind <= argc() ? argv_[optind - 1] : "";
        const std::string_view name = long_name(word);
        if (optopt >= kFirstCode) {
            const std::string known(kOptions[static_cast<std::size_t>(optopt - kFirstCode)].name);
            if (value_missing) return usage_error("option --" + known + " needs a value");
            return usage_error("option --" + known + " takes no value");
        }
        if (optopt) {
            const std::string letter(1, static_cast<char>(optopt));
            if (value_missing) return usage_error("option -" + letter + " needs a value");
            return usage_error("there is no option -" + letter);
        }
        const auto candidates = names_beginning_with(name, false);
        if (candidates.size() > 1) {
            std::string list;
            for (const std::string_view candidate : candidates) list.append(" --").append(candidate);
            return usage_error("option --" + std::string(name) + " is ambiguous; it may mean" + list);
        }
        return usage_error("there is no option --" + std::string(name) + "; did you mean --" +
                           std::string(nearest(name, names_beginning_with("", false))) + "?");
    }

    std::vector<std::string> words_;
    std::deque<std::string> expanded_; // stable addresses
    std::vector<char *> argv_;
};

} // namespace

std::span<const CommandOption> command_options() { return kOptions; }

std::vector<FoundOption> scan_command_line(std::span<const char *const> arguments) { return Scanner(arguments).scan(); }

} // namespace vmaf::cli
