#include "metrics/ssim/ssim_device.hpp"

#include <array>
#include <bit>
#include <optional>

#include "device/trace.hpp"
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

float to_8_bits(unsigned bits) { return 1.0f / static_cast<float>(1 << (bits - 8)); }

// A plane of each picture that kernels make.
struct MadePlanes {
    MadePlanes(FrameMemory &scratch, int width, int height)
        : width(width), height(height), pitch((width + 31) / 32 * 32),
          ref(scratch.add<float>(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(height))),
          dist(scratch.add<float>(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(height))) {}
    int width, height, pitch;
    Piece<float> ref, dist;

    SsimImages<float> images(const DeviceBatch &batch) const {
        SsimImages<float> images{};
        const FrameArray<float> r = batch.scratch_of(ref), d = batch.scratch_of(dist);
        for (unsigned i = 0; i < batch.count; i++) {
            images.ref.plane[i] = r.of(static_cast<int>(i));
            images.dist.plane[i] = d.of(static_cast<int>(i));
        }
        images.width = width;
        images.height = height;
        images.pitch = pitch;
        images.scale = 1.0f;
        return images;
    }
};

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

// The terms of all positions of two images, and their sums.
class TermSums {
  public:
    // Of images of at most width x height.
    TermSums(Device &device, FrameMemory &scratch, int width, int height, SsimWanted wanted)
        : sums_kernel_(device.load({kSet, "ssim_sums"})) {
        const int columns = width - kSsimTapCount + 1, rows = height - kSsimTapCount + 1;
        if (columns <= 0 || rows <= 0) return;
        const std::size_t positions = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
        contrast_ = scratch.add<u64>(positions);
        structure_ = scratch.add<float>(positions);
        if (wanted.luminance || wanted.ssim) luminance_ = scratch.add<u64>(positions);
        if (wanted.ssim) ssim_ = scratch.add<u64>(positions);
    }

    // `sums`: four places per frame, in the order of SsimSumsKernel.
    template <class Sample>
    void enqueue(Queue &queue, const DeviceBatch &batch, const LoadedKernel &terms_kernel, const SsimImages<Sample> &in,
                 SsimWanted wanted, FrameArray<u64> sums) const {
        const int columns = in.width - kSsimTapCount + 1, rows = in.height - kSsimTapCount + 1;
        if (columns <= 0 || rows <= 0) return;
        SsimTermsArgs<Sample> terms{};
        terms.in = in;
        terms.contrast = batch.scratch_of(contrast_);
        terms.structure = batch.scratch_of(structure_);
        if (wanted.luminance || wanted.ssim) terms.luminance = batch.scratch_of(luminance_);
        if (wanted.ssim) terms.ssim = batch.scratch_of(ssim_);
        launch_tiles(queue, terms_kernel, columns, rows, batch.count, terms);

        SsimSumsArgs args{};
        args.terms[0] = terms.contrast;
        args.terms[1] = terms.luminance;
        args.terms[2] = terms.ssim;
        args.structure = terms.structure;
        args.count = static_cast<u64>(columns) * static_cast<u64>(rows);
        args.sums = sums;
        launch(queue, sums_kernel_, {4, 1, batch.count}, args);
    }

    static SsimMeans means(const u64 *sums, int width, int height) {
        const auto sum = [&](int i) { return std::bit_cast<double>(sums[i]); };
        return ssim_means({.ssim = sum(2), .luminance = sum(1), .contrast = sum(0), .structure = sum(3)}, width,
                          height);
    }

  private:
    LoadedKernel sums_kernel_;
    Piece<u64> contrast_, luminance_, ssim_;
    Piece<float> structure_;
};

class FloatSsimDevice final : public DeviceScorer {
  public:
    FloatSsimDevice(const PictureFormat &format, int factor, bool enable_lcs, Device &device)
        : format_(format), factor_(factor), wanted_{true, enable_lcs}, width_(reduced(format.width)),
          height_(reduced(format.height)),
          terms_kernel_(factor > 1 ? device.load({kSet, "ssim_terms_float"})
                                   : load_for_depth(device, "ssim_terms_8", "ssim_terms_16", format.bits)),
          terms_(device, scratch_, width_, height_, wanted_), sums_(results_.add<u64>(4)) {
        if (factor == 1 || width_ <= 0 || height_ <= 0) return;
        box_kernel_ = std::has_single_bit(static_cast<unsigned>(factor))
                          ? load_for_depth(device, "ssim_box_8", "ssim_box_16", format.bits)
                          : load_for_depth(device, "ssim_any_box_8", "ssim_any_box_16", format.bits);
        planes_made_.emplace(scratch_, width_, height_);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_ssim");
        if (factor_ == 1) {
            with_luma(batch, format_, [&](const auto &images) {
                terms_.enqueue(queue, batch, terms_kernel_, images, wanted_, batch.results_of(sums_));
            });
            return;
        }
        if (!planes_made_) return; // nothing is left of such pictures
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
        terms_.enqueue(queue, batch, terms_kernel_, planes_made_->images(batch), wanted_, batch.results_of(sums_));
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        const SsimMeans means = TermSums::means(from.of(sums_), width_, height_);
        result.values[0] = static_cast<double>(means.ssim);
        result.values[1] = static_cast<double>(means.luminance);
        result.values[2] = static_cast<double>(means.contrast);
        result.values[3] = static_cast<double>(means.structure);
    }

