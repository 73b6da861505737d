#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "device/trace.hpp"
#include "metrics/common/ordered_sums_device.hpp"
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
          ordered_(device, scratch_, 3, std::max<std::size_t>(64 * blocks(0), 1), OrderedSums::Type::f32),
          sums_(results_.add<u64>(3)) {
        planes_.ref = planes_.dist = 7;
        for (unsigned p = 0; p < 3; p++) terms_[p] = scratch_.add<float>(std::max<std::size_t>(64 * blocks(p), 1));
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("psnr_hvs");
        std::vector<OrderedSource> sources;
        for (unsigned p = 0; p < 3; p++) {
            if (blocks(p) == 0) continue; // its sum is already 0
            const PicturePlanes planes = batch.planes(p);
            HvsArgs args{};
            args.ref = planes.ref;
            args.dist = planes.dist;
            args.pitch = planes.pitch;
            args.columns = blocks_along(format_.plane_width(p));
            args.rows = blocks_along(format_.plane_height(p));
            std::copy_n(kContrastTables[p].csf.data(), 64, args.csf);
            std::copy_n(kContrastTables[p].mask.data(), 64, args.mask);
            args.terms = batch.scratch_of(terms_[p]);
            launch_tiles(queue, errors_, args.columns * args.rows, 1, batch.count, args);
            sources.push_back(OrderedSums::floats(args.terms, 64 * blocks(p), static_cast<int>(p)));
        }
        ordered_.enqueue(queue, batch, sources, batch.results_of(sums_));
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        for (unsigned p = 0; p < 3; p++)
            result.values[p] = plane_score(std::bit_cast<float>(static_cast<u32>(from.of(sums_)[p])), format_, p);
    }

  private:
    std::size_t blocks(unsigned plane) const {
        return static_cast<std::size_t>(blocks_along(format_.plane_width(plane))) *
               static_cast<std::size_t>(blocks_along(format_.plane_height(plane)));
    }

    PictureFormat format_;
    LoadedKernel errors_;
    OrderedSums ordered_;
    std::array<Piece<float>, 3> terms_;
    Piece<u64> sums_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device) {
    return std::make_unique<PsnrHvsDevice>(format, device);
}

} // namespace vmaf::psnr_hvs
