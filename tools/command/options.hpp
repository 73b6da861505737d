// The parsed command line.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/backends.hpp"
#include "io/clip_reader.hpp"
#include "io/video_pairs.hpp"
#include "maps/local_options.hpp"
#include "metrics/options.hpp"
#include "model/model.hpp"
#include "report/report.hpp"

namespace vmaf::cli {

inline constexpr std::size_t kMaxModels = 32, kMaxFeatures = 32, kMaxOverloads = 32;

inline constexpr std::string_view kAutomaticModel = "auto";

struct ModelArgument {
    struct Overload {
        std::string extractor, option, value;
        bool operator==(const Overload &) const = default;
    };
    std::string version, path; // the version wins if both are given
    ModelConfig config;
    std::vector<Overload> overloads;

    const std::string &label() const { return version.empty() ? path : version; }
    bool is_automatic() const { return version == kAutomaticModel; } // selected by picture size
    bool operator==(const ModelArgument &) const = default;
};

struct FeatureArgument {
    std::string name;
    OptionTexts options;
};

struct BackendRequest {
    std::string name = "auto"; // or "cpu" or a name of kBackends; the arrays use its order
    std::array<bool, kBackends.size()> is_off{};
    std::array<std::optional<unsigned>, kBackends.size()> device;
    std::optional<std::uint32_t> gpumask;

    bool operator==(const BackendRequest &) const = default;
};

// Options for video files; YUV4MPEG2 and raw clips are compared as stored, or parts of them (--crop).
struct VideoOptions {
    Align align = Align::check;
    int offset_frames = 0;
    bool is_by_index = false;
    MissingFrames missing = MissingFrames::skip;
    std::string scaler = "bicubic", hwaccel = "none";
    bool finds_bars = false;  // --crop auto
    std::optional<Crop> crop; // --crop W:H:X:Y
    bool ignores_range = false, drops_film_grain = false, deinterlaces = false, only_warns = false;
    std::string first_given; // the first option on the command line that is for video files alone; empty: none
};

enum class Action { score, serve, version, help, capabilities, list_models, list_features };

// Receives the count from time to time; returns false to get no more.
using FrameCount = std::function<bool(std::uint64_t count)>;

struct Options {
    Action action = Action::score;
    std::string reference, distorted;
    std::vector<std::string> more_distorted; // more encodes; each is a pair with the reference
    std::string list;                        // a file of pairs, in place of the two clips; empty: none
    std::string label;                       // of the pair in its list, for messages; empty: the only pair
    bool is_raw = false;
    RawGeometry geometry;
    std::vector<ModelArgument> models;
    std::vector<FeatureArgument> features;
    std::optional<std::string> output;
    std::optional<std::string> ndjson; // receives each frame's scores as soon as they are complete
    std::vector<double> percentiles;   // pooled in addition to means
    ReportFormat format = ReportFormat::xml;
    NumberFormat numbers;       // of documents
    NumberFormat score_numbers; // for the score lines: 6 decimals unless --precision is given
    unsigned threads = 0, subsample = 0;
    unsigned jobs = 0; // concurrent pairs; 0: the backend decides
    std::uint32_t cpumask = 0;
    std::uint64_t frame_count = 0, skip_reference = 0, skip_distorted = 0; // 0: no limit
    bool may_differ_in_depth = false;                                      // AOM presets from v6.0
    bool no_prediction = false, quiet = false, strict_length = false;
    BackendRequest backend;
    VideoOptions video;
    LocalOptions local;
    FrameCount on_frames;         // receives the number of started frames; not an option
    bool keeps_reference = false; // on the device, for later runs of the process; not an option
};

// Whether several pairs are scored, each with its own document.
inline bool has_many_pairs(const Options &options) { return !options.list.empty() || !options.more_distorted.empty(); }

// Throws Failure(usage).
Options parse_command_line(std::span<const char *const> arguments);

// Parts of parse_command_line().
std::uint32_t parse_unsigned(const std::string &option, const std::string &text);
ModelArgument parse_model_argument(const std::string &text);
FeatureArgument parse_feature_argument(const std::string &text);
void apply_aom_preset(Options &options, const std::string &version);
void apply_nflx_preset(Options &options, const std::string &version);
// Sets an option of VideoOptions; throws Failure(usage).
void set_video_option(VideoOptions &options, const std::string &name, const std::string &value);

} // namespace vmaf::cli
