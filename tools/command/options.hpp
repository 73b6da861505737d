// What the command line asks for.
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
    std::string version, path; // the version counts where both are given
    ModelConfig config;
    std::vector<Overload> overloads;

    const std::string &label() const { return version.empty() ? path : version; }
    bool is_automatic() const { return version == kAutomaticModel; } // chosen by the size of the pictures
    bool operator==(const ModelArgument &) const = default;
};

struct FeatureArgument {
    std::string name;
    OptionTexts options;
};

struct BackendRequest {
    std::string name = "auto"; // or "cpu" or a name of kBackends; the arrays have its order
    std::array<bool, kBackends.size()> is_off{};
    std::array<std::optional<unsigned>, kBackends.size()> device;
    std::optional<std::uint32_t> gpumask;

    bool operator==(const BackendRequest &) const = default;
};

// What is asked for the preparation of video files; YUV4MPEG2 and raw clips are compared as stored.
struct VideoOptions {
    Align align = Align::check;
    int offset_frames = 0;
    bool is_by_index = false;
    MissingFrames missing = MissingFrames::skip;
    std::string scaler = "bicubic", hwaccel = "none";
    bool finds_bars = false;  // --crop auto
    std::optional<Crop> crop; // --crop W:H:X:Y
    bool ignores_range = false, drops_film_grain = false, deinterlaces = false, only_warns = false;
    std::string first_given; // name of the first of these options on the command line; empty: none
};

enum class Action { score, serve, version, help, capabilities, list_models, list_features };

// Hears a count from time to time; false: it has heard enough.
using FrameCount = std::function<bool(std::uint64_t count)>;

struct Options {
    Action action = Action::score;
    std::string reference, distorted;
    std::vector<std::string> more_distorted; // further encodes of the reference: each is a pair with it
    std::string list;                        // of pairs, in place of the two; empty: none
    std::string place;                       // of the pair in its list, for lines about it; empty: it is the only one
    bool is_raw = false;
    RawGeometry geometry;
    std::vector<ModelArgument> models;
    std::vector<FeatureArgument> features;
    std::optional<std::string> output;
    std::optional<std::string> ndjson; // where each frame's scores go as soon as they are complete
    std::vector<double> percentiles;   // pooled beside means
    ReportFormat format = ReportFormat::xml;
    NumberFormat numbers;       // of documents
    NumberFormat score_numbers; // of the score lines: 6 decimals unless --precision says otherwise
    unsigned threads = 0, subsample = 0;
    unsigned jobs = 0; // pairs of a list at once; 0: as the backend likes it
    std::uint32_t cpumask = 0;
    std::uint64_t frame_count = 0, skip_reference = 0, skip_distorted = 0; // 0: no limit
    bool may_differ_in_depth = false;                                      // presets of AOM from v6.0 on
    bool no_prediction = false, quiet = false, strict_length = false;
    BackendRequest backend;
    VideoOptions video;
    LocalOptions local;
    FrameCount on_frames; // hears how many frames have been begun; no option sets it
};

// Several pairs are scored, each with a document of its own.
inline bool has_many_pairs(const Options &options) { return !options.list.empty() || !options.more_distorted.empty(); }

// Throws Failure(usage).
Options parse_command_line(std::span<const char *const> arguments);

// Pieces of parse_command_line().
std::uint32_t parse_unsigned(const std::string &option, const std::string &text);
ModelArgument parse_model_argument(const std::string &text);
FeatureArgument parse_feature_argument(const std::string &text);
void apply_aom_preset(Options &options, const std::string &version);
void apply_nflx_preset(Options &options, const std::string &version);
// For the options of VideoOptions; throws Failure(usage).
void set_video_option(VideoOptions &options, const std::string &name, const std::string &value);

} // namespace vmaf::cli
