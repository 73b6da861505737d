#include "metrics/vif/float_vif.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/resize.hpp"
#include "metrics/vif/float_vif_device.hpp"
#include "metrics/vif/float_vif_strip.hpp"
#include "metrics/vif/vif_scores.hpp"

namespace vmaf {

namespace float_vif {
namespace {

constexpr int kMaxBilinearWidth = 7680;
constexpr float kOffset = -128.0f;
constexpr std::size_t kWordsOfScale = 4, kTileWords = kScales * kWordsOfScale; // sums with their numbers of pixels

constexpr OptionSpec kOptions[] = {
    {"debug", "", "also report numerators, denominators and the score of all scales together", false, 0, 0, false,
     kLate},
    {"vif_enhn_gain_limit", "egl", "upper bound of the local gain; 1 gives no credit for enhancement", 100.0, 1.0,
     100.0, true},
    {"vif_kernelscale", "ks", "scales the Gaussian windows; only some values are allowed", 1.0, 0.1, 4.0, true},
    {"vif_prescale", "ps", "resize both pictures by this factor first", 1.0, 0.1, 4.0, true},
    {"vif_prescale_method", "pm", "nearest, bilinear, bicubic or lanczos4", std::string_view("nearest"), 0, 0, true},
    {"vif_scale1_min_val", "s1miv", "lowest score of scale 1", 0.0, 0.0, 1.0, true, kLate},
    {"vif_scale2_min_val", "s2miv", "lowest score of scale 2", 0.0, 0.0, 1.0, true, kLate},
    {"vif_scale3_min_val", "s3miv", "lowest score of scale 3", 0.0, 0.0, 1.0, true, kLate},
    {"vif_sigma_nsq", "snsq", "variance of the neural noise", 2.0, 0.0, 5.0, true},
    {"vif_skip_scale0", "ssclz", "leave scale 0 out", false, 0, 0, true},
};

constexpr std::array<std::string_view, kScales> kScoreNames = {
    "VMAF_feature_vif_scale0_score", "VMAF_feature_vif_scale1_score", "VMAF_feature_vif_scale2_score",
    "VMAF_feature_vif_scale3_score"};
constexpr std::array<std::string_view, kScales> kNumNames = {"vif_num_scale0", "vif_num_scale1", "vif_num_scale2",
                                                             "vif_num_scale3"};
constexpr std::array<std::string_view, kScales> kDenNames = {"vif_den_scale0", "vif_den_scale1", "vif_den_scale2",
                                                             "vif_den_scale3"};
constexpr std::string_view kProvides[] = {kScoreNames[0], kScoreNames[1], kScoreNames[2], kScoreNames[3], "vif",
                                          "vif_num",      "vif_den",      kNumNames[0],   kDenNames[0],   kNumNames[1],
                                          kDenNames[1],   kNumNames[2],   kDenNames[2],   kNumNames[3],   kDenNames[3]};

struct Settings {
    explicit Settings(const OptionValues &options)
        : debug(options.flag("debug")), skip_scale0(options.flag("vif_skip_scale0")),
          prescale(options.real("vif_prescale")),
          method(resize_method("float_vif", "vif_prescale_method", options.text("vif_prescale_method"))),
          minima{0.0, options.real("vif_scale1_min_val"), options.real("vif_scale2_min_val"),
                 options.real("vif_scale3_min_val")} {
        const double noise = options.real("vif_sigma_nsq");
        constants = {noise, float(options.real("vif_enhn_gain_limit")),
                     float(double(std::pow(float(noise), 2.0f)) / 65025.0)};
        const auto kernel_scale = float(options.real("vif_kernelscale"));
        if (!kernel_scale_allowed(kernel_scale))
            throw invalid("feature 'float_vif': option 'vif_kernelscale' cannot be " + std::to_string(kernel_scale) +
                          "; it takes 0.444444, 0.5, 0.666667, 0.711111, 0.74074, 1, 1.06667, 1.111111, 1.166667, "
                          "1.25, 1.333333, 1.416667, 1.4746, 1.5, 1.54, 1.6, 1.666667, 2, 2.4, 3 or 3.711340");
        for (int s = 0; s < kScales; s++) {
            const int length = gaussian_length(s, kernel_scale);
            taps[std::size_t(s)] = gaussian_taps(length, float(length) / 5.0f);
        }
    }

    int scaled(int side) const { return int(side * prescale + 0.5); }

