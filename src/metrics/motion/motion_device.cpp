#include "metrics/motion/motion_device.hpp"

#include <bit>
#include <string>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "metrics/motion/motion.hpp"
#include "metrics/motion/motion_kernels.hpp"

namespace vmaf::motion {

namespace {

using namespace kernels;

class MotionDeviceScorer final : public DeviceScorer {
  public:
    MotionDeviceScorer(std::string_view metric, const PictureFormat &format, unsigned distance, Device &device)
        : metric_(metric), width_(static_cast<int>(format.width)), height_(static_cast<int>(format.height)),
          bits_(static_cast<int>(format.bits)), distance_(distance),
          kernel_(device.load({"motion", bits_ == 8   ? "motion_8"
                                         : bits_ < 16 ? "motion_15"
                                                      : "motion_16"})),
          sums_(results_.add<u64>(1)) {
        planes_ = {.ref = 1, .dist = 0, .earlier_ref = 1};
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        // The first frames of a stream have no earlier picture: their sums stay 0.
        unsigned first = 0;
        while (first < batch.count && batch.frames[first].index < distance_) first++;
        MotionArgs args{};
        unsigned count = 0;
        for (unsigned i = first; i < batch.count; i++) {
            const DeviceFrame &frame = batch.frames[i];
            const std::byte *earlier = frame.earlier_ref[distance_ - 1][0];
            if (!earlier)
                throw invalid(std::string(metric_) + ": frame " + std::to_string(frame.index) +
                              " has no earlier frame to compare with; frames are counted from 0");
            args.earlier.plane[count] = earlier;
            args.current.plane[count++] = frame.ref[0];
        }
        if (count == 0) return;
        const TraceRange trace("motion");
        const auto sums = batch.results_of(sums_);
        args.sums = sums.of(static_cast<int>(first));
        args.sums_stride = sums.stride;
        args.width = width_;
        args.height = height_;
        args.pitch = batch.pitch(0);
        args.bits = bits_;
        launch_tiles(queue, kernel_, width_, height_, count, args);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        result.values[0] = std::bit_cast<double>(*from.of(sums_));
    }

  private:
    std::string_view metric_;
    int width_, height_, bits_;
    unsigned distance_;
    LoadedKernel kernel_;
    Piece<u64> sums_;
};

// motion_force_zero: does nothing.
class ZeroDeviceScorer final : public DeviceScorer {
  public:
    ZeroDeviceScorer() { planes_ = {.ref = 0, .dist = 0}; }
    void enqueue(Queue &, const DeviceBatch &) const override {}
    void collect(const DeviceResult &, FrameResult &result) const override { result.values[0] = 0; }
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(std::string_view metric, const PictureFormat &format,
                                                 unsigned distance, Device &device) {
    if (distance == 0) return std::make_unique<ZeroDeviceScorer>();
    return std::make_unique<MotionDeviceScorer>(metric, format, distance, device);
}

} // namespace vmaf::motion
