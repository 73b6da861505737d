#include "metrics/motion/float_motion.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/float_plane.hpp"
#include "metrics/common/resize.hpp"
#include "metrics/format_checks.hpp"
#include "metrics/motion/float_motion_device.hpp"
#include "metrics/motion/motion.hpp"
#include "metrics/motion/motion_device.hpp"
#include "metrics/strips.hpp"

namespace vmaf {

namespace {

using namespace float_motion;
using motion::blend;
using motion::minimum;

constexpr std::string_view kName = "float_motion";
constexpr std::string_view kMotion = "VMAF_feature_motion_score", kMotion2 = "VMAF_feature_motion2_score",
                           kMotion3 = "VMAF_feature_motion3_score";
constexpr std::array kProvides = {kMotion, kMotion2, kMotion3};
constexpr int kMaxHalfWidth = 7680;

constexpr std::array kOptions = {
    OptionSpec{"debug", "", "also emit the score of each frame as motion", true, 0, 0, false, kLate},
    OptionSpec{"motion_force_zero", "force_0", "all scores become 0", false, 0, 0, true},
    OptionSpec{"motion_fps_weight", "mfw", "multiplies every score, to correct for the frame rate", 1.0, 0.0, 5.0, true,
               kLate},
    OptionSpec{"motion_blend_factor", "mbf", "fraction kept of a score above the blend offset; motion3 only", 1.0, 0.0,
               1.0, true, kLate},
    OptionSpec{"motion_blend_offset", "mbo", "scores above this are blended; motion3 only", 40.0, 0.0, 1000.0, true,
               kLate},
    OptionSpec{"motion_add_scale1", "mdc", "add the difference of the half-size pictures", false, 0, 0, true},
    OptionSpec{"motion_filter_size", "mfs", "1: no blur, 3: three taps, others: five taps", 5, 0, 9, true},
    OptionSpec{"motion_add_uv", "mau", "add the scores of the chroma planes", false, 0, 0, true},
    OptionSpec{"motion_max_val", "mmxv", "upper limit of every score", 10000.0, 0.0, 10000.0, true, kLate},
};

std::span<const float> taps_of(int filter_size) {
    if (filter_size == 1) return kTaps1;
    if (filter_size == 3) return kTaps3;
    return kTaps5;
}

// Lines from left to right, then their total from top to bottom: the grouping affects the last bits.
float mean_of_lines(std::span<const float> lines, int width, int height) {
    float total = 0.0f;
    for (const float line : lines.first(std::size_t(height))) total += line;
    return total / float(width * height);
}

// The half-size pictures of motion_add_scale1 (3.4, 3.5).
class HalfSize {
  public:
    HalfSize(int width, int height, int luma_width, std::span<const float> taps)
        : held_(padded_to_8(luma_width)), assumed_(padded_to_8(width)), filter_({taps.begin(), taps.end()}, width),
          resizer_(width, height, (width + 1) / 2, (height + 1) / 2, ResizeMethod::bilinear), samples_(width, height),
          blurred_(width, height), read_(width, height), half_{FloatPlane((width + 1) / 2, (height + 1) / 2),
                                                               FloatPlane((width + 1) / 2, (height + 1) / 2)} {}

    float mean_difference(const Picture &earlier, const Picture &current, unsigned plane) {
        reduce(earlier, plane, half_[0]);
        reduce(current, plane, half_[1]);
        const int width = half_[0].width(), height = half_[0].height();
        float total = 0.0f;
        for (int y = 0; y < height; y++) {
            const float *p = half_[0].row(y), *q = half_[1].row(y);
            float line = 0.0f;
            for (int x = 0; x < width; x++) line += std::fabs(p[x] - q[x]);
            total += line;
        }
        return total / float(width * height);
    }

  private:
    static std::size_t padded_to_8(int width) { return round_up<std::size_t>(std::size_t(width), 8); }

    void reduce(const Picture &picture, unsigned plane, FloatPlane &half) {
        to_float(picture, plane, kOffset, samples_);
        filter_.plane(samples_.view(), 1, blurred_);
        if (held_ == assumed_) return resizer_.plane(blurred_.view(), half);
        // Quirk of 3.5: the scaler walks a buffer whose pitch derives from the luma width with the pitch of the plane's
        // own width; data after the rows reads as 0.
        for (int y = 0; y < read_.height(); y++)
            for (int x = 0; x < read_.width(); x++) {
                const std::size_t element = std::size_t(y) * assumed_ + std::size_t(x), column = element % held_;
                read_.row(y)[x] =
                    column < std::size_t(read_.width()) ? blurred_.row(int(element / held_))[column] : 0.0f;
            }
        resizer_.plane(read_.view(), half);
    }

    std::size_t held_, assumed_;
    FloatFilter filter_;
    Resizer resizer_;
    FloatPlane samples_, blurred_, read_;
    std::array<FloatPlane, 2> half_;
};

class Scorer final : public FrameScorer {
  public:
    Scorer(const PictureFormat &format, unsigned planes, std::span<const float> taps, bool add_scale1, Isa isa)
        : isa_(isa), planes_(planes), taps_(taps),
          scratch_bytes_(round_up(scratch_bytes(int(format.width)), kAlignment)), lines_(format.height) {
        for (unsigned p = 0; add_scale1 && p < planes; p++)
            half_.emplace_back(int(format.plane_width(p)), int(format.plane_height(p)), int(format.width), taps);
    }

