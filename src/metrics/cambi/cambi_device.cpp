#include "metrics/cambi/cambi_device.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "metrics/cambi/cambi_count_kernel.hpp"
#include "metrics/cambi/cambi_figures.hpp"
#include "metrics/cambi/cambi_image_kernels.hpp"
#include "metrics/cambi/cambi_pool_kernels.hpp"
#include "metrics/cambi/cambi_stages.hpp"
#include "metrics/common/device_real_tiles.hpp"

namespace vmaf::cambi {

namespace {

using namespace kernels;

static_assert(kCambiScales == kScales && kCambiMaxSteps == kMaxSteps && 2 * kCambiMaxRadius + 1 == kMaxWindow);

constexpr int kFewSteps = 8; // up to here 64 levels at a time suffice

// The kernels' plan for a target's picture: sizes of the scales and their offsets in scratch memory.
struct Plan {
    Target target;
    int pitch; // of the target's own codes, which come first
    std::array<CambiScale, kScales> scales{};
    std::size_t codes = 0, c_values = 0; // of all scales together
    std::unique_ptr<DeviceMemory> columns, rows;

    Plan(const Target &t, const Setup &setup, const PictureFormat &format, Device &device)
        : target(t), pitch(round_up(t.width, 32)) {
        codes = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(t.height);
        int width = t.width, height = t.height;
        for (int s = 0; s < kScales; s++) {
            if (s > 0 || setup.speedup) {
                width = (width + 1) >> 1;
                height = (height + 1) >> 1;
            }
            CambiScale &scale = scales[static_cast<std::size_t>(s)];
            scale = {.width = width,
                     .height = height,
                     .pitch = round_up(width, 32),
                     .tiles_across = 0,
                     .first_tile = 0,
                     .codes = codes,
                     .c_values = c_values};
            codes += static_cast<std::size_t>(scale.pitch) * static_cast<std::size_t>(height);
            c_values += static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        }
        const int from_width = static_cast<int>(format.width), from_height = static_cast<int>(format.height);
        if (t.width == from_width && t.height == from_height) return;
        columns = positions(device, from_width, t.width);
        rows = positions(device, from_height, t.height);
    }

  private:
    static std::unique_ptr<DeviceMemory> positions(Device &device, int from, int to) {
        std::vector<int> list(static_cast<std::size_t>(to));
        SourcePositions source(from, to);
        for (int &position : list) position = source.next();
        return upload_table(device, list.data(), list.size() * sizeof(int));
    }
};

// Results of one picture of a frame.
constexpr std::size_t kPictureFigures = kScales; // pooled sums

class CambiDeviceScorer final : public DeviceScorer {
  public:
    CambiDeviceScorer(const Setup &setup, const PictureFormat &format, const HeatmapFiles *heatmaps,
                      const TileGrid *tiles, Device &device)
        : setup_(setup), heatmaps_(heatmaps), encoded_(setup.encoded, setup, format, device),
          prepare_(load(device, setup.bits == 8 ? "cambi_prepare_8" : "cambi_prepare_16")),
          mode_(load(device, "cambi_mode")),
          count_(load(device, count_kernel(setup))), select_{load(device, "cambi_select_top"),
                                                             load(device, "cambi_select_middle"),
                                                             load(device, "cambi_select_low")},
          ordered_sum_(load(device, "cambi_ordered_sum")),
          reciprocals_(upload_table(device, reciprocals().data(), sizeof(float) * kReciprocals)) {
        if (setup.full_ref) source_.emplace(setup.source, setup, format, device);
        codes_ = scratch_.add<u16>(std::max(encoded_.codes, source_ ? source_->codes : 0));
        c_values_ = scratch_.add<u32>(std::max(encoded_.c_values, source_ ? source_->c_values : 0));
        pools_ = scratch_.add<u64>(kScales * sizeof(CambiPool) / sizeof(u64));
        figures_ = results_.add<u64>((setup.full_ref ? 2 : 1) * kPictureFigures);
        if (heatmaps) {
            heatmap_ = load(device, "cambi_heatmap");
            pixels_ = results_.add<u64>((encoded_.c_values + 3) / 4);
        }
        if (tiles) {
            std::array<DeviceRealTiles::Image, kScales> images;
            for (std::size_t s = 0; s < kScales; s++)
                images[s] = {RealTiles::Axis::spread(encoded_.scales[s].width, format.width),
                             RealTiles::Axis::spread(encoded_.scales[s].height, format.height)};
            tiles_.emplace(*tiles, images, 1, results_, device);
        }
        planes_ = {.ref = setup.full_ref ? 1u : 0u, .dist = 1};
        has_long_chains_ = true; // ordered_sum_ in banded pictures
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        enqueue_picture(queue, batch, encoded_, batch.planes(0).dist, 0);
        if (source_) enqueue_picture(queue, batch, *source_, batch.planes(0).ref, kPictureFigures);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        const u64 *const figures = from.of(figures_);
        result.values[kEncodedScore] = score(figures, encoded_);
        if (source_) result.values[kSourceScore] = score(figures + kPictureFigures, *source_);
        if (heatmaps_) write_heatmaps(from);
        if (tiles_) tiles_->collect(from, result);
    }