    // 3.9: an axis is longer than half the filter at every computed scale.
    int smallest_scaled_side() const {
        int side = 1;
        for (int s = skip_scale0 ? 1 : 0; s < kScales; s++)
            side = std::max(side, (int(taps[std::size_t(s)].size()) / 2 + 1) << s);
        return side;
    }

    bool debug, skip_scale0;
    double prescale;
    ResizeMethod method;
    std::array<double, kScales> minima;
    Constants constants{};
    std::array<std::vector<float>, kScales> taps;
};

class FloatVifScorer final : public FrameScorer {
  public:
    FloatVifScorer(const PictureFormat &format, const Settings &settings, Isa isa)
        : settings_(settings), isa_(isa), width_(settings.scaled(int(format.width))),
          height_(settings.scaled(int(format.height))), row_num_(std::size_t(height_)), row_den_(std::size_t(height_)) {
        const int width = int(format.width), height = int(format.height);
        if (width_ != width || height_ != height) {
            full_size_ = FloatPlane(width, height);
            resizer_.emplace(width, height, width_, height_, settings.method);
            levels_[0] = {FloatPlane(width_, height_), FloatPlane(width_, height_)};
        }
        for (int s = 1; s < kScales; s++)
            levels_[std::size_t(s)] = {FloatPlane(width_ >> s, height_ >> s), FloatPlane(width_ >> s, height_ >> s)};
        workers_.push_back(make_worker(width_, int(settings_.taps[0].size()), isa_));
    }

    // Stores the numerators and denominators of the scales in values 0..3 and 4..7.
    void measure(const FrameInput &frame, FrameResult &result) override {
        if (resizer_) {
            prescale(frame, frame.ref, levels_[0].ref);
            prescale(frame, frame.dist, levels_[0].dist);
        }
        if (frame.tiles) result.tiles.assign(frame.tiles->count() * kTileWords, 0);
        for (int s = 0; s < kScales; s++) {
            const int height = height_ >> s;
            const unsigned strips = strip_count(height, frame.parallel);
            if (frame.tiles)
                measure_tiles(s, frame, result);
            else if (strips == 1)
                workers_[0]->run(strip(s, 0, height, frame));
            else
                frame.parallel.run(strips, [&](unsigned i) {
                    workers_[i]->run(strip(s, edge(height, i, strips), edge(height, i + 1, strips), frame));
                });
            if (s == 0 && settings_.skip_scale0) continue;
            float num = 0.0f, den = 0.0f;
            for (std::size_t y = 0; y < std::size_t(height); y++) {
                num += row_num_[y];
                den += row_den_[y];
            }
            result.values[std::size_t(s)] = double(num);
            result.values[std::size_t(kScales + s)] = double(den);
        }
    }

  private:
    struct Level {
        FloatPlane ref, dist;
    };

    // Tiles use scalar code, which makes the same rows.
    void measure_tiles(int scale, const FrameInput &frame, FrameResult &result) {
        if (!tile_worker_) tile_worker_ = make_scalar_worker(width_, int(settings_.taps[0].size()));
        const PictureFormat &format = frame.ref.format();
        RealTiles tiles(*frame.tiles, tile_axis(scale, width_, format.width), tile_axis(scale, height_, format.height),
                        result.tiles, kTileWords, std::size_t(scale) * kWordsOfScale);
        Strip all = strip(scale, 0, height_ >> scale, frame);
        all.tiles = &tiles;
        tile_worker_->run(all);
    }

    // Strips filter the rows around their edges twice: low strips do not pay.
    unsigned strip_count(int height, const Parallel &parallel) {
        constexpr int lowest = 32;
        const unsigned strips = std::clamp(unsigned(height / lowest), 1u, std::max(parallel.threads(), 1u));
        while (workers_.size() < strips) workers_.push_back(make_worker(width_, int(settings_.taps[0].size()), isa_));
        return strips;
    }

    static int edge(int height, unsigned index, unsigned count) {
        return index == count ? height : int(std::uint64_t(height) * index / count / 2 * 2);
    }

    void prescale(const FrameInput &frame, const Picture &picture, FloatPlane &out) {
        to_float(picture, 0, kOffset, full_size_);
        const unsigned strips = std::max(frame.parallel.threads(), 1u);
        frame.parallel.run(strips, [&](unsigned i) {
            const int end = edge(height_, i + 1, strips);
            for (int y = edge(height_, i, strips); y < end; y++) resizer_->row(full_size_.view(), y, out.row(y));
        });
    }

