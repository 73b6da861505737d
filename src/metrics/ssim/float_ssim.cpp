#include "metrics/ssim/float_ssim.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "metrics/format_checks.hpp"
#include "metrics/ssim/box_mean.hpp"
#include "metrics/ssim/ssim_core.hpp"
#include "metrics/ssim/ssim_device.hpp"

namespace vmaf {

namespace {

constexpr OptionSpec kOptions[] = {
    {"enable_lcs", "", "also emit the means of the luminance, contrast and structure terms", false},
    {"enable_db", "", "emit float_ssim in decibels", false},
    {"clip_db", "", "limit the decibel value", false},
    {"scale", "", "downscale factor: 0 automatic, 1 none, 2 to 10 that factor", 0, 0, 10},
};
constexpr std::string_view kProvides[] = {"float_ssim"};
constexpr std::size_t kTileWords = 2;

// 7.1
int downscale_factor(const PictureFormat &format, int scale) {
    if (scale > 0) return scale;
    const double quotient = double(std::min(format.width, format.height)) / 256.0;
    return std::max(1, int(std::floor(quotient + 0.5)));
}

class FloatSsimScorer final : public FrameScorer {
  public:
    FloatSsimScorer(const PictureFormat &format, int factor, bool enable_lcs, Isa isa)
        : factor_(factor), enable_lcs_(enable_lcs), box_(int(format.width), factor), core_(reduced(format.width), isa) {
        if (factor == 1) return;
        ref_ = FloatPlane(reduced(format.width), reduced(format.height));
        dist_ = FloatPlane(ref_.width(), ref_.height());
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        const SsimWanted wanted = {true, enable_lcs_};
        if (factor_ > 1) {
            box_.reduce(FloatRows(frame.ref), ref_, frame.parallel);
            box_.reduce(FloatRows(frame.dist), dist_, frame.parallel);
        }
        const FloatRows ref = factor_ > 1 ? FloatRows(ref_) : FloatRows(frame.ref);
        const FloatRows dist = factor_ > 1 ? FloatRows(dist_) : FloatRows(frame.dist);
        if (frame.tiles) measure_tiles(*frame.tiles, ref, dist, result);
        const SsimMeans means = core_.means(ref, dist, wanted, frame.parallel);
        result.values[0] = double(means.ssim);
        result.values[1] = double(means.luminance);
        result.values[2] = double(means.contrast);
        result.values[3] = double(means.structure);
    }

  private:
    void measure_tiles(const TileGrid &grid, const FloatRows &ref, const FloatRows &dist, FrameResult &result) {
        result.tiles.assign(grid.count() * kTileWords, 0);
        RealTiles tiles(grid, ssim_tile_axis(ref.width(), factor_), ssim_tile_axis(ref.height(), factor_), result.tiles,
                        kTileWords);
        core_.each_row(ref, dist, [&](int y, const double *ssim) { tiles.add_row(y, ssim); });
    }

    int reduced(unsigned size) const { return factor_ == 1 ? int(size) : box_reduced(int(size), factor_); }

    int factor_;
    bool enable_lcs_;
    BoxMean box_;
    SsimCore core_;
    FloatPlane ref_, dist_;
};

class FloatSsim final : public Metric {
  public:
    explicit FloatSsim(const OptionValues &options)
        : enable_lcs_(options.flag("enable_lcs")), enable_db_(options.flag("enable_db")),
          clip_db_(options.flag("clip_db")), scale_(options.integer("scale")) {}

    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16("float_ssim", format);
        format_ = format;
        most_decibels_ = ssim_most_decibels(format, clip_db_);
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<FloatSsimScorer>(format_, downscale_factor(format_, scale_), enable_lcs_, isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return make_float_ssim_device_scorer(format_, downscale_factor(format_, scale_), enable_lcs_, nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return make_float_ssim_device_scorer(format_, downscale_factor(format_, scale_), enable_lcs_, &tiles, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const double ssim = result.values[0];
        sink.score("float_ssim", index, shown(ssim));
        if (!enable_lcs_) return;
        sink.score("float_ssim_l", index, result.values[1]);
        sink.score("float_ssim_c", index, result.values[2]);
        sink.score("float_ssim_s", index, result.values[3]);
    }

    std::span<const std::string_view> local_names() const override { return kProvides; }
    std::size_t tile_words() const override { return kTileWords; }
    bool has_real_tiles() const override { return true; }
    // NaN if windows at the picture's edge leave an area without positions.
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &,
                      std::span<double> scores) const override {
        scores[0] = shown(std::bit_cast<double>(sums[0]) / std::bit_cast<double>(sums[1]));
    }

  private:
    double shown(double ssim) const { return enable_db_ ? ssim_in_decibels(ssim, most_decibels_) : ssim; }

    bool enable_lcs_, enable_db_, clip_db_;
    int scale_;
    PictureFormat format_;
    double most_decibels_ = 0;
};

} // namespace

const MetricInfo float_ssim_metric = {
    .name = "float_ssim",
    .summary = "structural similarity of luma, reduced to about 256 lines",
    .options = kOptions,
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &o) -> std::unique_ptr<Metric> { return std::make_unique<FloatSsim>(o); },
};

} // namespace vmaf
