#include "metrics/psnr/psnr.hpp"

#include <algorithm>
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

std::pair<int, int> chroma_shifts(const PictureFormat &format, unsigned plane) {
    return {plane && format.plane_width(plane) < format.width ? 1 : 0,
            plane && format.plane_height(plane) < format.height ? 1 : 0};
}

namespace {

constexpr int kMinStrip = 64; // rows; sharing less costs more than it saves

// Sums the samples of each tile, into the plane's words. Returns the total.
template <class T>
std::uint64_t sum_tiles(const Picture &ref, const Picture &dist, unsigned plane, Isa isa, const TileGrid &tiles,
                        std::size_t words, std::int64_t *out) {
    const PlaneView<T> r = ref.plane<T>(plane), d = dist.plane<T>(plane);
    const auto [across, down] = chroma_shifts(ref.format(), plane);
    SquaredError<T> *const squared_error = pick_squared_error<T>(isa);
    std::uint64_t total = 0;
    for (int y = 0; y < tiles.rows(); y++)
        for (int x = 0; x < tiles.columns(); x++, out += words) {
            const int left = edge_below(tiles.x(x), across), width = edge_below(tiles.x(x + 1), across) - left;
            const PlaneView<T> tile_r{r.data + left, r.stride, width, r.height};
            const PlaneView<T> tile_d{d.data + left, d.stride, width, d.height};
            const std::uint64_t sum = squared_error(tile_r, tile_d, ref.format().bits, edge_below(tiles.y(y), down),
                                                    edge_below(tiles.y(y + 1), down));
            *out = std::int64_t(sum);
            total += sum;
        }
    return total;
}

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

constexpr std::size_t kTileWords = 3; // of FrameResult::tiles: the squared errors per plane

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
        if (frame.tiles) return measure_tiles(frame, result);
        for (unsigned p = 0; p < planes_; p++)
            result.values[p] =
                std::bit_cast<double>(plane_squared_error(frame.ref, frame.dist, p, isa_, frame.parallel));
    }

  private:
    void measure_tiles(const FrameInput &frame, FrameResult &result) const {
        result.tiles.assign(frame.tiles->count() * kTileWords, 0);
        const auto sums = frame.ref.format().bits == 8 ? sum_tiles<std::uint8_t> : sum_tiles<std::uint16_t>;
        for (unsigned p = 0; p < planes_; p++)
            result.values[p] = std::bit_cast<double>(
                sums(frame.ref, frame.dist, p, isa_, *frame.tiles, kTileWords, result.tiles.data() + p));
    }

    unsigned planes_;
    Isa isa_;
};

class Psnr final : public Metric {
  public:
    explicit Psnr(const OptionValues &o)
        : planes_(o.flag("enable_chroma") ? 3 : 1), mse_(o.flag("enable_mse")), apsnr_(o.flag("enable_apsnr")),
          reduced_peak_(o.flag("reduced_hbd_peak")), min_sse_(o.real("min_sse")) {}

    // 2.1
    PlanesRead planes_read() const override {
        const unsigned planes = planes_ > 1 ? kAllPlanes : kLuma;
        return {.ref = planes, .dist = planes};
    }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16(kName, format);
        const std::uint32_t peak = reduced_peak_ ? 255u << (format.bits - 8) : (1u << format.bits) - 1;
        peak_squared_ = peak * peak;
        format_ = format;
        planes_ = std::min(planes_, format.planes());
        for (unsigned p = 0; p < planes_; p++) {
            samples_[p] = format.plane_width(p) * format.plane_height(p);
            ceiling_[p] = ceiling(samples_[p]);
        }
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override { return std::make_unique<Scorer>(planes_, isa); }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return psnr::make_device_scorer(format_, planes_, device);
    }

    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return psnr::make_tiling_device_scorer(format_, planes_, tiles, device);
    }

    // 2.2
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        for (unsigned p = 0; p < planes_; p++) {
            const auto sse = std::bit_cast<std::uint64_t>(result.values[p]);
            const double mse = double(sse) / double(samples_[p]);
            sink.score(kPsnr[p], index, psnr_of(mse, ceiling_[p]));
            if (mse_) sink.score(kMse[p], index, mse);
            total_sse_[p] += sse;
            total_samples_[p] += samples_[p];
        }
    }

    // 2.3: a plane that was never scored yields -inf.
    void flush(ScoreSink &sink) override {
        if (!apsnr_) return;
        for (unsigned p = 0; p < 3; p++) {
            const double score = 10 * ((std::log10(double(peak_squared_)) + std::log10(double(total_samples_[p]))) -
                                       std::log10(double(total_sse_[p])));
            const double most = std::ceil(10 * std::log10(double(peak_squared_ * total_samples_[p] * 2)));
            sink.aggregate(kApsnr[p], lesser(score, most));
        }
    }

    std::span<const std::string_view> local_names() const override { return std::span(kPsnr).first(planes_); }
    std::size_t tile_words() const override { return kTileWords; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &area,
                      std::span<double> scores) const override {
        for (unsigned p = 0; p < scores.size(); p++) {
            const auto [across, down] = chroma_shifts(format_, p);
            const int width = edge_below(area.right, across) - edge_below(area.left, across);
            const int height = edge_below(area.bottom, down) - edge_below(area.top, down);
            const auto samples = std::uint32_t(width) * std::uint32_t(height);
            scores[p] = psnr_of(double(sums[p]) / double(samples), ceiling(samples));
        }
    }

  private:
    double ceiling(std::uint32_t samples) const {
        if (min_sse_ == 0.0) return 6.0 * format_.bits + 12.0;
        return std::ceil(10.0 * std::log10(peak_squared_ / (min_sse_ / samples)));
    }
    double psnr_of(double mse, double ceiling) const {
        return lesser(10.0 * std::log10(double(peak_squared_) / greater(mse, 1e-16)), ceiling);
    }

    unsigned planes_;
    bool mse_, apsnr_, reduced_peak_;
    double min_sse_;
    PictureFormat format_;
    std::uint32_t peak_squared_ = 0;
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
