// The options of the command, and how words on the command line match them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "long_options.hpp"

namespace vmaf::cli {

enum class OptionId {
    reference,
    distorted,
    width,
    height,
    pixel_format,
    bitdepth,
    model,
    feature,
    output,
    xml,
    json,
    csv,
    sub,
    threads,
    subsample,
    cpumask,
    gpumask,
    frame_cnt,
    frame_skip_ref,
    frame_skip_dist,
    aom_ctc,
    nflx_ctc,
    no_prediction,
    quiet,
    version,
    precision,
    percentiles,
    ndjson,
    backend,
    backend_cuda, // --cuda: the spelling of other VMAF tools
    no_backend,
    device,
    unsupported_device,
    list,
    jobs,
    strict_length,
    align,
    pair,
    missing,
    scaler,
    range,
    crop,
    hwaccel,
    film_grain,
    deinterlace,
    mismatch,
    local, // --map, --region and related options
    serve,
    capabilities,
    list_models,
    list_features,
    help,
    neural, // neural models, which this project does not support
};

struct CommandOption {
    OptionId id;
    std::string_view name; // without dashes
    char letter = 0;       // short form
    OptionValue value = OptionValue::none;
    bool is_reference = false; // also an option of the reference command
};

std::span<const CommandOption> command_options();

// An option found on the command line.
struct FoundOption {
    const CommandOption *option;
    std::string value;
};

// Returns all options in order. Throws Failure(usage) for unknown and ambiguous ones and for missing or unexpected
// values. Follows GNU getopt_long; in addition a prefix that is unique among the reference's options selects that
// option. Stops after an option that acts at once (--version, --help).
std::vector<FoundOption> scan_command_line(std::span<const char *const> arguments);

} // namespace vmaf::cli
