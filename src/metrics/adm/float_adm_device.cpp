#include "metrics/adm/float_adm_device.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <optional>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "metrics/adm/float_adm_kernels.hpp"
#include "metrics/common/device_real_tiles.hpp"

namespace vmaf::adm {

namespace {

using namespace kernels;

constexpr const char *kSet = "float_adm";
constexpr std::size_t kLines = 3 * kFloatAdmBands;

class FloatAdmDevice final : public DeviceScorer {
  public:
    FloatAdmDevice(const FloatPlan &plan, double noise_weight, const TileGrid *tiles, Device &device)
        : plan_(plan), noise_weight_(noise_weight), windows_(scale_windows(plan.width, plan.height)),
          wavelet_first_(device.load({kSet, plan.bits == 8 ? "float_adm_wavelet_8" : "float_adm_wavelet_16"})),
          wavelet_later_(device.load({kSet, "float_adm_wavelet_float"})), sums_(device.load({kSet, "float_adm_sums"})),
          totals_kernel_(device.load({kSet, "float_adm_totals"})) {
        has_long_chains_ = true; // the sums along lines
        // One scale after the other uses the same memory for magnitudes and lines.
        const Window &largest = windows_[plan.skip_scale0 ? 1 : 0];
        const std::size_t coefficients = samples_of(largest);
        for (Piece<float> *piece : {&reference_, &restored_, &added_})
            *piece = scratch_.add<float>(kFloatAdmBands * coefficients);
        for (Piece<float> &line : lines_) line = scratch_.add<float>(static_cast<std::size_t>(largest.height));
        for (std::size_t s = 0; s + 1 < kScales; s++)
            approx_[s] = {scratch_.add<float>(samples_of(windows_[s])), scratch_.add<float>(samples_of(windows_[s]))};
        for (Piece<float> &totals : totals_) totals = results_.add<float>(kLines);
        if (!tiles) return;
        terms_kernel_ = device.load({kSet, "float_adm_terms"});
        terms_ = scratch_.add<float>(kLines * coefficients);
        std::array<DeviceRealTiles::Image, kScales> images;
        for (std::size_t s = 0; s < kScales; s++)
            images[s] = {float_tile_axis(int(s), windows_[s].width), float_tile_axis(int(s), windows_[s].height)};
        tiles_.emplace(*tiles, images, kLines, results_, device);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_adm");
        for (std::size_t s = 0; s < kScales; s++) {
            if (s > 0)
                enqueue_scale<float>(queue, batch, s, wavelet_later_);
            else if (plan_.bits == 8)
                enqueue_scale<u8>(queue, batch, s, wavelet_first_);
            else
                enqueue_scale<u16>(queue, batch, s, wavelet_first_);
        }
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        for (std::size_t s = 0; s < kScales; s++) {
            ScaleValues v;
            if (scored(s)) {
                const float *totals = from.of(totals_[s]);
                const auto bands = [&](int first) {
                    return FloatRowSums::PerBand{totals[first], totals[first + 1], totals[first + 2]};
                };
                v = {pooled(bands(3), windows_[s].area(), plan_.exponent, noise_weight_),
                     pooled(bands(0), windows_[s].area(), plan_.exponent, noise_weight_),
                     pooled(bands(6), windows_[s].area(), plan_.exponent, 0.0)};
            }
            store_scale(s, v, result);
        }
        if (tiles_) tiles_->collect(from, result);
    }

  private:
    static std::size_t samples_of(const Window &w) {
        return static_cast<std::size_t>(w.width) * static_cast<std::size_t>(w.height);
    }
    bool scored(std::size_t scale) const { return scale > 0 || !plan_.skip_scale0; }

