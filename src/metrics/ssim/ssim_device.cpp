#include "metrics/ssim/ssim_device.hpp"

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "device/trace.hpp"
#include "metrics/common/device_real_tiles.hpp"
#include "metrics/common/made_planes_device.hpp"
#include "metrics/common/ordered_sums_device.hpp"
#include "metrics/ssim/box_mean.hpp"
#include "metrics/ssim/decimate.hpp"
#include "metrics/ssim/float_ms_ssim.hpp"
#include "metrics/ssim/ssim.hpp"
#include "metrics/ssim/ssim_core.hpp"
#include "metrics/ssim/ssim_kernels.hpp"

namespace vmaf {

namespace {

using namespace kernels;

constexpr const char *kSet = "ssim";

LoadedKernel load_for_depth(Device &device, const char *name_8, const char *name_16, unsigned bits) {
    return device.load({kSet, bits == 8 ? name_8 : name_16});
}

std::size_t pixels(const PictureFormat &format) { return std::size_t{format.width} * format.height; }

float to_8_bits(unsigned bits) { return 1.0f / static_cast<float>(1 << (bits - 8)); }

SsimImages<float> images_of(const MadePlanes &made, const DeviceBatch &batch) {
    const PicturePlanes planes = made.planes(batch);
    return {planes.ref, planes.dist, made.width, made.height, made.pitch, 1.0f};
}

template <class Sample> SsimImages<Sample> luma_images(const DeviceBatch &batch, const PictureFormat &format) {
    const PicturePlanes luma = batch.planes(0);
    return {luma.ref,
            luma.dist,
            static_cast<int>(format.width),
            static_cast<int>(format.height),
            luma.pitch,
            to_8_bits(format.bits)};
}

// Calls use(images) with the samples of the pictures.
template <class Use> void with_luma(const DeviceBatch &batch, const PictureFormat &format, const Use &use) {
    if (format.bits == 8)
        use(luma_images<u8>(batch, format));
    else
        use(luma_images<u16>(batch, format));
}

// The terms of all positions of two images, and the sources of their sums.
class Terms {
  public:
    static constexpr std::size_t kSums = 4; // contrast, luminance, ssim, structure; unneeded ones stay 0

    Terms(FrameMemory &scratch, int width, int height, SsimWanted wanted) : wanted_(wanted) {
        const int columns = width - kSsimTapCount + 1, rows = height - kSsimTapCount + 1;
        if (columns <= 0 || rows <= 0) return;
        positions_ = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
        contrast_ = scratch.add<u64>(positions_);
        structure_ = scratch.add<float>(positions_);
        if (wanted.luminance || wanted.ssim) luminance_ = scratch.add<u64>(positions_);
        if (wanted.ssim) ssim_ = scratch.add<u64>(positions_);
    }
    std::size_t positions() const { return positions_; }
    FrameArray<u64> ssim(const DeviceBatch &batch) const { return batch.scratch_of(ssim_); }

    template <class Sample>
    void enqueue(Queue &queue, const DeviceBatch &batch, const LoadedKernel &kernel,
                 const SsimImages<Sample> &in) const {
        if (positions_ == 0) return;
        SsimTermsArgs<Sample> args{};
        args.in = in;
        args.contrast = batch.scratch_of(contrast_);
        args.structure = batch.scratch_of(structure_);
        if (wanted_.luminance || wanted_.ssim) args.luminance = batch.scratch_of(luminance_);
        if (wanted_.ssim) args.ssim = batch.scratch_of(ssim_);
        launch_tiles(queue, kernel, in.width - kSsimTapCount + 1, in.height - kSsimTapCount + 1, batch.count, args);
    }

    // Sums go to `place` and the next kSums - 1.
    void add_sources(const DeviceBatch &batch, std::size_t place, std::vector<OrderedSource> &out) const {
        if (positions_ == 0) return;
        const auto add = [&](Piece<u64> terms, std::size_t i) {
            out.push_back(OrderedSums::doubles(batch.scratch_of(terms), positions_, static_cast<int>(place + i)));
        };
        add(contrast_, 0);
        if (wanted_.luminance || wanted_.ssim) add(luminance_, 1);
        if (wanted_.ssim) add(ssim_, 2);
        out.push_back(OrderedSums::floats(batch.scratch_of(structure_), positions_, static_cast<int>(place + 3)));
    }

    static SsimMeans means(const u64 *sums, int width, int height) {
        const auto sum = [&](int i) { return std::bit_cast<double>(sums[i]); };
        return ssim_means({.ssim = sum(2), .luminance = sum(1), .contrast = sum(0), .structure = sum(3)}, width,
                          height);
    }

