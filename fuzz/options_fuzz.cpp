// Any text as a feature with options, NAME=KEY=VALUE:KEY=VALUE: refused with an Error, or a metric that can be
// prepared.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "scores/feature_name.hpp"

namespace {

using namespace vmaf;

std::string_view cut(std::string_view &text, char separator) {
    const std::size_t at = text.find(separator);
    const std::string_view head = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return head;
}

void try_metric(const MetricInfo &info, const OptionTexts &texts) {
    try {
        const OptionValues values(info.name, info.options, texts);
        for (const std::string_view feature : info.provides)
            if (stored_name(feature, values.name_suffix()).size() > 255) __builtin_trap();
        unknown_options(info.options, texts);
        const std::unique_ptr<Metric> metric = info.create(values);
        metric->prepare({PixelFormat::yuv420p, 8, 352, 288});
        metric->make_scorer(best_isa(0));
    } catch (const Error &) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char *>(data), size);
    const std::string_view name = cut(text, '=');
    OptionTexts texts;
    while (!text.empty()) {
        std::string_view pair = cut(text, ':');
        const std::string key(cut(pair, '='));
        if (key == "heatmaps_path") continue; // would write files
        texts[key] = normalised_option_text(std::string(pair));
    }
    if (const MetricInfo *info = find_metric(name)) {
        try_metric(*info, texts);
    } else {
        for (const MetricInfo *any : all_metrics()) try_metric(*any, texts);
    }
    return 0;
}
