#include "metrics/moment/moment_device.hpp"

#include <array>
#include <bit>

#include "device/trace.hpp"
#include "metrics/moment/moment.hpp"
#include "metrics/moment/moment_kernels.hpp"

namespace vmaf::moment {

namespace {

using namespace kernels;

class MomentDeviceScorer final : public DeviceScorer {
  public:
    MomentDeviceScorer(const PictureFormat &format, Device &device)
        : format_(format), kernel_(device.load({"moment", format.bits == 8    ? "moment_8"
                                                          : format.bits == 16 ? "moment_16"
                                                                              : "moment_12"})) {
        for (Picture &picture : pictures_) picture = {results_.add<u64>(1), results_.add<u64>(1), results_.add<u64>(1)};
        if (format.bits == 16) in_order_ = device.load({"moment", "moment_in_order"});
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_moment");
        const PicturePlanes luma = batch.planes(0);
        const int width = static_cast<int>(format_.width), height = static_cast<int>(format_.height);
        const auto &[ref, dist] = pictures_;
        const MomentArgs args = {luma,
                                 width,
                                 height,
                                 batch.results_of(ref.first),
                                 batch.results_of(ref.second),
                                 batch.results_of(dist.first),
                                 batch.results_of(dist.second)};
        launch_tiles(queue, kernel_, width, height, batch.count, args);
        if (!in_order_.entry) return;
        for (const bool is_dist : {false, true}) {
            OrderedSquaresArgs ordered{};
            ordered.plane = is_dist ? luma.dist : luma.ref;
            ordered.width = width;
            ordered.height = height;
            ordered.pitch = luma.pitch;
            ordered.rough = batch.results_of(pictures_[is_dist].second);
            ordered.result = batch.results_of(pictures_[is_dist].ordered);
            launch(queue, in_order_, {1, 1, batch.count}, ordered);
        }
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        std::array<Sums, 2> sums;
        for (std::size_t i = 0; i < 2; i++) {
            const u64 ordered = *from.of(pictures_[i].ordered);
            sums[i] = {static_cast<double>(*from.of(pictures_[i].first)),
                       ordered ? std::bit_cast<double>(ordered) : static_cast<double>(*from.of(pictures_[i].second))};
        }
        store_moments(sums[0], sums[1], format_, result);
    }

  private:
    struct Picture {
        Piece<u64> first, second, ordered; // `ordered`: bits of a double, if integers do not suffice
    };
    PictureFormat format_;
    LoadedKernel kernel_, in_order_;
    std::array<Picture, 2> pictures_; // reference, distorted
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device) {
    return std::make_unique<MomentDeviceScorer>(format, device);
}

} // namespace vmaf::moment
