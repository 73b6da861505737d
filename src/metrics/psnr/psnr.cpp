#include "metrics/psnr/psnr.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cfloat>
#include <cmath>

#include "metrics/format_checks.hpp"
#include "metrics/psnr/psnr_device.hpp"
#include "metrics/strips.hpp"

namespace vmaf {

namespace psnr {

template <class T>
std::uint64_t squared_error(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned, int begin, int end) {
    std::uint64_t sum = 0;
    for (int y = begin; y < end; y++) {
        const T *r = ref.row(y), *d = dist.row(y);
        for (int x = 0; x < ref.width; x++) {
            const std::int64_t error = int(r[x]) - int(d[x]);
            sum += std::uint64_t(error * error);
        }
    }
    return sum;
}

template SquaredError<std::uint8_t> squared_error<std::uint8_t>;
template SquaredError<std::uint16_t> squared_error<std::uint16_t>;

namespace {

constexpr int kMinStrip = 64; // rows; below that sharing costs more than it saves

template <class T>
std::uint64_t sum_strips(const Picture &ref, const Picture &dist, unsigned plane, Isa isa, Parallel &parallel) {
    const PlaneView<T> r = ref.plane<T>(plane), d = dist.plane<T>(plane);
    SquaredError<T> *const squared_error = pick_squared_error<T>(isa);
    std::atomic<std::uint64_t> total{0};
    for_each_strip(parallel, r.height, strip_count(parallel, r.height, kMinStrip),
                   [&](unsigned, int begin, int end) { total += squared_error(r, d, ref.format().bits, begin, end); });
    return total;
}

} // namespace

std::uint64_t plane_squared_error(const Picture &ref, const Picture &dist, unsigned plane, Isa isa,
                                  Parallel &parallel) {
    return ref.format().bits == 8 ? sum_strips<std::uint8_t>(ref, dist, plane, isa, parallel)
                                  : sum_strips<std::uint16_t>(ref, dist, plane, isa, parallel);
}

} // namespace psnr

namespace {

using namespace psnr;

constexpr std::string_view kName = "psnr";
constexpr std::array<std::string_view, 3> kPsnr = {"psnr_y", "psnr_cb", "psnr_cr"};
constexpr std::array<std::string_view, 3> kMse = {"mse_y", "mse_cb", "mse_cr"};
constexpr std::array<std::string_view, 3> kApsnr = {"apsnr_y", "apsnr_cb", "apsnr_cr"};

constexpr std::array kOptions = {
    OptionSpec{"enable_chroma", "", "also score the planes Cb and Cr", true},
    OptionSpec{"enable_mse", "", "also emit the mean squared error of every plane", false},
    OptionSpec{"enable_apsnr", "", "emit the PSNR of the whole clip as aggregate values", false},
    OptionSpec{"reduced_hbd_peak", "", "above 8 bits the peak is 255 * 2^(bits - 8) instead of 2^bits - 1", false},
    OptionSpec{"min_sse", "", "smallest sum of squared errors assumed; it fixes the ceiling of the score", 0.0, 0.0,
               DBL_MAX},
};

class Scorer final : public FrameScorer {
  public:
    Scorer(unsigned planes, Isa isa) : planes_(planes), isa_(isa) {}

    void measure(const FrameInput &frame, FrameResult &result) override {
        for (unsigned p = 0; p < planes_; p++)
            result.values[p] =
                std::bit_cast<double>(plane_squared_error(frame.ref, frame.dist, p, isa_, frame.parallel));
    }

  private:
    unsigned planes_;
    Isa isa_;
};

class Psnr final : public Metric {
  public:
    explicit Psnr(const OptionValues &o)
        : chroma_(o.flag("enable_chroma")), mse_(o.flag("enable_mse")), apsnr_(o.flag("enable_apsnr")),
          reduced_peak_(o.flag("reduced_hbd_peak")), min_sse_(o.real("min_sse")) {}

    // 2.1
    PlanesRead planes_read() const override {
        const unsigned planes = chroma_ ? kAllPlanes : kLuma;
        return {.ref = planes, .dist = planes};
    }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16(kName, format);
        const std::uint32_t peak = reduced_peak_ ? 255u << (format.bits - 8) : (1u << format.bits) - 1;
        peak_squared_ = peak * peak;
        format_ = format;
        planes_ = chroma_ ? format.planes() : 1;
        for (unsigned p = 0; p < planes_; p++) {
            samples_[p] = format.plane_width(p) * format.plane_height(p);
            ceiling_[p] = 6.0 * format.bits + 12.0;
            if (min_sse_ != 0.0) ceiling_[p] = std::ceil(10.0 * std::log10(peak_squared_ / (min_sse_ / samples_[p])));
        }
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override { return std::make_unique<Scorer>(planes_, isa); }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return psnr::make_device_scorer(format_, planes_, device);
    }

    // 2.2
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        for (unsigned p = 0; p < planes_; p++) {
            const auto sse = std::bit_cast<std::uint64_t>(result.values[p]);
            const double mse = double(sse) / double(samples_[p]);
            const double score = 10.0 * std::log10(double(peak_squared_) / greater(mse, 1e-16));
            sink.score(kPsnr[p], index, lesser(score, ceiling_[p]));
            if (mse_) sink.score(kMse[p], index, mse);
            total_sse_[p] += sse;
            total_samples_[p] += samples_[p];
        }
    }

    // 2.3: a plane that was never scored yields -inf, which is kept.
    void flush(ScoreSink &sink) override {
        if (!apsnr_) return;
        for (unsigned p = 0; p < 3; p++) {
            const double score = 10 * ((std::log10(double(peak_squared_)) + std::log10(double(total_samples_[p]))) -
                                       std::log10(double(total_sse_[p])));
            const double most = std::ceil(10 * std::log10(double(peak_squared_ * total_samples_[p] * 2)));
            sink.aggregate(kApsnr[p], lesser(score, most));
        }
    }

  private:
    bool chroma_, mse_, apsnr_, reduced_peak_;
    double min_sse_;
    PictureFormat format_;
    std::uint32_t peak_squared_ = 0;
    unsigned planes_ = 0;
    std::array<std::uint32_t, 3> samples_{};
    std::array<double, 3> ceiling_{};
    std::array<std::uint64_t, 3> total_sse_{}, total_samples_{};
};

} // namespace

const MetricInfo psnr_metric = {
    .name = kName,
    .summary = "peak signal-to-noise ratio of luma and chroma",
    .options = kOptions,
    .provides = kPsnr,
    .every_frame = true,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> { return std::make_unique<Psnr>(options); },
};

} // namespace vmaf
