#include "metrics/speed/speed.hpp"

#include <array>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "metrics/speed/speed_device.hpp"
#include "metrics/speed/speed_plane.hpp"

namespace vmaf {

namespace {

using speed::Geometry, speed::PlaneAnalyser, speed::Settings;

constexpr OptionSpec kKernelScale = {"speed_kernelscale", "ks", "width of the Gaussian filters", 1.0, 0.1, 4, true};
constexpr OptionSpec kPrescale = {
    "speed_prescale", "ps", "factor by which planes are resized first", 1.0, 0.1, 4, true};
constexpr OptionSpec kPrescaleMethod = {
    "speed_prescale_method", "psm", "nearest, bilinear, bicubic or lanczos4", std::string_view("nearest"), 0, 0, true};
constexpr OptionSpec kSigma = {"speed_sigma_nn", "snn", "level of neural noise", 0.29, 0.1, 2, true};
constexpr OptionSpec kFloor = {
    "speed_nn_floor", "nnf", "blocks below this fraction above the noise are ignored", 0.0, 0, 1, true};

constexpr OptionSpec kChromaOptions[] = {
    kKernelScale,
    kPrescale,
    kPrescaleMethod,
    kSigma,
    kFloor,
    {"speed_max_val", "mxv", "upper limit of the scores", 1000.0, 0, 1000, true, kLate},
    {"speed_weight_var_mode", "wvm", "how variances weight the entropies", 0, 0, 6, true},
};
constexpr OptionSpec kTemporalOptions[] = {
    kKernelScale,
    kPrescale,
    kPrescaleMethod,
    kSigma,
    kFloor,
    {"speed_max_val", "mxv", "appears in the score's name; no effect", 1000.0, 0, 1000, true, kLate},
    {"speed_use_ref_diff", "urd", "score the difference between the pictures", false, 0, 0, true},
};

Settings core_settings(std::string_view metric, const OptionValues &options) {
    Settings s;
    s.kernel_scale = float(options.real("speed_kernelscale"));
    s.prescale = options.real("speed_prescale");
    s.prescale_method = resize_method(metric, "speed_prescale_method", options.text("speed_prescale_method"));
    s.sigma = float(options.real("speed_sigma_nn"));
    s.noise_floor = float(options.real("speed_nn_floor"));
    if (!kernel_scale_allowed(s.kernel_scale))
        throw invalid("feature '" + std::string(metric) +
                      "': option 'speed_kernelscale' must be (to 0.001) one of 1/2.25, 1/2, 2/3, 0.711111, 0.74074, 1, "
                      "1.06667, 1.111111, 3.5/3, 3.75/3, 4/3, 4.25/3, 1.4746, 3/2, 1.54, 1.6, 5/3, 2, 2.4, 3, 360/97");
    return s;
}

Geometry checked_geometry(std::string_view metric, std::string_view planes, const PictureFormat &format, unsigned plane,
                          double prescale) {
    const int width = int(format.plane_width(plane)), height = int(format.plane_height(plane));
    const Geometry g(width, height, prescale);
    if (g.usable()) return g;
    const std::string side = std::to_string(speed::kSmallestScaledSide), by = "x";
    std::string sentence = "feature '" + std::string(metric) + "' needs " + std::string(planes) + " of at least " +
                           side + by + side + " samples";
    if (g.scales) sentence += " after scaling by speed_prescale";
    sentence += "; here they have " + std::to_string(g.scaled_width) + by + std::to_string(g.scaled_height);
    throw invalid(sentence);
}

// The specified minimum: turns a NaN into the limit.
double minimum(double a, double b) { return a < b ? a : b; }

class ChromaScorer final : public FrameScorer {
  public:
    ChromaScorer(const Geometry &geometry, const Settings &settings, unsigned bits, Isa isa) : settings_(settings) {
        for (unsigned i = 0; i < 4; i++) analysers_.emplace_back(geometry, settings, bits, speed::steps_for(isa));
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        frame.parallel.run(
            4, [&](unsigned i) { analysers_[i].analyse(i % 2 == 0 ? frame.ref : frame.dist, nullptr, 1 + i / 2); });
        const auto pair = [&](std::size_t first) {
            return plane_score(analysers_[first].statistics(), analysers_[first + 1].statistics(), settings_);
        };
        speed::fill_chroma_figures(pair(0), pair(2), result);
    }