  private:
    SsimWanted wanted_;
    std::size_t positions_ = 0;
    Piece<u64> contrast_, luminance_, ssim_;
    Piece<float> structure_;
};

class FloatSsimDevice final : public DeviceScorer {
  public:
    FloatSsimDevice(const PictureFormat &format, int factor, bool enable_lcs, const TileGrid *tiles, Device &device)
        : format_(format), factor_(factor), width_(reduced(format.width)), height_(reduced(format.height)),
          terms_kernel_(factor > 1 ? device.load({kSet, "ssim_terms_float"})
                                   : load_for_depth(device, "ssim_terms_8", "ssim_terms_16", format.bits)),
          terms_(scratch_, width_, height_, {true, enable_lcs}),
          sums_kernels_(device, scratch_, Terms::kSums, terms_.positions()), sums_(results_.add<u64>(Terms::kSums)) {
        const DeviceRealTiles::Image image{ssim_tile_axis(width_, factor), ssim_tile_axis(height_, factor)};
        if (tiles) tiles_.emplace(*tiles, std::span(&image, 1), 1, results_, device);
        if (factor == 1 || width_ <= 0 || height_ <= 0) return;
        box_kernel_ = std::has_single_bit(static_cast<unsigned>(factor))
                          ? load_for_depth(device, "ssim_box_8", "ssim_box_16", format.bits)
                          : load_for_depth(device, "ssim_any_box_8", "ssim_any_box_16", format.bits);
        planes_made_.emplace(scratch_, width_, height_);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_ssim");
        if (factor_ == 1)
            with_luma(batch, format_, [&](const auto &images) { terms_.enqueue(queue, batch, terms_kernel_, images); });
        else if (planes_made_)
            enqueue_reduced(queue, batch);
        std::vector<OrderedSource> sources;
        terms_.add_sources(batch, 0, sources);
        sums_kernels_.enqueue(queue, batch, sources, batch.results_of(sums_));
        if (!tiles_ || terms_.positions() == 0) return;
        const TileTerms terms = tiles_->doubles(0, terms_.ssim(batch), 1, std::size_t(width_ - kSsimTapCount + 1));
        tiles_->enqueue(queue, batch, {&terms, 1});
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        if (tiles_) tiles_->collect(from, result);
        const SsimMeans means = Terms::means(from.of(sums_), width_, height_);
        result.values[0] = static_cast<double>(means.ssim);
        result.values[1] = static_cast<double>(means.luminance);
        result.values[2] = static_cast<double>(means.contrast);
        result.values[3] = static_cast<double>(means.structure);
    }

  private:
    int reduced(unsigned size) const {
        return factor_ == 1 ? static_cast<int>(size) : box_reduced(static_cast<int>(size), factor_);
    }

    void enqueue_reduced(Queue &queue, const DeviceBatch &batch) const {
        const PicturePlanes luma = batch.planes(0);
        BoxMeanArgs args{};
        args.ref = luma.ref;
        args.dist = luma.dist;
        args.width = static_cast<int>(format_.width);
        args.height = static_cast<int>(format_.height);
        args.pitch = luma.pitch;
        args.factor = factor_;
        args.sample_scale = to_8_bits(format_.bits);
        args.weight = 1.0f / static_cast<float>(factor_ * factor_);
        args.out_ref = batch.scratch_of(planes_made_->ref);
        args.out_dist = batch.scratch_of(planes_made_->dist);
        args.out_width = width_;
        args.out_height = height_;
        args.out_pitch = planes_made_->pitch;
        launch(queue, box_kernel_,
               {blocks_for(width_, box_kernel_.shape.tile_width),
                2 * blocks_for(height_, box_kernel_.shape.tile_height), batch.count},
               args);
        terms_.enqueue(queue, batch, terms_kernel_, images_of(*planes_made_, batch));
    }

    PictureFormat format_;
    int factor_;
    int width_, height_; // of the compared images
    LoadedKernel terms_kernel_, box_kernel_;
    Terms terms_;
    OrderedSums sums_kernels_;
    std::optional<MadePlanes> planes_made_;
    Piece<u64> sums_;
    std::optional<DeviceRealTiles> tiles_;
};

class FloatMsSsimDevice final : public DeviceScorer {
  public:
    FloatMsSsimDevice(const PictureFormat &format, bool enable_lcs, Device &device)
        : format_(format), terms_first_(load_for_depth(device, "ssim_terms_8", "ssim_terms_16", format.bits)),
          terms_later_(device.load({kSet, "ssim_terms_float"})),
          decimate_first_(load_for_depth(device, "ssim_decimate_8", "ssim_decimate_16", format.bits)),
          decimate_later_(device.load({kSet, "ssim_decimate_float"})),
          sums_(results_.add<u64>(Terms::kSums * kMsSsimScales)) {
        int width = static_cast<int>(format.width), height = static_cast<int>(format.height);
        for (std::size_t i = 0; i < kMsSsimScales; i++) {
            if (i > 0) {
                width = decimated(width);
                height = decimated(height);
                scales_[i - 1].emplace(scratch_, width, height);
            }
            terms_[i].emplace(scratch_, width, height, SsimWanted{false, ms_ssim_wants_luminance(i, enable_lcs)});
        }
        has_long_chains_ = true; // the last step of the sums
        sums_kernels_.emplace(device, scratch_, Terms::kSums * kMsSsimScales, terms_[0]->positions());
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_ms_ssim");
        with_luma(batch, format_,
                  [&](const auto &images) { enqueue_scale(queue, batch, 0, terms_first_, decimate_first_, images); });
        for (std::size_t i = 1; i < kMsSsimScales; i++)
            enqueue_scale(queue, batch, i, terms_later_, decimate_later_, images_of(*scales_[i - 1], batch));
        std::vector<OrderedSource> sources;
        for (std::size_t i = 0; i < kMsSsimScales; i++) terms_[i]->add_sources(batch, Terms::kSums * i, sources);
        sums_kernels_->enqueue(queue, batch, sources, batch.results_of(sums_));
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        for (std::size_t i = 0; i < kMsSsimScales; i++) {
            const int width = i ? scales_[i - 1]->width : static_cast<int>(format_.width);
            const int height = i ? scales_[i - 1]->height : static_cast<int>(format_.height);
            const SsimMeans means = Terms::means(from.of(sums_) + Terms::kSums * i, width, height);
            result.values[i] = static_cast<double>(means.luminance);
            result.values[kMsSsimScales + i] = static_cast<double>(means.contrast);
            result.values[2 * kMsSsimScales + i] = static_cast<double>(means.structure);
        }
    }

