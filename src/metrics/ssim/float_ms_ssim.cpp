#include "metrics/ssim/float_ms_ssim.hpp"

#include <cmath>
#include <string>

#include "metrics/format_checks.hpp"
#include "metrics/ssim/decimate.hpp"
#include "metrics/ssim/ssim_core.hpp"
#include "metrics/ssim/ssim_device.hpp"

namespace vmaf {

namespace {

constexpr OptionSpec kOptions[] = {
    {"enable_lcs", "", "also emit the means of the luminance, contrast and structure terms of every scale", false},
    {"enable_db", "", "emit float_ms_ssim in decibels", false},
    {"clip_db", "", "limit the decibel value", false},
};
constexpr std::string_view kProvides[] = {"float_ms_ssim"};

constexpr std::size_t kScales = kMsSsimScales;
constexpr unsigned kSmallestSide = 176; // 11 samples at the coarsest scale (8.1)

// 8.3
constexpr std::array<float, kScales> kLuminanceExponent = {0.0f, 0.0f, 0.0f, 0.0f, 0.1333f};
constexpr std::array<float, kScales> kContrastExponent = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};
constexpr std::array<float, kScales> kStructureExponent = kContrastExponent;

class FloatMsSsimScorer final : public FrameScorer {
  public:
    FloatMsSsimScorer(const PictureFormat &format, bool enable_lcs, Isa isa)
        : enable_lcs_(enable_lcs), core_(int(format.width), isa), decimator_(int(format.width), isa) {
        int width = int(format.width), height = int(format.height);
        for (std::size_t i = 0; i + 1 < kScales; i++) {
            width = decimated(width);
            height = decimated(height);
            ref_[i] = FloatPlane(width, height);
            dist_[i] = FloatPlane(width, height);
        }
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        for (std::size_t i = 0; i < kScales; i++) {
            const FloatRows ref = i ? FloatRows(ref_[i - 1]) : FloatRows(frame.ref);
            const FloatRows dist = i ? FloatRows(dist_[i - 1]) : FloatRows(frame.dist);
            const SsimMeans means =
                core_.means(ref, dist, {false, ms_ssim_wants_luminance(i, enable_lcs_)}, frame.parallel);
            result.values[i] = double(means.luminance);
            result.values[kScales + i] = double(means.contrast);
            result.values[2 * kScales + i] = double(means.structure);
            if (i + 1 == kScales) break;
            decimator_.decimate(ref, ref_[i], frame.parallel);
            decimator_.decimate(dist, dist_[i], frame.parallel);
        }
    }

  private:
    bool enable_lcs_;
    SsimCore core_;
    Decimator decimator_;
    std::array<FloatPlane, kScales - 1> ref_, dist_;
};

class FloatMsSsim final : public Metric {
  public:
    explicit FloatMsSsim(const OptionValues &options)
        : enable_lcs_(options.flag("enable_lcs")), enable_db_(options.flag("enable_db")),
          clip_db_(options.flag("clip_db")) {}

    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16("float_ms_ssim", format);
        require_size("float_ms_ssim", format, kSmallestSide, kSmallestSide);
        format_ = format;
        most_decibels_ = ssim_most_decibels(format, clip_db_);
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<FloatMsSsimScorer>(format_, enable_lcs_, isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return make_float_ms_ssim_device_scorer(format_, enable_lcs_, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const auto luminance = std::span(result.values).subspan(0, kScales);
        const auto contrast = std::span(result.values).subspan(kScales, kScales);
        const auto structure = std::span(result.values).subspan(2 * kScales, kScales);
        double score = 1.0; // a negative mean makes it NaN (8.3)
        for (std::size_t i = 0; i < kScales; i++)
            score *= std::pow(luminance[i], double(kLuminanceExponent[i])) *
                     std::pow(contrast[i], double(kContrastExponent[i])) *
                     std::pow(structure[i], double(kStructureExponent[i]));
        sink.score("float_ms_ssim", index, enable_db_ ? ssim_in_decibels(score, most_decibels_) : score);
        if (!enable_lcs_) return;
        const auto per_scale = [&](const char *term, auto means) {
            for (std::size_t i = 0; i < kScales; i++)
                sink.score(std::string("float_ms_ssim_") + term + "_scale" + std::to_string(i), index, means[i]);
        };
        per_scale("l", luminance);
        per_scale("c", contrast);
        per_scale("s", structure);
    }

  private:
    bool enable_lcs_, enable_db_, clip_db_;
    PictureFormat format_;
    double most_decibels_ = 0;
};

} // namespace

bool ms_ssim_wants_luminance(std::size_t scale, bool enable_lcs) {
    return enable_lcs || kLuminanceExponent[scale] != 0;
}

const MetricInfo float_ms_ssim_metric = {
    .name = "float_ms_ssim",
    .summary = "structural similarity of luma over five scales",
    .options = kOptions,
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &o) -> std::unique_ptr<Metric> { return std::make_unique<FloatMsSsim>(o); },
};

} // namespace vmaf