    template <class Sample>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, std::size_t s, const LoadedKernel &wavelet) const {
        const Window &w = windows_[s];
        FloatAdmWaveletArgs<Sample> args{};
        if (s == 0) {
            const PicturePlanes luma = batch.planes(0);
            args.ref = luma.ref;
            args.dist = luma.dist;
            args.in_pitch = luma.pitch;
            args.scale = 1.0f / static_cast<float>(1 << (plan_.bits - 8));
            args.offset = -128.0f;
        } else {
            for (unsigned i = 0; i < batch.count; i++) {
                args.ref.plane[i] = batch.scratch_of(approx_[s - 1][0]).of(static_cast<int>(i));
                args.dist.plane[i] = batch.scratch_of(approx_[s - 1][1]).of(static_cast<int>(i));
            }
            args.in_pitch = w.in_width;
            args.scale = 1.0f;
        }
        args.in_width = w.in_width;
        args.in_height = w.in_height;
        args.width = w.width;
        args.height = w.height;
        if (s + 1 < kScales) {
            args.approx_ref = batch.scratch_of(approx_[s][0]);
            args.approx_dist = batch.scratch_of(approx_[s][1]);
        }
        if (scored(s))
            args.out = {batch.scratch_of(reference_), batch.scratch_of(restored_), batch.scratch_of(added_),
                        samples_of(w)};
        std::copy(plan_.factor[s].begin(), plan_.factor[s].end(), args.factor);
        args.gain_limit = std::bit_cast<std::uint64_t>(plan_.gain_limit);
        launch_tiles(queue, wavelet, w.width, w.height, batch.count, args);
        if (!scored(s)) return;

        FloatAdmSumsArgs sums{};
        sums.in = args.out;
        sums.width = w.width;
        sums.height = w.height;
        sums.left = w.left;
        sums.right = w.right;
        sums.top = w.top;
        sums.bottom = w.bottom;
        sums.masking = plan_.bypass_masking ? 0 : 1;
        LineTotalsArgs totals{};
        for (std::size_t i = 0; i < kLines; i++) {
            sums.lines[i] = totals.lines[i] = batch.scratch_of(lines_[i]);
            totals.count[i] = w.bottom - w.top;
        }
        totals.totals = batch.results_of(totals_[s]);
        launch(queue, sums_, {1, blocks_for(w.bottom - w.top, sums_.shape.tile_height), batch.count}, sums);
        launch(queue, totals_kernel_, {kLines, 1, batch.count}, totals);
        if (tiles_) enqueue_tiles(queue, batch, s, sums);
    }

    // One scale after the other uses the same memory for terms.
    void enqueue_tiles(Queue &queue, const DeviceBatch &batch, std::size_t s, const FloatAdmSumsArgs &sums) const {
        FloatAdmTermsArgs args{};
        args.all = sums;
        args.all.left = args.all.top = 0;
        args.all.right = sums.width;
        args.all.bottom = sums.height;
        args.terms = batch.scratch_of(terms_);
        args.plane = samples_of(windows_[s]);
        launch_tiles(queue, terms_kernel_, sums.width, sums.height, batch.count, args);
        std::array<TileTerms, kLines> terms;
        for (std::size_t i = 0; i < kLines; i++)
            terms[i] = tiles_->floats(s, {args.terms.first + i * args.plane, args.terms.stride}, 1,
                                      static_cast<std::size_t>(sums.width));
        tiles_->enqueue(queue, batch, terms, s * kLines);
    }

    FloatPlan plan_;
    double noise_weight_;
    std::array<Window, kScales> windows_;
    LoadedKernel wavelet_first_, wavelet_later_, sums_, totals_kernel_, terms_kernel_;
    Piece<float> reference_, restored_, added_, terms_;
    std::array<Piece<float>, kLines> lines_;
    std::array<std::array<Piece<float>, 2>, kScales - 1> approx_; // [scale][picture]
    std::array<Piece<float>, kScales> totals_;
    std::optional<DeviceRealTiles> tiles_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_float_device_scorer(const FloatPlan &plan, double noise_weight,
                                                       const TileGrid *tiles, Device &device) {
    if (plan.exponent != 3.0)
        throw Error(
            ENOTSUP,
            "float_adm: option adm_p_norm other than 3 is not supported on devices (its powers are those of the C "
            "library)");
    return std::make_unique<FloatAdmDevice>(plan, noise_weight, tiles, device);
}

} // namespace vmaf::adm
