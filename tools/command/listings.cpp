// --list_models and --list_features, for users.
#include <algorithm>

#include "metrics/registry.hpp"
#include "model/model.hpp"
#include "usage.hpp"

namespace vmaf::cli {

namespace {

std::string padded(std::string_view text, std::size_t width) {
    return std::string(text) + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string option_line(const OptionSpec &spec, std::size_t width) {
    return "    " + padded(spec.name, width) + "  " + option_range_text(spec) + "; default " +
           option_default_text(spec) + "\n" + std::string(width + 6, ' ') + std::string(spec.help) + "\n";
}

} // namespace

std::string model_list() {
    std::size_t width = 0;
    for (const BuiltinModel &m : builtin_models()) width = std::max(width, m.version.size());
    std::string text;
    for (const BuiltinModel &m : builtin_models())
        text += padded(m.version, width) + "  " + std::string(m.summary) + "\n";
    return text + "\nUse one with --model version=NAME, or a model file with --model path=FILE.\n";
}

std::string feature_list() {
    std::string text;
    for (const MetricInfo *metric : all_metrics()) {
        text += padded(metric->name, 16) + "  " + std::string(metric->summary) + "\n";
        std::size_t width = 0;
        for (const OptionSpec &spec : metric->options) width = std::max(width, spec.name.size());
        for (const OptionSpec &spec : metric->options) text += option_line(spec, width);
    }
    return text + "\nUse one with --feature NAME or --feature NAME=OPTION=VALUE:OPTION=VALUE.\n";
}

} // namespace vmaf::cli
