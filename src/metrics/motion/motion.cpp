#include "metrics/motion/motion.hpp"

#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/early_scores.hpp"
#include "metrics/motion/motion_device.hpp"
#include "metrics/reference_halves.hpp"
#include "metrics/strips.hpp"

namespace vmaf {

namespace motion {

namespace {

constexpr int kPadding = int(kAlignment / sizeof(std::int32_t)); // before a row, to keep it aligned

// v(y, .) of 2.3, with kRadius mirrored values at both ends.
template <class T>
void vertical_blur(const PlaneView<T> &earlier, const PlaneView<T> &current, int y, unsigned bits, std::int32_t *v) {
    using Sum = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;
    const T *before[5], *now[5];
    for (int k = 0; k < 5; k++) {
        const int line = reflect(y - kRadius + k, current.height);
        before[k] = earlier.row(line);
        now[k] = current.row(line);
    }
    for (int x = 0; x < current.width; x++) {
        Sum sum = Sum(1) << (bits - 1);
        for (int k = 0; k < 5; k++) sum += Sum(kTaps[k]) * (before[k][x] - now[k][x]);
        v[x] = std::int32_t(sum >> bits);
    }
    for (int i = 1; i <= kRadius; i++) {
        v[-i] = v[reflect(-i, current.width)];
        v[current.width - 1 + i] = v[reflect(current.width - 1 + i, current.width)];
    }
}

// Sum of |u(y, .)| of 2.3.
std::uint64_t horizontal_sum(const std::int32_t *v, int width) {
    std::uint64_t total = 0;
    for (int x = 0; x < width; x++) {
        std::int64_t sum = 1 << 15;
        for (int k = 0; k < 5; k++) sum += std::int64_t(kTaps[k]) * v[x - kRadius + k];
        total += std::uint64_t(std::abs(sum >> 16));
    }
    return total;
}

} // namespace

void check_size(std::string_view metric, unsigned width, unsigned height) {
    if (width < unsigned(kMinSize) || height < unsigned(kMinSize))
        throw invalid(std::string(metric) + " needs pictures of at least 3x3 samples; these are " +
                      std::to_string(width) + "x" + std::to_string(height));
}

template <class T>
std::uint64_t blurred_difference(const PlaneView<T> &earlier, const PlaneView<T> &current, unsigned bits, int begin,
                                 int end, std::byte *scratch) {
    std::int32_t *const v = reinterpret_cast<std::int32_t *>(scratch) + kPadding;
    std::uint64_t total = 0;
    for (int y = begin; y < end; y++) {
        vertical_blur(earlier, current, y, bits, v);
        total += horizontal_sum(v, current.width);
    }
    return total;
}

template BlurredDifference<std::uint8_t> blurred_difference<std::uint8_t>;
template BlurredDifference<std::uint16_t> blurred_difference<std::uint16_t>;

} // namespace motion

namespace {

using namespace motion;

constexpr std::array kOptions = {
    OptionSpec{"motion_force_zero", "force_0", "all scores become 0", false, 0, 0, true},
    OptionSpec{"motion_blend_factor", "mbf", "fraction kept of a score above the blend offset; motion3 only", 1.0, 0.0,
               1.0, true, kLate},
    OptionSpec{"motion_blend_offset", "mbo", "scores above this are blended; motion3 only", 40.0, 0.0, 1000.0, true,
               kLate},
    OptionSpec{"motion_fps_weight", "mfw", "multiplies every score, to correct for the frame rate", 1.0, 0.0, 5.0, true,
               kLate},
    OptionSpec{"motion_max_val", "mmxv", "upper limit of every score", 10000.0, 0.0, 10000.0, true, kLate},
    OptionSpec{"motion_five_frame_window", "mffw", "compare with the frame before the previous one", false, 0, 0, true},
    OptionSpec{"motion_moving_average", "mma", "motion3 becomes the mean of two successive values", false, 0, 0, true,
               kLate},
    OptionSpec{"debug", "", "also emit the score of each frame as integer_motion", false, 0, 0, false, kLate},
};

struct Names {
    std::string_view metric, sad, motion2, motion3;
};

constexpr std::string_view kMotionScore = "VMAF_integer_feature_motion_score";
constexpr Names kNames = {"motion", "VMAF_integer_feature_motion_sad_score", "VMAF_integer_feature_motion2_score",
                          "VMAF_integer_feature_motion3_score"};
constexpr Names kNamesV2 = {"motion_v2", "VMAF_integer_feature_motion_v2_sad_score",
                            "VMAF_integer_feature_motion2_v2_score", "VMAF_integer_feature_motion3_v2_score"};
constexpr std::array kProvides = {kNames.sad, kMotionScore, kNames.motion2, kNames.motion3};
constexpr std::array kProvidesV2 = {kNamesV2.sad, kNamesV2.motion2, kNamesV2.motion3};

struct Settings {
    bool force_zero, moving_average, debug;
    double blend_factor, blend_offset, fps_weight, max_val;
    unsigned distance; // how many frames back the earlier picture is (m in 2.4)
};

Settings settings_of(const OptionValues &o, bool debug) {
    return {.force_zero = o.flag("motion_force_zero"),
            .moving_average = o.flag("motion_moving_average"),
            .debug = debug,
            .blend_factor = o.real("motion_blend_factor"),
            .blend_offset = o.real("motion_blend_offset"),
            .fps_weight = o.real("motion_fps_weight"),
            .max_val = o.real("motion_max_val"),
            .distance = o.flag("motion_five_frame_window") ? 2u : 1u};
}

// Motion depends on the reference alone.
struct Half final : ReferenceHalf {
    std::uint64_t earlier = 0; // number of the picture it is compared with
    std::uint64_t sum = 0;
};

class Scorer final : public FrameScorer, public SharesReference {
  public:
    Scorer(std::string_view metric, unsigned distance, int width, Isa isa)
        : metric_(metric), distance_(distance), isa_(isa), scratch_bytes_(round_up(scratch_bytes(width), kAlignment)),
          half_key_("motion " + std::to_string(distance)) {}

