#include "option_table.hpp"

#include <array>

#include "device/backends.hpp"
#include "exit_code.hpp"
#include "suggestion.hpp"
#include "system/environment.hpp"

namespace vmaf::cli {

namespace {

using enum OptionId;
using enum OptionValue;

constexpr auto kPlainOptions = std::to_array<CommandOption>({
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
    {percentiles, "percentiles", 0, required},
    {ndjson, "ndjson", 0, required},
    {backend, "backend", 0, required},
    {backend_cuda, "cuda"},
    {no_backend, "no_vulkan", 0, optional},
    {unsupported_device, "vulkan_device", 0, required},
    {list, "list", 0, required},
    {jobs, "jobs", 0, required},
    {strict_length, "strict_length"},
    {align, "align", 0, required},
    {pair, "pair", 0, required},
    {missing, "missing", 0, required},
    {scaler, "scaler", 0, required},
    {range, "range", 0, required},
    {crop, "crop", 0, required},
    {hwaccel, "hwaccel", 0, required},
    {film_grain, "film_grain", 0, required},
    {deinterlace, "deinterlace"},
    {mismatch, "mismatch", 0, required},
    {local, "map", 0, required},
    {local, "map-of", 0, required},
    {local, "map-cell", 0, required},
    {local, "region", 0, required},
    {local, "regions", 0, required},
    {serve, "serve"},
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

const std::vector<CommandOption> &table() {
    static const std::vector<CommandOption> list = [] {
        std::vector<CommandOption> all(kPlainOptions.begin(), kPlainOptions.end());
        for (const BackendRow &row : kBackends) {
            all.push_back({no_backend, row.off_flag, 0, optional});
            if (!row.device_flag.empty()) all.push_back({device, row.device_flag, 0, required});
        }
        return all;
    }();
    return list;
}

std::vector<std::string_view> names_beginning_with(std::string_view prefix) {
    std::vector<std::string_view> list;
    for (const CommandOption &o : table())
        if (o.name.starts_with(prefix)) list.push_back(o.name);
    return list;
}

Failure problem(const ScannedOption &found) {
    using Status = ScannedOption::Status;
    const std::string known =
        found.letter ? std::string("-") + found.letter : "--" + std::string(table()[found.option].name);
    if (found.status == Status::value_missing) return usage_error("option " + known + " needs a value");
    if (found.status == Status::value_unwanted) return usage_error("option " + known + " takes no value");
    if (found.letter) return usage_error("unknown option " + known);
    const std::string name(found.name);
    if (found.status == Status::ambiguous) {
        std::string list;
        for (const std::string_view candidate : names_beginning_with(name)) list.append(" --").append(candidate);
        return usage_error("option --" + name + " is ambiguous; it may mean" + list);
    }
    const std::string_view meant = nearest(name, names_beginning_with(""));
    return usage_error("unknown option --" + name +
                       (meant.empty() ? "" : "; did you mean --" + std::string(meant) + "?"));
}

} // namespace

std::span<const CommandOption> command_options() { return table(); }

std::vector<FoundOption> scan_command_line(std::span<const char *const> arguments) {
    std::vector<LongOption> known_options;
    for (const CommandOption &o : table()) known_options.push_back({o.name, o.value, o.letter, o.is_reference});
    OptionScanner scanner(known_options, arguments.empty() ? arguments : arguments.subspan(1),
                          system::is_set("POSIXLY_CORRECT"));
    std::vector<FoundOption> list;
    while (const auto found = scanner.next()) {
        if (found->status != ScannedOption::Status::found) throw problem(*found);
        const CommandOption &known = table()[found->option];
        list.push_back({&known, std::string(found->value.value_or(""))});
        if (known.id == version || known.id == help) break;
    }
    return list;
}

} // namespace vmaf::cli
