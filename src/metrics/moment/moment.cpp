#include "metrics/moment/moment.hpp"

#include <array>

#include "metrics/format_checks.hpp"
#include "metrics/moment/moment_device.hpp"

namespace vmaf {

namespace moment {

template <class T> Sums plane_sums(const PlaneView<T> &plane, unsigned) {
    std::uint64_t first = 0;
    double second = 0;
    for (int y = 0; y < plane.height; y++) {
        const T *row = plane.row(y);
        std::uint64_t row_first = 0;
        for (int x = 0; x < plane.width; x++) {
            const float value = float(row[x]), square = value * value;
            row_first += row[x];
            second += double(square);
        }
        first += row_first;
    }
    return {double(first), second};
}

template PlaneSums<std::uint8_t> plane_sums<std::uint8_t>;
template PlaneSums<std::uint16_t> plane_sums<std::uint16_t>;

void store_moments(const Sums &ref, const Sums &dist, const PictureFormat &format, FrameResult &result) {
    const double scale = double(1u << (format.bits - 8)), samples = double(format.width) * double(format.height);
    result.values[0] = ref.first / scale / samples;
    result.values[1] = dist.first / scale / samples;
    result.values[2] = ref.second / (scale * scale) / samples;
    result.values[3] = dist.second / (scale * scale) / samples;
}

} // namespace moment

namespace {

using namespace moment;

constexpr std::string_view kName = "float_moment";
constexpr std::array<std::string_view, 1> kProvides = {"float_moment"};
constexpr std::array<std::string_view, 4> kScores = {"float_moment_ref1st", "float_moment_dis1st",
                                                     "float_moment_ref2nd", "float_moment_dis2nd"};

Sums picture_sums(const Picture &picture, Isa isa) {
    const unsigned bits = picture.format().bits;
    return bits == 8 ? pick_plane_sums<std::uint8_t>(isa)(picture.plane<std::uint8_t>(0), bits)
                     : pick_plane_sums<std::uint16_t>(isa)(picture.plane<std::uint16_t>(0), bits);
}

class Scorer final : public FrameScorer {
  public:
    explicit Scorer(Isa isa) : isa_(isa) {}

    void measure(const FrameInput &frame, FrameResult &result) override {
        store_moments(picture_sums(frame.ref, isa_), picture_sums(frame.dist, isa_), frame.ref.format(), result);
    }

  private:
    Isa isa_;
};

class FloatMoment final : public Metric {
    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16(kName, format);
        format_ = format;
    }
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override { return std::make_unique<Scorer>(isa); }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return moment::make_device_scorer(format_, device);
    }
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        for (std::size_t i = 0; i < kScores.size(); i++) sink.score(kScores[i], index, result.values[i]);
    }

    PictureFormat format_;
};

} // namespace

const MetricInfo float_moment_metric = {
    .name = kName,
    .summary = "mean and mean square of luma of both pictures",
    .options = {},
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<FloatMoment>(); },
};

} // namespace vmaf