    void measure(const FrameInput &frame, FrameResult &result) override {
        std::uint64_t sum = 0;
        if (frame.index >= distance_) {
            const Picture *const earlier = frame.earlier_ref[distance_ - 1];
            if (!earlier)
                throw invalid(std::string(metric_) + ": frame " + std::to_string(frame.index) +
                              " has no earlier frame to compare with; frames are counted from 0");
            sum = shared_difference(*earlier, frame);
        }
        result.values[0] = std::bit_cast<double>(sum);
    }

  private:
    static constexpr int kMinStrip = 32; // rows; each strip reads 4 more

    std::uint64_t shared_difference(const Picture &earlier, const FrameInput &frame) {
        const std::uint64_t number = shared_.earlier[distance_ - 1];
        HalfClaim claim(number ? shared_.halves : nullptr, half_key_, [] { return std::make_unique<Half>(); });
        Half *const half = claim.half<Half>();
        if (half && claim.is_ready() && half->earlier == number) return half->sum;
        const bool bytes = frame.ref.format().bits == 8;
        const std::uint64_t sum =
            bytes ? difference<std::uint8_t>(earlier, frame) : difference<std::uint16_t>(earlier, frame);
        if (half && !claim.is_ready()) {
            half->earlier = number;
            half->sum = sum;
            claim.made();
        }
        return sum;
    }

    template <class T> std::uint64_t difference(const Picture &earlier, const FrameInput &frame) {
        const PlaneView<T> before = earlier.plane<T>(0), now = frame.ref.plane<T>(0);
        const unsigned strips = strip_count(frame.parallel, now.height, kMinStrip);
        if (sums_.size() < strips) {
            sums_.resize(strips);
            scratch_ = AlignedArray<std::byte>(scratch_bytes_ * strips);
        }
        BlurredDifference<T> *const blurred_difference = pick_blurred_difference<T>(isa_);
        for_each_strip(frame.parallel, now.height, strips, [&](unsigned strip, int begin, int end) {
            sums_[strip] = blurred_difference(before, now, frame.ref.format().bits, begin, end,
                                              scratch_.data() + strip * scratch_bytes_);
        });
        std::uint64_t total = 0;
        for (unsigned strip = 0; strip < strips; strip++) total += sums_[strip];
        return total;
    }

    std::string_view metric_;
    unsigned distance_;
    Isa isa_;
    std::size_t scratch_bytes_;
    std::string half_key_;
    std::vector<std::uint64_t> sums_; // one per strip
    AlignedArray<std::byte> scratch_;
};

class ZeroScorer final : public FrameScorer {
    void measure(const FrameInput &, FrameResult &result) override { result.values[0] = 0; }
};

class Motion final : public Metric, public EarlyScores {
  public:
    Motion(const Names &names, const Settings &settings) : names_(names), settings_(settings) {}

