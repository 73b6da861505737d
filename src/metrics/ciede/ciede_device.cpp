#include <bit>
#include <optional>

#include "device/trace.hpp"
#include "metrics/ciede/ciede.hpp"
#include "metrics/ciede/ciede_kernels.hpp"
#include "metrics/common/device_real_tiles.hpp"
#include "metrics/common/ordered_sums_device.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::ciede {

namespace {

using namespace kernels;

class CiedeDevice final : public DeviceScorer {
  public:
    CiedeDevice(const PictureFormat &format, const TileGrid *tiles, Device &device)
        : format_(format), differences_kernel_(device.load({"ciede", format.bits == 8 ? "ciede_8" : "ciede_16"})),
          pixels_(std::size_t{format.width} * format.height), differences_(scratch_.add<float>(pixels_)),
          sums_(device, scratch_, 1, pixels_), sum_(results_.add<u64>(1)) {
        planes_.ref = planes_.dist = 7;
        const DeviceRealTiles::Image image{{static_cast<int>(format.width)}, {static_cast<int>(format.height)}};
        if (tiles) tiles_.emplace(*tiles, std::span(&image, 1), 1, results_, device);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("ciede");
        CiedeArgs args{};
        for (unsigned p = 0; p < 3; p++) args.planes[p] = batch.planes(p);
        args.width = static_cast<int>(format_.width);
        args.height = static_cast<int>(format_.height);
        args.chroma_width = static_cast<int>(format_.plane_width(1));
        args.chroma_height = static_cast<int>(format_.plane_height(1));
        args.halved_rows = format_.pixel_format != PixelFormat::yuv444p;
        args.halved_columns = format_.pixel_format == PixelFormat::yuv420p;
        args.bits = static_cast<int>(format_.bits);
        const double depth = 1 << (format_.bits - 8);
        args.luma_scale = std::bit_cast<u64>(1 / (219 * depth));
        args.chroma_scale = std::bit_cast<u64>(1 / (224 * depth));
        args.differences = batch.scratch_of(differences_);
        launch_tiles(queue, differences_kernel_, args.width, args.height, batch.count, args);
        const OrderedSource source = OrderedSums::floats(args.differences, pixels_);
        sums_.enqueue(queue, batch, {&source, 1}, batch.results_of(sum_));
        if (!tiles_) return;
        const TileTerms terms = tiles_->floats(0, args.differences, 1, format_.width);
        tiles_->enqueue(queue, batch, {&terms, 1});
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        result.values[0] = std::bit_cast<double>(*from.of(sum_)) /
                           (static_cast<double>(format_.width) * static_cast<double>(format_.height));
        if (tiles_) tiles_->collect(from, result);
    }

  private:
    PictureFormat format_;
    LoadedKernel differences_kernel_;
    std::size_t pixels_;
    Piece<float> differences_;
    OrderedSums sums_;
    Piece<u64> sum_;
    std::optional<DeviceRealTiles> tiles_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, const TileGrid *tiles, Device &device) {
    return std::make_unique<CiedeDevice>(format, tiles, device);
}

} // namespace vmaf::ciede
