// The score stage: decodes reference and distorted video, brings them to one size and format, and compares them with
// the metric library in a separate process, or with a vmaf binary (tune.md 6).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend_in_use.hpp"
#include "process/scorers.hpp"
#include "stages/encode.hpp"
#include "stages/reference_store.hpp"
#include "stages/source_check.hpp"
#include "text/choice.hpp"

namespace vmaf::tune {

// A target metric: "vmaf", "psnr", ...
struct MetricChoice {
    std::string name;
    std::string series;  // its name in the scorer's documents
    std::string feature; // --feature argument; empty for models
    bool lower_is_better = false;
    bool bounded_by_100 = false;
    double default_target = 0;
    bool bounded_by_1 = false;
};
// A series that the scorer's document has per plane: uses the plane with the lowest clip figure; identical pictures
// have kIdentical instead of infinity.
// identical pictures have kIdentical instead of infinity.
inline constexpr const char *kXpsnr = "xpsnr";
inline constexpr double kIdentical = 1000; // dB
std::optional<MetricChoice> metric_choice(const std::string &name);
std::vector<std::string> metric_names();

enum class Scorer { library, binary }; // our own vmaf, which serves; or any vmaf, a process per score
inline constexpr Choice<Scorer> kScorers[] = {{"library", Scorer::library}, {"binary", Scorer::binary}};
enum class ScoreTransport { automatic, pipe, file, direct }; // of frames (1.3)
inline constexpr Choice<ScoreTransport> kScoreTransports[] = {{"auto", ScoreTransport::automatic},
                                                              {"pipe", ScoreTransport::pipe},
                                                              {"file", ScoreTransport::file},
                                                              {"direct", ScoreTransport::direct}};

struct ScoreSettings {
    std::string model = "auto";        // auto, a version, or path=FILE
    std::vector<MetricChoice> metrics; // the first is the target
    std::string backend = "cpu";
    bool is_backend_explicit = false; // then every feature must use it
    BackendInUse *backends = nullptr; // replacements for a lost backend; null: only `backend`
    std::optional<unsigned> device;   // of a GPU backend
    Scorer scorer = Scorer::library;
    Scorers *scorers = nullptr;  // of Scorer::library
    std::string scorer_identity; // what scores depend on in addition to these settings
    bool scorer_takes_backend = true, scorer_takes_precision = true;
    ScoreTransport transport = ScoreTransport::automatic;
    ReferenceStore *references = nullptr;
    SourceChecks *checks = nullptr; // for scorers that open files; null: they do not, unless asked
    unsigned threads = 1, subsample = 1;
    std::string scale = "auto"; // auto, none, WxH
    std::string scaler = "bicubic";
    bool drop_film_grain = true;
    bool drop_reference_grain = true; // no encoder saw the reference with its grain
    std::string reference_filter;     // the encode's filter by default
    std::vector<std::string> maps;    // files of local scores of the first model (maps.md)
    bool allow_short = false, allow_damaged = false;
    double dist_delay = 0; // seconds
    std::chrono::milliseconds timeout{0};
    bool is_patient = false; // a scorer that works has not stopped
    std::string work_folder;
};

struct FrameSize {
    int width = 0, height = 0;
    bool operator==(const FrameSize &) const = default;
};

// What a metric was computed from: VMAF models at their viewing size, other metrics at the source's.
struct MeasuredAt {
    FrameSize size;
    PixelLayout layout;
    std::string model; // empty: the metric has none
};

// The size at which both are compared (6.5).
FrameSize scored_size(FrameSize reference, const std::string &scale, int model_lines);
// The model for `vmaf` or `vmaf_neg`, "version=..." or "path=...".
std::string chosen_model(const ScoreSettings &settings, const MetricChoice &metric, FrameSize scored);
inline constexpr const char *kNoHdrModel =
    "there is no VMAF model for HDR (vmaf_hdr_*.json in VMAF_MODEL_DIR or share/model); the model for SDR is used, so "
    "compare scores only with each other";
PixelLayout deeper_layout(const PixelLayout &a, const PixelLayout &b);

// What decoded the frames that were compared: "ffmpeg", "vmaf", or "cuda" and the like for a device.
struct DecodedBy {
    std::string reference = "ffmpeg", encode = "ffmpeg";
    bool operator==(const DecodedBy &) const = default;
};

// Values of one metric over the scored frames.
using Series = std::vector<double>;

struct ScoreResult {
    Outcome outcome;
    std::map<std::string, Series> series;    // every metric of the document, by its displayed name
    std::string backend_tried, backend_used; // backend_used: the actual source of scores, as reported
    std::optional<std::map<std::string, std::string>> feature_backends; // by extractor, if the scorer reports it
    std::string scorer_version, model, scale_note;
    std::map<std::string, std::string> models;  // by the metric they were used for
    std::map<std::string, MeasuredAt> measured; // per metric
    DecodedBy decoded_by;
    std::string map; // the scorer's description of a map: a JSON object
    std::vector<std::string> warnings;
    double seconds = 0;
    std::int64_t frames = 0;
    bool ok() const { return outcome.ok(); }
};

struct ScorePair {
    const Source *reference = nullptr;
    Window reference_window;
    const Source *distorted = nullptr;
    Window distorted_window;
    std::int64_t expected_frames = 0;                    // 0: unknown
    std::int64_t skip_reference = 0, skip_distorted = 0; // frames skipped at the start
    // Matching frames, if numbers do not tell; empty: the n-th with the n-th.
    std::vector<std::int64_t> reference_order, distorted_order;
};

using ScoreProgress = std::function<void(std::int64_t frame, double fps)>;

// Never throws for program failures. Replaces a backend that fails while scoring, if allowed (7.6).
ScoreResult run_score(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings,
                      const ScoreProgress &progress = {});

// Pooling of per-frame values (6.6): mean, harmonic, median, min, max, rms, mode, percentile=P, stddev=X. Throws Error
// for unknown names.
double pooled(const Series &values, const std::string &method);
// The same for a metric: the mean of xpsnr is the clip's figure, which averages the roots of the frames' errors.
double pooled_metric(const std::string &metric, const Series &values, const std::string &method);
double standard_deviation(const Series &values); // population form

} // namespace vmaf::tune