    History history() const override {
        if (settings_.force_zero) return {};
        return {.ref = settings_.distance, .dist = 0, .from_zero = true};
    }
    PlanesRead planes_read() const override { return {.ref = settings_.force_zero ? 0u : kLuma, .dist = 0}; }

    void prepare(const PictureFormat &format) override {
        check_size(names_.metric, format.width, format.height);
        format_ = format;
        width_ = int(format.width);
        samples_ = double(format.width * format.height);
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        if (settings_.force_zero) return std::make_unique<ZeroScorer>();
        return std::make_unique<Scorer>(names_.metric, settings_.distance, width_, isa);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return motion::make_device_scorer(names_.metric, format_, settings_.force_zero ? 0 : settings_.distance,
                                          device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const auto sum = double(std::bit_cast<std::uint64_t>(result.values[0]));
        const double score = minimum(sum / 256.0 / samples_ * settings_.fps_weight, settings_.max_val);
        sink.score(names_.sad, index, score);
        if (settings_.debug) sink.score(kMotionScore, index, score);
        beyond_gap_.emplace(index, score);
        for (auto next = beyond_gap_.find(unsigned(scores_.size())); next != beyond_gap_.end();
             next = beyond_gap_.find(unsigned(scores_.size()))) {
            scores_.push_back(next->second);
            beyond_gap_.erase(next);
        }
    }

    // motion2 and motion3 of all frames (2.5).
    void flush(ScoreSink &sink) override {
        for (std::size_t i = 0; i < scores_.size(); i++) {
            sink.score(names_.motion2, unsigned(i), motion2(i));
            sink.score(names_.motion3, unsigned(i), motion3(i));
        }
    }

    // Needs the next frame's score, and that of the first frame with an earlier one.
    std::optional<double> settled(std::string_view name, unsigned index) const override {
        if (std::size_t(index) + 1 >= scores_.size() || scores_.size() <= settings_.distance) return {};
        if (name == names_.motion2) return motion2(index);
        return name == names_.motion3 ? std::optional(motion3(index)) : std::nullopt;
    }

  private:
    double motion2(std::size_t i) const { return i < settings_.distance ? 0.0 : lower_of_neighbours(i); }
    double motion3(std::size_t i) const {
        const bool averaged = settings_.moving_average && i >= settings_.distance;
        return averaged ? (blended(i) + blended(i - 1)) / 2.0 : blended(i);
    }
    double blended(std::size_t i) const {
        const std::size_t m = settings_.distance;
        if (i >= m) return limited(motion2(i));
        return scores_.size() > m ? limited(scores_[m]) : 0.0;
    }

    double lower_of_neighbours(std::size_t i) const {
        const std::vector<double> &s = scores_;
        if (i + 1 == s.size()) return s[i];
        if (settings_.distance == 1) return minimum(s[i], s[i + 1]);
        // Quirk of the five-frame window: compares the neighbours, not the frame itself, and frame 2 has no lower one.
        return i == 2 ? s[3] : minimum(s[i - 1], s[i + 1]);
    }

    double limited(double value) const {
        return minimum(blend(value, settings_.blend_factor, settings_.blend_offset), settings_.max_val);
    }

    Names names_;
    Settings settings_;
    PictureFormat format_;
    int width_ = 0;
    double samples_ = 0;
    std::vector<double> scores_; // up to the first gap in the frame numbers
    std::map<unsigned, double> beyond_gap_;
};

std::unique_ptr<Metric> create_motion(const OptionValues &options) {
    return std::make_unique<Motion>(kNames, settings_of(options, options.flag("debug")));
}

std::unique_ptr<Metric> create_motion_v2(const OptionValues &options) {
    if (options.flag("motion_five_frame_window"))
        throw invalid("motion_v2: motion_five_frame_window is not supported; use motion");
    return std::make_unique<Motion>(kNamesV2, settings_of(options, false));
}

} // namespace

const MetricInfo motion_metric = {
    .name = kNames.metric,
    .summary = "change of the reference from frame to frame",
    .options = kOptions,
    .provides = kProvides,
    .every_frame = true,
    .on_devices = true,
    .holds_everywhere = true,
    .create = create_motion,
};

const MetricInfo motion_v2_metric = {
    .name = kNamesV2.metric,
    .summary = "older name of motion, with score names of its own",
    .family = kNames.metric,
    .options = std::span(kOptions).first(kOptions.size() - 1), // all except debug
    .provides = kProvidesV2,
    .every_frame = true,
    .on_devices = true,
    .holds_everywhere = true,
    .create = create_motion_v2,
};

} // namespace vmaf
