#include <algorithm>
#include <array>
#include <bit>

#include "device/trace.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/psnr_hvs/psnr_hvs.hpp"
#include "metrics/psnr_hvs/psnr_hvs_kernels.hpp"

namespace vmaf::psnr_hvs {

namespace {

using namespace kernels;

class PsnrHvsDevice final : public DeviceScorer {
  public:
    PsnrHvsDevice(const PictureFormat &format, Device &device)
        : format_(format), errors_(device.load({"psnr_hvs", format.bits == 8 ? "hvs_errors_8" : "hvs_errors_16"})),
          sums_kernel_(device.load({"psnr_hvs", "hvs_sums"})), sums_(results_.add<u32>(3)) {
        planes_.ref = planes_.dist = 7;
        for (unsigned p = 0; p < 3; p++) terms_[p] = scratch_.add<float>(std::max<std::size_t>(64 * blocks(p), 1));
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("psnr_hvs");
        HvsSumsArgs sums{};
        sums.sums = batch.results_of(sums_);
        for (unsigned p = 0; p < 3; p++) {
            sums.terms[p] = batch.scratch_of(terms_[p]);
            sums.count[p] = 64 * blocks(p);
            if (blocks(p) == 0) continue;
            const PicturePlanes planes = batch.planes(p);
            HvsArgs args{};
            args.ref = planes.ref;
            args.dist = planes.dist;
            args.pitch = planes.pitch;
            args.columns = blocks_along(format_.plane_width(p));
            args.rows = blocks_along(format_.plane_height(p));
            std::copy_n(kContrastTables[p].csf.data(), 64, args.csf);
            std::copy_n(kContrastTables[p].mask.data(), 64, args.mask);
            args.terms = sums.terms[p];
            launch_tiles(queue, errors_, args.columns * args.rows, 1, batch.count, args);
        }
        launch(queue, sums_kernel_, {3, 1, batch.count}, sums);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        for (unsigned p = 0; p < 3; p++)
            result.values[p] = plane_score(std::bit_cast<float>(from.of(sums_)[p]), format_, p);
    }

  private:
    std::size_t blocks(unsigned plane) const {
        return static_cast<std::size_t>(blocks_along(format_.plane_width(plane))) *
               static_cast<std::size_t>(blocks_along(format_.plane_height(plane)));
    }

    PictureFormat format_;
    LoadedKernel errors_, sums_kernel_;
    std::array<Piece<float>, 3> terms_;
    Piece<u32> sums_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device) {
    return std::make_unique<PsnrHvsDevice>(format, device);
}

} // namespace vmaf::psnr_hvs
