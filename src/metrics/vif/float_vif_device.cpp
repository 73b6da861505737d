#include "metrics/vif/float_vif_device.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "device/trace.hpp"
#include "metrics/common/device_real_tiles.hpp"
#include "metrics/common/made_planes_device.hpp"
#include "metrics/vif/float_vif_kernels.hpp"

namespace vmaf::float_vif {

namespace {

using namespace kernels;

constexpr const char *kSet = "float_vif";

FloatVifFilter filter_of(const std::vector<float> &taps) {
    FloatVifFilter filter{};
    filter.count = static_cast<int>(taps.size());
    std::copy(taps.begin(), taps.end(), filter.taps);
    return filter;
}

// A level made by kernels.
struct Level : MadePlanes {
    using MadePlanes::MadePlanes;

    FloatVifOut out(const DeviceBatch &batch) const {
        return {batch.scratch_of(ref), batch.scratch_of(dist), width, height, pitch};
    }
    FloatVifImages<float> images(const DeviceBatch &batch) const {
        const PicturePlanes made = planes(batch);
        return {made.ref, made.dist, width, height, pitch, 1.0f, 0.0f};
    }
};

// 1 / v where v is a power of two of moderate size, else 0.
float exact_inverse(double v) {
    int exponent = 0;
    return std::frexp(v, &exponent) == 0.5 && exponent > -20 ? static_cast<float>(1 / v) : 0.0f;
}

// Source samples per direction (metrics/common/resized_sample.hpp).
int taps_per_direction(ResizeMethod method) {
    switch (method) {
    case ResizeMethod::nearest: return 1;
    case ResizeMethod::bilinear: return 2;
    case ResizeMethod::bicubic: return 4;
    case ResizeMethod::lanczos4: return 9;
    }
    return 1;
}

class FloatVifDevice final : public DeviceScorer {
  public:
    FloatVifDevice(const PictureFormat &format, const DeviceSettings &settings, const TileGrid *tiles, Device &device)
        : format_(format), settings_(settings), lines_kernel_(device.load({kSet, "float_vif_lines"})),
          totals_kernel_(device.load({kSet, "float_vif_totals"})), totals_(results_.add<float>(kMaxLineTotals)) {
        has_long_chains_ = true; // the sums along lines
        const bool bytes = format.bits == 8;
        const bool prescaled =
            settings.width != static_cast<int>(format.width) || settings.height != static_cast<int>(format.height);
        if (prescaled) {
            prescale_ = device.load({kSet, bytes ? "float_vif_prescale_8" : "float_vif_prescale_16"});
            const Resizer resizer(static_cast<int>(format.width), static_cast<int>(format.height), settings.width,
                                  settings.height, settings.method);
            columns_ = upload_table(device, resizer.columns().data(), resizer.columns().size() * sizeof(ResizeTaps));
            rows_ = upload_table(device, resizer.rows().data(), resizer.rows().size() * sizeof(ResizeTaps));
            levels_[0].emplace(scratch_, settings.width, settings.height);
        }
        for (std::size_t s = 0; s < kScales; s++) {
            const int width = settings.width >> s, height = settings.height >> s;
            if (s > 0) levels_[s].emplace(scratch_, width, height);
            const Samples samples = s > 0 || prescaled ? Samples::floats : bytes ? Samples::bytes : Samples::words;
            statistics_[s] = load_statistics(device, settings.taps[s].size(), samples);
            if (s + 1 < kScales) reduce_[s] = load_reduction(device, settings.taps[s + 1].size(), samples);
            if (s == 0 && settings.skip_scale0) continue;
            const std::size_t terms = static_cast<std::size_t>(width) * term_pitch(height);
            for (Sum *const sum : {&num_[s], &den_[s]}) {
                sum->terms = scratch_.add<float>(terms);
                sum->lines = scratch_.add<float>(static_cast<std::size_t>(height));
            }
        }
        if (!tiles) return;
        std::array<DeviceRealTiles::Image, kScales> images;
        for (int s = 0; s < kScales; s++)
            images[std::size_t(s)] = {tile_axis(s, settings.width, format.width),
                                      tile_axis(s, settings.height, format.height)};
        tiles_.emplace(*tiles, images, 2, results_, device);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_vif");
        if (format_.bits == 8)
            enqueue_first<u8>(queue, batch);
        else
            enqueue_first<u16>(queue, batch);
        for (std::size_t s = 1; s < kScales; s++) enqueue_scale(queue, batch, s, levels_[s]->images(batch));
        enqueue_sums(queue, batch);
        if (tiles_) enqueue_tiles(queue, batch);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        if (tiles_) tiles_->collect(from, result);
        for (std::size_t s = settings_.skip_scale0 ? 1 : 0; s < kScales; s++) {
            result.values[s] = static_cast<double>(from.of(totals_)[2 * s]);
            result.values[kScales + s] = static_cast<double>(from.of(totals_)[2 * s + 1]);
        }
    }

  private:
    static unsigned both(int height, const LoadedKernel &kernel) {
        return 2 * blocks_for(height, kernel.shape.tile_height);
    }

    template <class Sample> void enqueue_first(Queue &queue, const DeviceBatch &batch) const {
        const PicturePlanes luma = batch.planes(0);
        const FloatVifImages<Sample> pictures = {luma.ref,
                                                 luma.dist,
                                                 static_cast<int>(format_.width),
                                                 static_cast<int>(format_.height),
                                                 luma.pitch,
                                                 1.0f / static_cast<float>(1 << (format_.bits - 8)),
                                                 -128.0f};
        if (!levels_[0]) return enqueue_scale(queue, batch, 0, pictures);
        FloatVifPrescaleArgs<Sample> args{};
        args.in = pictures;
        args.out = levels_[0]->out(batch);
        args.columns = reinterpret_cast<const ResizeTaps *>(columns_->data());
        args.rows = reinterpret_cast<const ResizeTaps *>(rows_->data());
        args.taps = taps_per_direction(settings_.method);
        launch(
            queue, prescale_,
            {blocks_for(settings_.width, prescale_.shape.tile_width), both(settings_.height, prescale_), batch.count},
            args);
        enqueue_scale(queue, batch, 0, levels_[0]->images(batch));
    }

