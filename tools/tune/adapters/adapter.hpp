// Codec adapters: how to drive each of FFmpeg's encoders (tune.md 4). Data and pure functions; no code outside this
// folder compares encoder names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "process/child.hpp"

namespace vmaf::tune {

// HDR signalling of a source, as encoders accept it (3.6).
struct Hdr {
    enum class Transfer { none, pq, hlg } transfer = Transfer::none;
    std::string primaries; // as probed
    std::string matrix = "bt2020nc";
    std::string range = "tv";
    std::string mastering_display; // G(x,y)B(x,y)R(x,y)WP(x,y)L(max,min), or empty
    std::string content_light;     // "max_content,max_average", or empty
    bool forced = false;
};

struct QualityRange {
    double low = 0, high = 0;
};

enum class EncoderFamily { x264, x265, svtav1, aom, vp9, vvenc, rav1e, nvenc, qsv, amf, videotoolbox, prores, generic };

inline constexpr const char *kDefaultPreset = "medium";

struct Adapter {
    std::string name; // registry key, and the value of -c:v
    EncoderFamily family;
    std::string knob;          // "crf", "cq", "q:v", ...
    QualityRange search, hard; // default window; accepted window
    double step;               // finest useful change
    double default_q;
    bool higher_is_better = false;
    std::string_view probe_preset;
    double probe_q = 0;
    std::string container = "mkv";
    bool wants_10_bit = false; // gets yuv420p10le by default (5.6)
    bool is_hardware = false;
    std::string_view configure_switch = {}; // enables it in FFmpeg's configure
    std::string_view version = "1";         // part of the cache key; increment it whenever arguments change

    // The encoder's value for a preset; empty for unknown names.
    std::optional<std::string> native_preset(std::string_view preset) const;
    std::vector<std::string> preset_names() const; // for messages

    Arguments codec_arguments(std::string_view preset,
                              double q) const; // after -c:v; throws Error outside the hard range
    Arguments bitrate_arguments(std::string_view preset, unsigned kbps) const;
    Arguments extra_arguments(std::string_view output_extension) const;
    Arguments container_tag(std::string_view output_extension) const; // required by players of mp4 and mov
    Arguments hdr_arguments(const Hdr &hdr) const;

    enum class TwoPass { no, bitrate_only, quality_too, one_run }; // one_run: the encoder analyses twice itself
    TwoPass two_pass() const;
    Arguments two_pass_arguments(int pass, const std::string &stats_prefix) const; // pass 1, 2; 0 for one_run

    // The option for native preset numbers, "-cpu-used"; empty if presets are names.
    std::string_view preset_number_option() const;

    // From the log of an encode: "libx264-164", or "unknown".
    std::string encoder_version(std::string_view log) const;

    bool has_hdr_arguments() const;
    bool keeps_light() const; // mastering display and content light
};

std::span<const Adapter> adapters();
const Adapter *find_adapter(std::string_view name);
// Looks up common names, "x264", "svt-av1"; null if ambiguous.
const Adapter *adapter_by_short_name(std::string_view name);
std::string adapter_meant_by(std::string_view name); // for a format or a mistyped name; empty: no close match
// Newer encoders accept more: SVT-AV1 4 has steps of a quarter, up to 70.
Adapter adapter_for_version(const Adapter &adapter, std::string_view version);
Adapter generic_adapter(const std::string &encoder); // --encoder-generic: -preset and -crf

// Joins arguments so that each option like `-x265-params k=v:k=v` occurs once; later keys replace earlier
// ones.
Arguments merged_params(const Arguments &arguments);

} // namespace vmaf::tune
