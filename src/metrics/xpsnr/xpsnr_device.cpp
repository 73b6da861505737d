#include "metrics/xpsnr/xpsnr_device.hpp"

#include <bit>
#include <vector>

#include "device/trace.hpp"
#include "metrics/xpsnr/xpsnr_kernels.hpp"

namespace vmaf::xpsnr {

namespace {

using namespace kernels;

class XpsnrDevice final : public DeviceScorer {
  public:
    XpsnrDevice(const PictureFormat &format, const Plan &plan, unsigned planes, Device &device)
        : format_(format), plan_(plan), count_(planes),
          kernel_(device.load({"xpsnr", format.bits == 8 ? "xpsnr_blocks_8" : "xpsnr_blocks_16"})),
          block_(plan.weighted() ? plan.block : kBlockWithoutWeights), columns_(blocks_for(plan.width, block_)),
          rows_(blocks_for(plan.height, block_)), sums_(results_.add<u64>(std::size_t{columns_} * rows_ * kXpsnrSums)) {
        planes_.ref = planes_.dist = (1u << planes) - 1;
        planes_.earlier_ref = plan.weighted() ? 1 : 0;
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("xpsnr");
        XpsnrArgs args{};
        for (unsigned p = 0; p < count_; p++) {
            args.planes[p] = batch.planes(p);
            args.width[p] = static_cast<int>(format_.plane_width(p));
            args.height[p] = static_cast<int>(format_.plane_height(p));
            args.block_width[p] = block_ >> int(plan_.halves_width(format_, p));
            args.block_height[p] = block_ >> int(plan_.halves_height(format_, p));
        }
        for (unsigned i = 0; i < batch.count; i++) {
            args.before.plane[i] = batch.frames[i].earlier_ref[0][0];
            args.earlier.plane[i] = batch.frames[i].earlier_ref[1][0];
        }
        args.plane_count = static_cast<int>(count_);
        args.columns = static_cast<int>(columns_);
        args.margin = plan_.margin;
        args.weighted = plan_.weighted();
        args.second_order = plan_.second_order;
        args.sums = batch.results_of(sums_);
        launch(queue, kernel_, {columns_, rows_, batch.count}, args);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        const u64 *const sums = from.of(sums_);
        const std::size_t count = std::size_t{columns_} * rows_;
        const auto sum = [&](std::size_t block, std::size_t which) { return sums[block * kXpsnrSums + which]; };
        if (!plan_.weighted()) {
            for (unsigned p = 0; p < count_; p++) {
                std::uint64_t error = 0;
                for (std::size_t k = 0; k < count; k++) error += sum(k, kXpsnrError + p);
                result.values[p] = std::bit_cast<double>(error);
            }
            return;
        }
        std::vector<BlockSums> blocks(count);
        std::vector<double> weights(count);
        for (std::size_t k = 0; k < count; k++)
            blocks[k] = {sum(k, kXpsnrSpatial), sum(k, kXpsnrTemporal), sum(k, kXpsnrError)};
        block_weights(plan_, blocks, weights);
        for (unsigned p = 0; p < count_; p++)
            result.values[p] = std::bit_cast<double>(
                weighted_error(plan_, weights, [&](std::size_t k, int, int) { return sum(k, kXpsnrError + p); }));
    }

  private:
    static constexpr int kBlockWithoutWeights = 64;

    PictureFormat format_;
    Plan plan_;
    unsigned count_; // planes
    LoadedKernel kernel_;
    int block_;
    unsigned columns_, rows_; // of blocks
    Piece<u64> sums_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, const Plan &plan, unsigned planes,
                                                 Device &device) {
    return std::make_unique<XpsnrDevice>(format, plan, planes, device);
}

} // namespace vmaf::xpsnr