  private:
    int reduced(unsigned size) const {
        return factor_ == 1 ? static_cast<int>(size) : box_reduced(static_cast<int>(size), factor_);
    }

    PictureFormat format_;
    int factor_;
    SsimWanted wanted_;
    int width_, height_; // of the images that are compared
    LoadedKernel terms_kernel_, box_kernel_;
    TermSums terms_;
    std::optional<MadePlanes> planes_made_;
    Piece<u64> sums_;
};

class FloatMsSsimDevice final : public DeviceScorer {
  public:
    FloatMsSsimDevice(const PictureFormat &format, bool enable_lcs, Device &device)
        : format_(format), enable_lcs_(enable_lcs),
          terms_first_(load_for_depth(device, "ssim_terms_8", "ssim_terms_16", format.bits)),
          terms_later_(device.load({kSet, "ssim_terms_float"})),
          decimate_first_(load_for_depth(device, "ssim_decimate_8", "ssim_decimate_16", format.bits)),
          decimate_later_(device.load({kSet, "ssim_decimate_float"})),
          terms_(device, scratch_, static_cast<int>(format.width), static_cast<int>(format.height), {false, true}),
          sums_(results_.add<u64>(4 * kMsSsimScales)) {
        int width = static_cast<int>(format.width), height = static_cast<int>(format.height);
        for (std::optional<MadePlanes> &scale : scales_) {
            width = decimated(width);
            height = decimated(height);
            scale.emplace(scratch_, width, height);
        }
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_ms_ssim");
        with_luma(batch, format_,
                  [&](const auto &images) { enqueue_scale(queue, batch, 0, terms_first_, decimate_first_, images); });
        for (std::size_t i = 1; i < kMsSsimScales; i++)
            enqueue_scale(queue, batch, i, terms_later_, decimate_later_, scales_[i - 1]->images(batch));
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        for (std::size_t i = 0; i < kMsSsimScales; i++) {
            const int width = i ? scales_[i - 1]->width : static_cast<int>(format_.width);
            const int height = i ? scales_[i - 1]->height : static_cast<int>(format_.height);
            const SsimMeans means = TermSums::means(from.of(sums_) + 4 * i, width, height);
            result.values[i] = static_cast<double>(means.luminance);
            result.values[kMsSsimScales + i] = static_cast<double>(means.contrast);
            result.values[2 * kMsSsimScales + i] = static_cast<double>(means.structure);
        }
    }

  private:
    template <class Sample>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, std::size_t scale, const LoadedKernel &terms,
                       const LoadedKernel &decimate, const SsimImages<Sample> &images) const {
        FrameArray<u64> sums = batch.results_of(sums_);
        sums.first += 4 * scale;
        terms_.enqueue(queue, batch, terms, images, {false, ms_ssim_wants_luminance(scale, enable_lcs_)}, sums);
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
    bool enable_lcs_;
    LoadedKernel terms_first_, terms_later_, decimate_first_, decimate_later_;
    TermSums terms_;
    std::array<std::optional<MadePlanes>, kMsSsimScales - 1> scales_;
    Piece<u64> sums_;
};

class SsimDevice final : public DeviceScorer {
  public:
    SsimDevice(const PictureFormat &format, Device &device)
        : format_(format), moments_(load_for_depth(device, "ssim_moments_8", "ssim_moments_16", format.bits)),
          sums_kernel_(device.load({kSet, "ssim_sums"})),
          terms_(scratch_.add<u64>(std::size_t{format.width} * format.height)), sums_(results_.add<u64>(4)) {}

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
        SsimSumsArgs sums{};
        sums.terms[0] = args.terms;
        sums.count = u64{format_.width} * format_.height;
        sums.sums = batch.results_of(sums_);
        launch(queue, sums_kernel_, {1, 1, batch.count}, sums);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        result.values[0] = std::bit_cast<double>(*from.of(sums_)) / ssim_total_weight(format_);
    }

  private:
    PictureFormat format_;
    LoadedKernel moments_, sums_kernel_;
    Piece<u64> terms_, sums_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_float_ssim_device_scorer(const PictureFormat &format, int factor, bool enable_lcs,
                                                            Device &device) {
    return std::make_unique<FloatSsimDevice>(format, factor, enable_lcs, device);
}

std::unique_ptr<DeviceScorer> make_float_ms_ssim_device_scorer(const PictureFormat &format, bool enable_lcs,
                                                               Device &device) {
    return std::make_unique<FloatMsSsimDevice>(format, enable_lcs, device);
}

std::unique_ptr<DeviceScorer> make_ssim_device_scorer(const PictureFormat &format, Device &device) {
    return std::make_unique<SsimDevice>(format, device);
}

} // namespace vmaf