  private:
    static LoadedKernel load(Device &device, const char *name) { return device.load({"cambi", name}); }

    static const char *count_kernel(const Setup &setup) {
        if (setup.steps > kFewSteps) return "cambi_count_128";
        const int radius = std::max(setup.encoded.radius(), setup.full_ref ? setup.source.radius() : 0);
        return radius <= kCambiSmallRadius ? "cambi_count_small" : "cambi_count_64";
    }

    void enqueue_picture(Queue &queue, const DeviceBatch &batch, const Plan &plan, const FramePlanes &luma,
                         std::size_t first_figure) const {
        const TraceRange trace("cambi");
        FrameArray<u64> figures = batch.results_of(figures_);
        figures.first += first_figure;
        enqueue_images(queue, batch, plan, luma);
        enqueue_counts(queue, batch, plan);
        if (heatmaps_ && &plan == &encoded_) {
            CambiHeatmapArgs args{};
            args.c_values = constant(batch.scratch_of(c_values_));
            args.pixels = batch.results_of(pixels_);
            args.gain = std::bit_cast<u64>(heatmaps_->gain());
            args.values = static_cast<u32>(plan.c_values);
            launch_tiles(queue, heatmap_, static_cast<int>(args.values), 1, batch.count, args);
        }
        if (tiles_ && &plan == &encoded_) enqueue_tiles(queue, batch);
        enqueue_pooling(queue, batch, plan, figures);
    }

    template <class T> static FrameArray<const T> constant(const FrameArray<T> &array) {
        return {array.first, array.stride};
    }

    void enqueue_images(Queue &queue, const DeviceBatch &batch, const Plan &plan, const FramePlanes &luma) const {
        const FrameArray<u16> codes = batch.scratch_of(codes_);
        CambiPrepareArgs prepare{};
        prepare.luma = luma;
        prepare.codes = codes;
        prepare.pools = batch.scratch_of(pools_);
        if (plan.columns) {
            prepare.columns = reinterpret_cast<const int *>(plan.columns->data());
            prepare.rows = reinterpret_cast<const int *>(plan.rows->data());
        }
        prepare.luma_pitch = batch.pitch(0);
        prepare.pitch = plan.pitch;
        prepare.width = plan.target.width;
        prepare.height = plan.target.height;
        prepare.bits = static_cast<int>(setup_.bits);
        prepare.threshold = mask_threshold(plan.target.width, plan.target.height);
        prepare.remove_dither = setup_.remove_dither;
        launch_tiles(queue, prepare_, prepare.width, prepare.height, batch.count, prepare);

        CambiModeArgs mode{};
        mode.from = constant(codes);
        mode.from_pitch = plan.pitch;
        mode.step = setup_.speedup ? 2 : 1;
        for (const CambiScale &scale : plan.scales) {
            mode.to = {codes.first + scale.codes, codes.stride};
            mode.to_pitch = scale.pitch;
            mode.width = scale.width;
            mode.height = scale.height;
            launch_tiles(queue, mode_, mode.width, mode.height, batch.count, mode);
            mode.from = constant(mode.to);
            mode.from_pitch = mode.to_pitch;
            mode.step = 2;
        }
    }

