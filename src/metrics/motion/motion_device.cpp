#include "metrics/motion/motion_device.hpp"

#include <bit>
#include <string>

#include "base/error.hpp"
#include "device/registry.hpp"
#include "device/trace.hpp"
#include "metrics/kernel_images.hpp"
#include "metrics/motion/motion.hpp"
#include "metrics/motion/motion_kernel_list.hpp"

namespace vmaf::motion {

namespace {

using namespace kernels;

// clang-format off
#define VMAF_KERNEL_OBJECT(name) constexpr Kernel k_##name = describe_kernel<name>("vmaf_" #name, motion_kernel_image);
VMAF_MOTION_KERNELS(VMAF_KERNEL_OBJECT)
// clang-format on

class MotionDeviceScorer final : public DeviceScorer {
  public:
    MotionDeviceScorer(std::string_view metric, const PictureFormat &format, unsigned distance, Device &device)
        : metric_(metric), width_(static_cast<int>(format.width)), height_(static_cast<int>(format.height)),
          bits_(static_cast<int>(format.bits)), distance_(distance), kernel_(bits_ == 8   ? k_motion_8
                                                                             : bits_ < 16 ? k_motion_15
                                                                                          : k_motion_16),
          shape_(kernel_.shape(device.info().group_width)) {
        device.prepare(kernel_);
    }

    std::size_t scratch_bytes(unsigned) const override { return 0; }
    unsigned sums() const override { return 1; }
    unsigned dist_planes() const override { return 0; }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        // The first frames of a stream have nothing to compare with: their sums stay 0.
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
        args.sums = batch.sums + first * batch.sums_stride;
        args.sums_stride = batch.sums_stride;
        args.width = width_;
        args.height = height_;
        args.pitch = static_cast<int>(batch.pitch_bytes[0]) / (bits_ > 8 ? 2 : 1);
        args.bits = bits_;
        launch(queue, kernel_, {blocks_for(width_, shape_.tile_width), blocks_for(height_, shape_.tile_height), count},
               args);
    }

    void collect(const DeviceSum *sums, FrameResult &result) const override {
        result.values[0] = std::bit_cast<double>(std::uint64_t{*sums});
    }

  private:
    std::string_view metric_;
    int width_, height_, bits_;
    unsigned distance_;
    const Kernel &kernel_;
    const KernelShape &shape_;
};

// motion_force_zero: no work at all.
class ZeroDeviceScorer final : public DeviceScorer {
  public:
    std::size_t scratch_bytes(unsigned) const override { return 0; }
    unsigned sums() const override { return 0; }
    unsigned ref_planes() const override { return 0; }
    unsigned dist_planes() const override { return 0; }
    void enqueue(Queue &, const DeviceBatch &) const override {}
    void collect(const DeviceSum *, FrameResult &result) const override { result.values[0] = 0; }
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(std::string_view metric, const PictureFormat &format,
                                                 unsigned distance, Device &device) {
    if (distance == 0) return std::make_unique<ZeroDeviceScorer>();
    return std::make_unique<MotionDeviceScorer>(metric, format, distance, device);
}

} // namespace vmaf::motion
