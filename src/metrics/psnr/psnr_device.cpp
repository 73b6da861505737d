#include "metrics/psnr/psnr_device.hpp"

#include <array>
#include <bit>
#include <climits>

#include "device/trace.hpp"
#include "metrics/common/device_tiles.hpp"
#include "metrics/psnr/float_psnr.hpp"
#include "metrics/psnr/psnr.hpp"
#include "metrics/psnr/psnr_kernels.hpp"

namespace vmaf::psnr {

namespace {

using namespace kernels;

class SquaredErrors : public DeviceScorer {
  public:
    SquaredErrors(const PictureFormat &format, unsigned planes, const char *kernel, Device &device)
        : format_(format), kernel_(device.load({"psnr", kernel})), count_(planes),
          sums_(results_.add<u64>(kPsnrPlanes)) {
        planes_.ref = planes_.dist = (1u << planes) - 1;
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("psnr");
        PsnrArgs args{};
        const Grid grid = fill(args, batch);
        launch(queue, kernel_, grid, args);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        for (unsigned p = 0; p < count_; p++) result.values[p] = std::bit_cast<double>(from.of(sums_)[p]);
    }

  protected:
    // Everything except the place of the sums, if it differs.
    Grid fill(PsnrArgs &args, const DeviceBatch &batch) const {
        args.sums = batch.results_of(sums_);
        unsigned columns = 1, rows = 0; // of blocks
        for (unsigned p = 0; p < kPsnrPlanes; p++) {
            args.first_block[p] = p < count_ ? static_cast<int>(rows) : INT_MAX;
            if (p >= count_) continue;
            args.planes[p] = batch.planes(p);
            args.width[p] = static_cast<int>(format_.plane_width(p));
            args.height[p] = static_cast<int>(format_.plane_height(p));
            columns = std::max(columns, blocks_for(args.width[p], kernel_.shape.tile_width));
            rows += blocks_for(args.height[p], kernel_.shape.tile_height);
        }
        return {columns, rows, batch.count};
    }

    PictureFormat format_;
    LoadedKernel kernel_;
    unsigned count_; // planes
    Piece<u64> sums_;
};

// For the tiles of a grid (maps.md 6), three words each. Their sums are those of the planes.
class TileErrors final : public SquaredErrors {
  public:
    TileErrors(const PictureFormat &format, unsigned planes, const TileGrid &grid, Device &device)
        : SquaredErrors(format, planes, format.bits == 8 ? "tile_error_8" : "tile_error_16", device),
          tiles_(grid, images(format), edge_below, device) {
        words_ = results_.add<u64>(tiles_.count() * kPsnrPlanes);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("psnr");
        PsnrTilesArgs args{};
        const Grid grid = fill(args.all, batch);
        args.all.sums = batch.results_of(words_);
        for (unsigned p = 0; p < count_; p++) args.tiles[p] = tiles_.of(p);
        launch(queue, kernel_, grid, args);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        const u64 *const words = from.of(words_);
        take_tiles(words, tiles_.count() * kPsnrPlanes, result);
        std::array<u64, kPsnrPlanes> sums{};
        for (std::size_t i = 0; i < result.tiles.size(); i++) sums[i % kPsnrPlanes] += words[i];
        for (unsigned p = 0; p < count_; p++) result.values[p] = std::bit_cast<double>(sums[p]);
    }

  private:
    static std::array<DeviceTiles::Image, kPsnrPlanes> images(const PictureFormat &format) {
        std::array<DeviceTiles::Image, kPsnrPlanes> images{};
        for (unsigned p = 1; p < format.planes(); p++) {
            const auto [across, down] = chroma_shifts(format, p);
            images[p] = {across, down};
        }
        return images;
    }

    DeviceTiles tiles_;
    Piece<u64> words_;
};

class FloatSquaredErrors final : public SquaredErrors {
  public:
    FloatSquaredErrors(const PictureFormat &format, Device &device)
        : SquaredErrors(format, 1,
                        format.bits == 8    ? "squared_error_8"
                        : format.bits == 16 ? "squared_error_rounded"
                                            : "squared_error_16",
                        device) {
        if (format.bits < 16) return;
        in_order_ = device.load({"psnr", "squared_error_in_order"});
        ordered_ = results_.add<u64>(1);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        SquaredErrors::enqueue(queue, batch);
        if (!in_order_.entry) return;
        OrderedSquaresArgs args{};
        const PicturePlanes luma = batch.planes(0);
        args.plane = luma.ref;
        args.subtracted = luma.dist;
        args.width = static_cast<int>(format_.width);
        args.height = static_cast<int>(format_.height);
        args.pitch = luma.pitch;
        args.rough = batch.results_of(sums_);
        args.result = batch.results_of(ordered_);
        launch(queue, in_order_, {1, 1, batch.count}, args);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        const u64 ordered = in_order_.entry ? *from.of(ordered_) : 0;
        const double sum = ordered ? std::bit_cast<double>(ordered) : static_cast<double>(*from.of(sums_));
        result.values[0] = on_8_bit_scale(sum, format_.bits);
    }

  private:
    LoadedKernel in_order_;
    Piece<u64> ordered_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, unsigned planes, Device &device) {
    return std::make_unique<SquaredErrors>(format, planes, format.bits == 8 ? "squared_error_8" : "squared_error_16",
                                           device);
}

std::unique_ptr<DeviceScorer> make_tiling_device_scorer(const PictureFormat &format, unsigned planes,
                                                        const TileGrid &tiles, Device &device) {
    return std::make_unique<TileErrors>(format, planes, tiles, device);
}

std::unique_ptr<DeviceScorer> make_float_device_scorer(const PictureFormat &format, Device &device) {
    return std::make_unique<FloatSquaredErrors>(format, device);
}

} // namespace vmaf::psnr