    Source source(int scale, const Picture &picture, const FloatPlane &plane) const {
        if (scale == 0 && !resizer_) return {picture.data(0), picture.stride_bytes(0), picture.format().bits};
        return {plane.view().data, plane.view().stride * std::ptrdiff_t(sizeof(float)), 0};
    }

    Strip strip(int scale, int first_row, int end_row, const FrameInput &frame) {
        Level &level = levels_[std::size_t(scale)];
        Strip strip;
        strip.ref = source(scale, frame.ref, level.ref);
        strip.dist = source(scale, frame.dist, level.dist);
        strip.width = width_ >> scale;
        strip.height = height_ >> scale;
        strip.first_row = first_row;
        strip.end_row = end_row;
        strip.statistics = scale > 0 || !settings_.skip_scale0;
        strip.constants = settings_.constants;
        strip.taps = settings_.taps[std::size_t(scale)];
        if (scale + 1 < kScales) {
            Level &next = levels_[std::size_t(scale) + 1];
            strip.next_taps = settings_.taps[std::size_t(scale) + 1];
            strip.next_ref = &next.ref;
            strip.next_dist = &next.dist;
        }
        strip.row_num = row_num_.data();
        strip.row_den = row_den_.data();
        return strip;
    }

    Settings settings_;
    Isa isa_;
    int width_, height_; // after the prescale
    std::vector<float> row_num_, row_den_;
    FloatPlane full_size_; // the picture before the prescale
    std::optional<Resizer> resizer_;
    std::array<Level, kScales> levels_; // the pyramid; level 0 exists only after a prescale
    std::vector<std::unique_ptr<StripWorker>> workers_;
    std::unique_ptr<StripWorker> tile_worker_;
};

class FloatVifMetric final : public Metric {
  public:
    explicit FloatVifMetric(const OptionValues &options) : settings_(options) {}

    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        const int width = int(format.width), height = int(format.height);
        const int needed = settings_.smallest_scaled_side();
        if (settings_.scaled(std::min(width, height)) < needed) {
            int smallest = 1;
            while (settings_.scaled(smallest) < needed) smallest++;
            throw invalid("feature 'float_vif' needs pictures of at least " + std::to_string(smallest) + "x" +
                          std::to_string(smallest) + " pixels with these options; these are " + std::to_string(width) +
                          "x" + std::to_string(height));
        }
        if (settings_.method == ResizeMethod::bilinear && settings_.scaled(width) > kMaxBilinearWidth)
            throw invalid("feature 'float_vif': option 'vif_prescale' gives a width of " +
                          std::to_string(settings_.scaled(width)) + "; bilinear scaling takes at most 7680");
        format_ = format;
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<FloatVifScorer>(format_, settings_, isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return float_vif::make_device_scorer(format_, device_settings(), nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return float_vif::make_device_scorer(format_, device_settings(), &tiles, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        report_vif(kProvides, settings_.skip_scale0, settings_.debug, index, sink, [&](std::size_t s) {
            const double num = result.values[s], den = result.values[kScales + s];
            return VifScaleSums{num, den, scale_score(s, num, den)};
        });
    }

    std::span<const std::string_view> local_names() const override { return kScoreNames; }
    std::size_t tile_words() const override { return kTileWords; }
    bool has_real_tiles() const override { return true; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &,
                      std::span<double> scores) const override {
        for (std::size_t s = 0; s < kScales; s++) {
            const auto at = [&](std::size_t i) { return std::bit_cast<double>(sums[s * kWordsOfScale + i]); };
            scores[s] = s == 0 && settings_.skip_scale0 ? 0.0 : scale_score(s, at(0), at(2));
        }
    }

  private:
    DeviceSettings device_settings() const {
        return {settings_.scaled(int(format_.width)),
                settings_.scaled(int(format_.height)),
                settings_.method,
                settings_.skip_scale0,
                settings_.constants,
                settings_.taps};
    }
    double scale_score(std::size_t scale, double num, double den) const {
        const double quotient = num / den;
        return scale == 0 || quotient > settings_.minima[scale] ? quotient : settings_.minima[scale];
    }

    Settings settings_;
    PictureFormat format_;
};

} // namespace
} // namespace float_vif

const MetricInfo float_vif_metric = {
    .name = "float_vif",
    .summary = "visual information fidelity of luma on four scales, single precision",
    .options = float_vif::kOptions,
    .provides = float_vif::kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<float_vif::FloatVifMetric>(options);
    },
};

} // namespace vmaf