    template <class Sample>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, std::size_t s,
                       const FloatVifImages<Sample> &images) const {
        if (s > 0 || !settings_.skip_scale0) {
            FloatVifStatisticsArgs<Sample> args{};
            args.in = images;
            args.filter = filter_of(settings_.taps[s]);
            args.noise = std::bit_cast<std::uint64_t>(settings_.constants.noise);
            args.gain_limit = settings_.constants.gain_limit;
            args.below_noise = settings_.constants.below_noise;
            args.inverse_noise = exact_inverse(settings_.constants.noise);
            args.out = {batch.scratch_of(num_[s].terms), batch.scratch_of(den_[s].terms),
                        static_cast<int>(term_pitch(images.height))};
            launch_tiles(queue, statistics_[s], images.width, images.height, batch.count, args);
        }
        if (s + 1 == kScales) return;
        const Level &next = *levels_[s + 1];
        const LoadedKernel &reduce = reduce_[s];
        FloatVifReduceArgs<Sample> args{};
        args.in = images;
        args.out = next.out(batch);
        args.filter = filter_of(settings_.taps[s + 1]);
        launch(queue, reduce, {blocks_for(next.width, reduce.shape.tile_width), both(next.height, reduce), batch.count},
               args);
    }

    void enqueue_sums(Queue &queue, const DeviceBatch &batch) const {
        FloatVifLinesArgs lines{};
        LineTotalsArgs totals{};
        for (std::size_t s = settings_.skip_scale0 ? 1 : 0; s < kScales; s++)
            for (std::size_t n = 0; n < 2; n++) {
                const Sum &sum = (n ? den_ : num_)[s];
                const std::size_t i = 2 * s + n;
                lines.terms[i] = batch.scratch_of(sum.terms);
                lines.width[i] = settings_.width >> s;
                lines.height[i] = totals.count[i] = settings_.height >> s;
                lines.pitch[i] = static_cast<int>(term_pitch(lines.height[i]));
                lines.lines[i] = totals.lines[i] = batch.scratch_of(sum.lines);
            }
        totals.totals = batch.results_of(totals_);
        launch_tiles(queue, lines_kernel_, settings_.height, 2 * kScales, batch.count, lines);
        launch(queue, totals_kernel_, {2 * kScales, 1, batch.count}, totals);
    }

    void enqueue_tiles(Queue &queue, const DeviceBatch &batch) const {
        const std::size_t first = settings_.skip_scale0 ? 1 : 0;
        std::vector<TileTerms> terms;
        for (std::size_t s = first; s < kScales; s++)
            for (const Sum *const sum : {&num_[s], &den_[s]})
                terms.push_back(tiles_->floats(s, batch.scratch_of(sum->terms), term_pitch(settings_.height >> s), 1));
        tiles_->enqueue(queue, batch, terms, 2 * first);
    }

    enum class Samples { bytes, words, floats };
    struct Names {
        const char *bytes, *words, *floats;
        const char *of(Samples samples) const {
            return samples == Samples::bytes ? bytes : samples == Samples::words ? words : floats;
        }
    };
    static LoadedKernel load_statistics(Device &device, std::size_t taps, Samples samples) {
        Names names = {"float_vif_statistics_any_8", "float_vif_statistics_any_16", "float_vif_statistics_any"};
        if (taps == 17) names = {"float_vif_statistics_17_8", "float_vif_statistics_17_16", names.floats};
        if (taps == 9) names.floats = "float_vif_statistics_9";
        if (taps == 5) names.floats = "float_vif_statistics_5";
        if (taps == 3) names.floats = "float_vif_statistics_3";
        return device.load({kSet, names.of(samples)});
    }
    static LoadedKernel load_reduction(Device &device, std::size_t taps, Samples samples) {
        Names names = {"float_vif_reduce_any_8", "float_vif_reduce_any_16", "float_vif_reduce_any"};
        if (taps == 9) names = {"float_vif_reduce_9_8", "float_vif_reduce_9_16", names.floats};
        if (taps == 5) names.floats = "float_vif_reduce_5";
        if (taps == 3) names.floats = "float_vif_reduce_3";
        return device.load({kSet, names.of(samples)});
    }

    // Distance between columns of terms: whole sectors of memory.
    static std::size_t term_pitch(int height) { return (static_cast<std::size_t>(height) + 7) / 8 * 8; }

    struct Sum {
        Piece<float> terms, lines;
    };

    PictureFormat format_;
    DeviceSettings settings_;
    LoadedKernel prescale_, lines_kernel_, totals_kernel_;
    std::array<LoadedKernel, kScales> statistics_, reduce_; // the last one has no next scale
    std::unique_ptr<DeviceMemory> columns_, rows_;          // tables of the prescale
    std::array<std::optional<Level>, kScales> levels_;      // level 0 exists only after a prescale
    std::array<Sum, kScales> num_, den_;
    Piece<float> totals_;
    std::optional<DeviceRealTiles> tiles_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, const DeviceSettings &settings,
                                                 const TileGrid *tiles, Device &device) {
    return std::make_unique<FloatVifDevice>(format, settings, tiles, device);
}

} // namespace vmaf::float_vif