  private:
    template <class Sample>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, std::size_t scale, const LoadedKernel &terms,
                       const LoadedKernel &decimate, const SsimImages<Sample> &images) const {
        terms_[scale]->enqueue(queue, batch, terms, images);
        if (scale + 1 == kMsSsimScales) return;
        const MadePlanes &out = *scales_[scale];
        DecimateArgs<Sample> args{};
        args.in = images;
        args.out_ref = batch.scratch_of(out.ref);
        args.out_dist = batch.scratch_of(out.dist);
        args.out_width = out.width;
        args.out_height = out.height;
        args.out_pitch = out.pitch;
        launch(queue, decimate,
               {blocks_for(out.width, decimate.shape.tile_width),
                2 * blocks_for(out.height, decimate.shape.tile_height), batch.count},
               args);
    }

    PictureFormat format_;
    LoadedKernel terms_first_, terms_later_, decimate_first_, decimate_later_;
    std::array<std::optional<Terms>, kMsSsimScales> terms_;
    std::optional<OrderedSums> sums_kernels_;
    std::array<std::optional<MadePlanes>, kMsSsimScales - 1> scales_;
    Piece<u64> sums_;
};

class SsimDevice final : public DeviceScorer {
  public:
    SsimDevice(const PictureFormat &format, const TileGrid *tiles, Device &device)
        : format_(format), moments_(load_for_depth(device, "ssim_moments_8", "ssim_moments_16", format.bits)),
          terms_(scratch_.add<u64>(pixels(format))), sums_(device, scratch_, 1, pixels(format)),
          sum_(results_.add<u64>(1)) {
        const DeviceRealTiles::Image image{{static_cast<int>(format.width)}, {static_cast<int>(format.height)}};
        if (tiles) tiles_.emplace(*tiles, std::span(&image, 1), 1, results_, device);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("ssim");
        const PicturePlanes luma = batch.planes(0);
        const double peak_squared = ssim_peak_squared(format_.bits);
        SsimMomentArgs args{};
        args.ref = luma.ref;
        args.dist = luma.dist;
        args.width = static_cast<int>(format_.width);
        args.height = static_cast<int>(format_.height);
        args.pitch = luma.pitch;
        args.k1 = std::bit_cast<std::uint64_t>(peak_squared * (0.01 * 0.01));
        args.k2 = std::bit_cast<std::uint64_t>(peak_squared * (0.03 * 0.03));
        args.terms = batch.scratch_of(terms_);
        launch_tiles(queue, moments_, args.width, args.height, batch.count, args);
        const OrderedSource source = OrderedSums::doubles(args.terms, pixels(format_));
        sums_.enqueue(queue, batch, {&source, 1}, batch.results_of(sum_));
        if (!tiles_) return;
        const TileTerms terms = tiles_->doubles(0, args.terms, 1, format_.width);
        tiles_->enqueue(queue, batch, {&terms, 1});
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        result.values[0] = std::bit_cast<double>(*from.of(sum_)) / ssim_total_weight(format_);
        if (tiles_) tiles_->collect(from, result);
    }

  private:
    PictureFormat format_;
    LoadedKernel moments_;
    Piece<u64> terms_;
    OrderedSums sums_;
    Piece<u64> sum_;
    std::optional<DeviceRealTiles> tiles_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_float_ssim_device_scorer(const PictureFormat &format, int factor, bool enable_lcs,
                                                            const TileGrid *tiles, Device &device) {
    return std::make_unique<FloatSsimDevice>(format, factor, enable_lcs, tiles, device);
}

std::unique_ptr<DeviceScorer> make_float_ms_ssim_device_scorer(const PictureFormat &format, bool enable_lcs,
                                                               Device &device) {
    return std::make_unique<FloatMsSsimDevice>(format, enable_lcs, device);
}

std::unique_ptr<DeviceScorer> make_ssim_device_scorer(const PictureFormat &format, const TileGrid *tiles,
                                                      Device &device) {
    return std::make_unique<SsimDevice>(format, tiles, device);
}

} // namespace vmaf