    void enqueue_counts(Queue &queue, const DeviceBatch &batch, const Plan &plan) const {
        CambiCountArgs args{};
        args.codes = constant(batch.scratch_of(codes_));
        args.c_values = batch.scratch_of(c_values_);
        args.reciprocal = reinterpret_cast<const float *>(reciprocals_->data());
        unsigned tiles = 0;
        for (std::size_t s = 0; s < kScales; s++) {
            args.scale[s] = plan.scales[s];
            args.scale[s].first_tile = static_cast<int>(tiles);
            const unsigned across = blocks_for(plan.scales[s].width, count_.shape.tile_width);
            args.scale[s].tiles_across = static_cast<int>(across);
            tiles += across * blocks_for(plan.scales[s].height, count_.shape.tile_height);
        }
        args.radius = plan.target.radius();
        args.steps = setup_.steps;
        args.lowest_query = setup_.lowest_query;
        args.highest_query = setup_.highest_query;
        args.dark_limit = setup_.dark_limit;
        args.full_width = plan.target.width;
        args.full_height = plan.target.height;
        args.full_pitch = plan.pitch;
        for (std::size_t d = 1; d <= static_cast<std::size_t>(setup_.steps); d++) {
            args.limits[d] = setup_.limits[d];
            args.weights[d] = kWeights[d];
        }
        launch(queue, count_, {tiles, 1, batch.count}, args);
    }

    // Before pooling, which reorders the values.
    void enqueue_tiles(Queue &queue, const DeviceBatch &batch) const {
        const FrameArray<u32> c_values = batch.scratch_of(c_values_);
        std::array<TileTerms, kScales> terms;
        for (std::size_t s = 0; s < kScales; s++) {
            const CambiScale &scale = encoded_.scales[s];
            const FrameArray<float> values = {reinterpret_cast<float *>(c_values.first + scale.c_values),
                                              c_values.stride};
            terms[s] = tiles_->floats(s, values, 1, static_cast<std::size_t>(scale.width));
        }
        tiles_->enqueue(queue, batch, terms);
    }

    void enqueue_pooling(Queue &queue, const DeviceBatch &batch, const Plan &plan, FrameArray<u64> figures) const {
        CambiPoolArgs args{};
        args.c_values = batch.scratch_of(c_values_);
        args.pools = batch.scratch_of(pools_);
        args.sums = figures;
        unsigned blocks = 0;
        for (std::size_t s = 0; s < kScales; s++) {
            CambiPoolScale &scale = args.scale[s];
            scale.c_values = plan.scales[s].c_values;
            scale.values = static_cast<u32>(values_of(plan, s));
            scale.take = static_cast<u32>(pooled_count(values_of(plan, s), setup_.topk));
            scale.first_block = static_cast<int>(blocks);
            scale.blocks = static_cast<int>(blocks_for(static_cast<int>(scale.values), select_[0].shape.tile_width));
            blocks += static_cast<unsigned>(scale.blocks);
        }
        for (const LoadedKernel &kernel : select_) launch(queue, kernel, {blocks, 1, batch.count}, args);
        launch(queue, ordered_sum_, {kScales, 1, batch.count}, args);
    }

    static std::size_t values_of(const Plan &plan, std::size_t scale) {
        return std::size_t(plan.scales[scale].width) * std::size_t(plan.scales[scale].height);
    }

    // Sections 9 and 10. Sums are in units of 2^-24.
    double score(const u64 *sums, const Plan &plan) const {
        double score = 0.0;
        for (std::size_t s = 0; s < kScales; s++) {
            const double sum = double(sums[s]) * 0x1p-24;
            score += double(16 >> s) * (sum / double(pooled_count(values_of(plan, s), setup_.topk)));
        }
        return score / double(plan.target.window * plan.target.window);
    }

    void write_heatmaps(const DeviceResult &from) const {
        const auto *next = reinterpret_cast<const std::uint16_t *>(from.of(pixels_));
        for (std::size_t s = 0; s < kScales; s++) {
            heatmaps_->write(from.index, static_cast<int>(s), {next, values_of(encoded_, s)});
            next += values_of(encoded_, s);
        }
    }

    Setup setup_;
    const HeatmapFiles *heatmaps_;
    Plan encoded_;
    std::optional<Plan> source_;
    LoadedKernel prepare_, mode_, count_;
    std::array<LoadedKernel, 3> select_;
    LoadedKernel ordered_sum_, heatmap_;
    std::unique_ptr<DeviceMemory> reciprocals_;
    Piece<u16> codes_;
    Piece<u32> c_values_;
    Piece<u64> pools_, figures_, pixels_;
    std::optional<DeviceRealTiles> tiles_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const Setup &setup, const PictureFormat &format,
                                                 const HeatmapFiles *heatmaps, const TileGrid *tiles, Device &device) {
    return std::make_unique<CambiDeviceScorer>(setup, format, heatmaps, tiles, device);
}

} // namespace vmaf::cambi