  private:
    Settings settings_;
    std::vector<PlaneAnalyser> analysers_; // U and V of the reference and of the distorted picture
};

class ChromaMetric final : public Metric {
  public:
    explicit ChromaMetric(const OptionValues &options)
        : settings_(core_settings("speed_chroma", options)), limit_(options.real("speed_max_val")) {
        settings_.weight_mode = options.integer("speed_weight_var_mode");
    }

    PlanesRead planes_read() const override { return {.ref = kChromaPlanes, .dist = kChromaPlanes}; }
    void prepare(const PictureFormat &format) override {
        if (!format.has_chroma())
            throw invalid("feature 'speed_chroma' needs chroma planes; these pictures are " +
                          to_string(format.pixel_format));
        geometry_ = checked_geometry("speed_chroma", "chroma planes", format, 1, settings_.prescale);
        bits_ = format.bits;
    }
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<ChromaScorer>(geometry_.value(), settings_, bits_, isa);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return speed::make_chroma_device_scorer(geometry_.value(), settings_, bits_, device);
    }
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        sink.score("Speed_chroma_feature_speed_chroma_u_score", index, minimum(result.values[0], limit_));
        sink.score("Speed_chroma_feature_speed_chroma_v_score", index, minimum(result.values[1], limit_));
        sink.score("Speed_chroma_feature_speed_chroma_uv_score", index, minimum(result.values[2], limit_));
    }

  private:
    Settings settings_;
    double limit_;
    std::optional<Geometry> geometry_;
    unsigned bits_ = 8;
};

class TemporalScorer final : public FrameScorer {
  public:
    TemporalScorer(const Geometry &geometry, const Settings &settings, bool against_reference, unsigned bits, Isa isa)
        : settings_(settings), against_reference_(against_reference) {
        for (unsigned i = 0; i < 2; i++) analysers_.emplace_back(geometry, settings, bits, speed::steps_for(isa));
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        result.values[0] = 0;
        if (!frame.earlier_ref[0] || !frame.earlier_dist[0]) return; // the first frame
        frame.parallel.run(2, [&](unsigned i) {
            if (i == 0)
                analysers_[0].analyse(frame.ref, frame.earlier_ref[0], 0);
            else
                analysers_[1].analyse(against_reference_ ? frame.ref : frame.dist, frame.earlier_dist[0], 0);
        });
        result.values[0] = double(plane_score(analysers_[0].statistics(), analysers_[1].statistics(), settings_).value);
    }

  private:
    Settings settings_;
    bool against_reference_;
    std::vector<PlaneAnalyser> analysers_;
};

class TemporalMetric final : public Metric {
  public:
    explicit TemporalMetric(const OptionValues &options)
        : settings_(core_settings("speed_temporal", options)), against_reference_(options.flag("speed_use_ref_diff")) {}

    History history() const override { return {.ref = 1, .dist = 1}; }
    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        geometry_ = checked_geometry("speed_temporal", "luma planes", format, 0, settings_.prescale);
        bits_ = format.bits;
    }
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<TemporalScorer>(geometry_.value(), settings_, against_reference_, bits_, isa);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return speed::make_temporal_device_scorer(geometry_.value(), settings_, against_reference_, bits_, device);
    }
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        sink.score("Speed_temporal_feature_speed_temporal_score", index, result.values[0]);
    }

  private:
    Settings settings_;
    bool against_reference_;
    std::optional<Geometry> geometry_;
    unsigned bits_ = 8;
};

constexpr std::array<std::string_view, 3> kChromaProvides = {"Speed_chroma_feature_speed_chroma_u_score",
                                                             "Speed_chroma_feature_speed_chroma_v_score",
                                                             "Speed_chroma_feature_speed_chroma_uv_score"};
constexpr std::array<std::string_view, 1> kTemporalProvides = {"Speed_temporal_feature_speed_temporal_score"};

} // namespace

const MetricInfo speed_chroma_metric = {
    .name = "speed_chroma",
    .summary = "entropy difference of chroma blocks (SpEED); 0 is best",
    .options = kChromaOptions,
    .provides = kChromaProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<ChromaMetric>(options);
    },
};

const MetricInfo speed_temporal_metric = {
    .name = "speed_temporal",
    .summary = "entropy difference of luma changes between frames (SpEED); 0 is best",
    .options = kTemporalOptions,
    .provides = kTemporalProvides,
    .every_frame = true,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<TemporalMetric>(options);
    },
};

} // namespace vmaf
