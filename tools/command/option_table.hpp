// The options the command knows, and how a word on the command line becomes one of them.
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
    backend_cuda, // --cuda: as other tools around VMAF spell it
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
    local, // --map, --region and theirs
    serve,
    capabilities,
    list_models,
    list_features,
    help,
    neural, // options of a neural model, which this project does not have
};

struct CommandOption {
    OptionId id;
    std::string_view name; // without its dashes
    char letter = 0;       // short form
    OptionValue value = OptionValue::none;
    bool is_reference = false; // the reference command has it
};

std::span<const CommandOption> command_options();

// What was found at one place of the command line.
struct FoundOption {
    const CommandOption *option;
    std::string value;
};

// All options in their order. Throws Failure(usage) for unknown and ambiguous ones and for missing or superfluous
// values. GNU getopt_long's rules hold; in addition a prefix that is unique among the reference's options means that
// option, whatever else we have. Stops after an option that acts at once (--version, --help).
std::vector<FoundOption> scan_command_line(std::span<const char *const> arguments);

} // namespace vmaf::cli