    // d(i-1, i) of 3.4
    void measure(const FrameInput &frame, FrameResult &result) override {
        result.values[0] = 0;
        if (frame.index == 0) return;
        if (!frame.earlier_ref[0])
            throw invalid("float_motion: frame " + std::to_string(frame.index) +
                          " has no earlier frame to compare with; frames are counted from 0");
        const bool bytes = frame.ref.format().bits == 8;
        double sum = 0;
        for (unsigned p = 0; p < planes_; p++) {
            float score = bytes ? difference<std::uint8_t>(frame, p) : difference<std::uint16_t>(frame, p);
            if (!half_.empty()) score += half_[p].mean_difference(*frame.earlier_ref[0], frame.ref, p);
            sum += double(score);
        }
        result.values[0] = sum;
    }

  private:
    static constexpr int kMinStrip = 32; // rows; each strip reads 4 more

    template <class T> float difference(const FrameInput &frame, unsigned plane) {
        const PlaneView<T> before = frame.earlier_ref[0]->plane<T>(plane), now = frame.ref.plane<T>(plane);
        const unsigned strips = strip_count(frame.parallel, now.height, kMinStrip);
        if (scratch_.size() < strips * scratch_bytes_) scratch_ = AlignedArray<std::byte>(strips * scratch_bytes_);
        for_each_strip(frame.parallel, now.height, strips, [&](unsigned strip, int begin, int end) {
            pick_line_differences<T>(isa_)(before, now, frame.ref.format().bits, taps_, begin, end, lines_.data(),
                                           scratch_.data() + strip * scratch_bytes_);
        });
        return mean_of_lines(lines_.span(), now.width, now.height);
    }

    Isa isa_;
    unsigned planes_;
    std::span<const float> taps_;
    std::size_t scratch_bytes_;
    AlignedArray<float> lines_;
    AlignedArray<std::byte> scratch_;
    std::vector<HalfSize> half_; // one per plane with motion_add_scale1, else empty
};

class ZeroScorer final : public FrameScorer {
    void measure(const FrameInput &, FrameResult &) override {}
};

class FloatMotion final : public Metric {
  public:
    explicit FloatMotion(const OptionValues &o)
        : debug_(o.flag("debug")), force_zero_(o.flag("motion_force_zero")), add_scale1_(o.flag("motion_add_scale1")),
          add_uv_(o.flag("motion_add_uv")), fps_weight_(o.real("motion_fps_weight")),
          blend_factor_(o.real("motion_blend_factor")), blend_offset_(o.real("motion_blend_offset")),
          max_val_(o.real("motion_max_val")), taps_(taps_of(o.integer("motion_filter_size"))) {}

    History history() const override {
        if (force_zero_) return {};
        return {.ref = 1, .dist = 0, .from_zero = true};
    }
    PlanesRead planes_read() const override {
        return {.ref = force_zero_ ? 0u : add_uv_ ? kAllPlanes : kLuma, .dist = 0};
    }

    void prepare(const PictureFormat &format) override {
        require_size(kName, format, 3, 3);
        if (add_scale1_ && int((format.width + 1) / 2) > kMaxHalfWidth)
            throw invalid("float_motion: motion_add_scale1 takes pictures of at most " +
                          std::to_string(2 * kMaxHalfWidth) + " samples per row; these have " +
                          std::to_string(format.width));
        if (add_uv_) {
            require_chroma("float_motion with motion_add_uv", format);
            if (format.plane_width(1) < 3 || format.plane_height(1) < 3)
                throw invalid("float_motion: motion_add_uv needs chroma planes of at least 3x3 samples; these have " +
                              std::to_string(format.plane_width(1)) + "x" + std::to_string(format.plane_height(1)));
        }
        format_ = format;
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        if (force_zero_) return std::make_unique<ZeroScorer>();
        return std::make_unique<Scorer>(format_, add_uv_ ? 3 : 1, taps_, add_scale1_, isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        if (force_zero_) return motion::make_device_scorer(kName, format_, 0, device);
        return float_motion::make_device_scorer(format_, add_uv_ ? 3 : 1, taps_, add_scale1_, device);
    }

    // 3.6
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        last_index_ = index;
        if (force_zero_) {
            sink.score(kMotion2, index, 0.0);
            sink.score(kMotion3, index, 0.0);
            if (debug_) sink.score(kMotion, index, 0.0);
            return;
        }
        const double difference = result.values[0];
        if (index == 0) {
            sink.score(kMotion2, 0, 0.0);
            if (debug_) sink.score(kMotion, 0, 0.0);
        } else {
            if (debug_) sink.score(kMotion, index, limited(difference));
            const double lower = index == 1 ? difference : minimum(difference_.value_or(0), difference);
            if (index > 1 && difference_) sink.score(kMotion2, index - 1, limited(lower));
            if (index == 1 || difference_) sink.score(kMotion3, index - 1, blended(lower));
        }
        difference_ = difference;
    }

    void flush(ScoreSink &sink) override {
        if (force_zero_) return;
        if (last_index_ > 0) sink.score(kMotion2, last_index_, limited(difference_.value_or(0)));
        sink.score(kMotion3, last_index_, last_index_ > 0 ? blended(difference_.value_or(0)) : 0.0);
    }

  private:
    double limited(double difference) const { return minimum(difference * fps_weight_, max_val_); }
    double blended(double difference) const {
        return minimum(blend(difference * fps_weight_, blend_factor_, blend_offset_), max_val_);
    }

    bool debug_, force_zero_, add_scale1_, add_uv_;
    double fps_weight_, blend_factor_, blend_offset_, max_val_;
    std::span<const float> taps_;
    PictureFormat format_;
    unsigned last_index_ = 0;
    std::optional<double> difference_; // between the last frame and the one before it; empty before the first
};

} // namespace

const MetricInfo float_motion_metric = {
    .name = kName,
    .summary = "change of the reference from frame to frame, in single precision",
    .options = kOptions,
    .provides = kProvides,
    .every_frame = true,
    .on_devices = true,
    .holds_everywhere = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<FloatMotion>(options);
    },
};

} // namespace vmaf
