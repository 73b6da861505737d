#include "metrics/motion/float_motion_device.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "device/trace.hpp"
#include "metrics/motion/float_motion.hpp"
#include "metrics/motion/float_motion_kernels.hpp"

namespace vmaf::float_motion {

namespace {

using namespace kernels;

constexpr const char *kSet = "float_motion";

class FloatMotionDevice final : public DeviceScorer {
  public:
    FloatMotionDevice(const PictureFormat &format, unsigned planes, std::span<const float> taps, bool add_scale1,
                      Device &device)
        : format_(format), count_(planes), add_scale1_(add_scale1),
          differences_(device.load({kSet, format.bits == 8 ? "float_motion_8" : "float_motion_16"})),
          totals_kernel_(device.load({kSet, "float_motion_totals"})), totals_(results_.add<float>(2 * kMaxLineTotals)) {
        std::copy(taps.begin(), taps.end(), taps_.begin() + (taps_.size() - taps.size()) / 2);
        planes_.ref = planes_.earlier_ref = (1u << planes) - 1;
        planes_.dist = 0;
        if (add_scale1) half_differences_ = device.load({kSet, "half_motion"});
        for (unsigned p = 0; p < planes; p++) {
            lines_[p] = scratch_.add<float>(format.plane_height(p));
            if (!add_scale1) continue;
            const std::size_t samples = std::size_t{format.plane_width(p)} * format.plane_height(p);
            half_lines_[p] = scratch_.add<float>((format.plane_height(p) + 1) / 2);
            blurred_[p] = {scratch_.add<float>(samples), scratch_.add<float>(samples)};
        }
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_motion");
        LineTotalsArgs totals{}, half_totals{};
        for (unsigned p = 0; p < count_; p++) {
            FloatMotionArgs args{};
            for (unsigned i = 0; i < batch.count; i++) {
                const DeviceFrame &frame = batch.frames[i];
                // The first frame of a stream is compared with itself, and the result is ignored.
                const std::byte *earlier = frame.index == 0 ? frame.ref[p] : frame.earlier_ref[0][p];
                if (!earlier)
                    throw invalid("float_motion: frame " + std::to_string(frame.index) +
                                  " has no earlier frame to compare with; frames are counted from 0");
                args.earlier.plane[i] = earlier;
                args.current.plane[i] = frame.ref[p];
            }
            args.width = static_cast<int>(format_.plane_width(p));
            args.height = static_cast<int>(format_.plane_height(p));
            args.pitch = batch.pitch(p);
            args.scale = 1.0f / static_cast<float>(1 << (format_.bits - 8));
            std::copy(taps_.begin(), taps_.end(), args.taps);
            args.lines = batch.scratch_of(lines_[p]);
            if (add_scale1_) {
                args.blurred_earlier = batch.scratch_of(blurred_[p][0]);
                args.blurred_current = batch.scratch_of(blurred_[p][1]);
            }
            launch(queue, differences_, {1, blocks_for(args.height, differences_.shape.tile_height), batch.count},
                   args);
            totals.lines[p] = args.lines;
            totals.count[p] = args.height;
            if (add_scale1_) enqueue_half(queue, batch, args, p, half_totals);
        }
        totals.totals = batch.results_of(totals_);
        launch(queue, totals_kernel_, {count_, 1, batch.count}, totals);
        if (!add_scale1_) return;
        half_totals.totals = totals.totals;
        half_totals.totals.first += kMaxLineTotals;
        launch(queue, totals_kernel_, {count_, 1, batch.count}, half_totals);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        result.values[0] = 0;
        if (from.index == 0) return;
        double sum = 0;
        for (unsigned p = 0; p < count_; p++) {
            const int width = static_cast<int>(format_.plane_width(p)),
                      height = static_cast<int>(format_.plane_height(p));
            float score = from.of(totals_)[p] / static_cast<float>(width * height);
            if (add_scale1_)
                score +=
                    from.of(totals_)[kMaxLineTotals + p] / static_cast<float>((width + 1) / 2 * ((height + 1) / 2));
            sum += static_cast<double>(score);
        }
        result.values[0] = sum;
    }

  private:
    void enqueue_half(Queue &queue, const DeviceBatch &batch, const FloatMotionArgs &whole, unsigned plane,
                      LineTotalsArgs &totals) const {
        HalfMotionArgs args{};
        args.earlier = whole.blurred_earlier;
        args.current = whole.blurred_current;
        args.width = whole.width;
        args.height = whole.height;
        args.half_width = (whole.width + 1) / 2;
        args.half_height = (whole.height + 1) / 2;
        args.held = round_up(static_cast<int>(format_.width), 8);
        args.assumed = round_up(whole.width, 8);
        args.lines = batch.scratch_of(half_lines_[plane]);
        launch(queue, half_differences_,
               {1, blocks_for(args.half_height, half_differences_.shape.tile_height), batch.count}, args);
        totals.lines[plane] = args.lines;
        totals.count[plane] = args.half_height;
    }

    PictureFormat format_;
    unsigned count_; // planes
    bool add_scale1_;
    std::array<float, 5> taps_{};
    LoadedKernel differences_, half_differences_, totals_kernel_;
    std::array<Piece<float>, 3> lines_, half_lines_;
    std::array<std::array<Piece<float>, 2>, 3> blurred_;
    Piece<float> totals_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, unsigned planes,
                                                 std::span<const float> taps, bool add_scale1, Device &device) {
    return std::make_unique<FloatMotionDevice>(format, planes, taps, add_scale1, device);
}

} // namespace vmaf::float_motion
