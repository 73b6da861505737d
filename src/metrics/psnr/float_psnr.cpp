#include "metrics/psnr/float_psnr.hpp"

#include <array>
#include <cmath>

#include "metrics/format_checks.hpp"
#include "metrics/psnr/psnr.hpp"
#include "metrics/psnr/psnr_device.hpp"

namespace vmaf {

namespace psnr {

PeakAndCeiling peak_and_ceiling(unsigned bits) {
    // 255, 255.75, 255.9375, 255.99609375
    return {double((1u << bits) - 1) / double(1u << (bits - 8)), 6.0 * bits + 12.0};
}

double rounded_squared_error(const PlaneView<std::uint16_t> &ref, const PlaneView<std::uint16_t> &dist) {
    double sum = 0;
    for (int y = 0; y < ref.height; y++) {
        const std::uint16_t *r = ref.row(y), *d = dist.row(y);
        for (int x = 0; x < ref.width; x++) {
            const float error = float(int(r[x]) - int(d[x])), square = error * error;
            sum += double(square);
        }
    }
    return sum;
}

} // namespace psnr

namespace {

using namespace psnr;

constexpr std::string_view kName = "float_psnr";
constexpr std::array<std::string_view, 1> kProvides = {"float_psnr"};

class Scorer final : public FrameScorer {
  public:
    explicit Scorer(Isa isa) : isa_(isa) {}

    // The sum of squared errors on the 8-bit scale. Up to 12 bits no square is rounded, so the integer sum is equal.
    void measure(const FrameInput &frame, FrameResult &result) override {
        const unsigned bits = frame.ref.format().bits;
        const double sum = bits == 16 ? pick_rounded_squared_error(isa_)(frame.ref.plane<std::uint16_t>(0),
                                                                         frame.dist.plane<std::uint16_t>(0))
                                      : double(plane_squared_error(frame.ref, frame.dist, 0, isa_, frame.parallel));
        result.values[0] = on_8_bit_scale(sum, bits);
    }

  private:
    Isa isa_;
};

class FloatPsnr final : public Metric {
    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16(kName, format);
        format_ = format;
        limits_ = peak_and_ceiling(format.bits);
        samples_ = double(format.width) * double(format.height);
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override { return std::make_unique<Scorer>(isa); }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return make_float_device_scorer(format_, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const double noise = result.values[0] / samples_;
        const double score = 10 * std::log10(limits_.peak * limits_.peak / greater(noise, 1e-10));
        sink.score(kName, index, lesser(score, limits_.ceiling));
    }

    PictureFormat format_;
    PeakAndCeiling limits_{};
    double samples_ = 0;
};

} // namespace

const MetricInfo float_psnr_metric = {
    .name = kName,
    .summary = "peak signal-to-noise ratio of luma, on the 8-bit scale",
    .options = {},
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<FloatPsnr>(); },
};

} // namespace vmaf
