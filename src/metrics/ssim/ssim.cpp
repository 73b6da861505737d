#include "metrics/ssim/ssim.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "device/plain_arithmetic.hpp"
#include "metrics/real_tiles.hpp"
#include "metrics/ssim/ssim_device.hpp"

namespace vmaf {

namespace {

constexpr std::string_view kProvides[] = {"ssim"};
constexpr int kBandRows = 32; // rows of a band if several threads share a frame
constexpr std::size_t kTileWords = 2;

// Sums over the window's rows, per column: x, y, xx, xy, yy. All are below 2^40 (below 2^32 up to 12 bits), all sums
// over the whole window below 2^48: doubles hold them exactly.
template <class T, class Sum> void vertical_moments(const MomentRows<T> &rows, int width, std::array<double *, 5> out) {
    for (int x = 0; x < width; x++) {
        std::array<Sum, 5> sum{};
        for (std::size_t k = 0; k < 9; k++) {
            const Sum tap = rows.taps[k], r = rows.ref[k][x], d = rows.dist[k][x];
            sum[0] += tap * r;
            sum[1] += tap * d;
            sum[2] += tap * (r * r);
            sum[3] += tap * (r * d);
            sum[4] += tap * (d * d);
        }
        for (std::size_t c = 0; c < 5; c++) out[c][x] = double(sum[c]);
    }
}

// Samples outside the picture are zeros in the pads.
double along_row(const double *in) {
    double sum = 0;
    for (int u = -kMomentRadius; u <= kMomentRadius; u++) sum += double(kMomentTaps[std::size_t(u + 4)]) * in[u];
    return sum;
}

template <class T, class Sum>
void similarity_row(const MomentRows<T> &rows, const MomentParameters &p, double *scratch, double *out) {
    std::array<double *, 5> moments;
    for (std::size_t c = 0; c < 5; c++)
        moments[c] =
            scratch + std::ptrdiff_t(c) * round_up(p.width + 2 * MomentFunctions::kPad, 16) + MomentFunctions::kPad;
    vertical_moments<T, Sum>(rows, p.width, moments);
    const double k1 = p.peak_squared * (0.01 * 0.01), k2 = p.peak_squared * (0.03 * 0.03);
    for (int x = 0; x < p.width; x++) {
        const double w = p.rows_weight * p.columns_weight[x];
        const auto sum = [&](std::size_t c) { return along_row(moments[c] + x); };
        out[x] = kernels::moment_similarity<PlainArithmetic>(sum(0), sum(1), sum(2), sum(3), sum(4), w, k1, k2);
    }
}

// 16-bit samples overflow 32-bit sums of products only above 12 bits; one version serves all.
void row_u16(const MomentRows<std::uint16_t> &rows, const MomentParameters &p, double *scratch, double *out) {
    similarity_row<std::uint16_t, std::uint64_t>(rows, p, scratch, out);
}

void row_u8(const MomentRows<std::uint8_t> &rows, const MomentParameters &p, double *scratch, double *out) {
    similarity_row<std::uint8_t, std::uint32_t>(rows, p, scratch, out);
}

template <class T> constexpr auto kRowFunction = &MomentFunctions::row_u16;
template <> constexpr auto kRowFunction<std::uint8_t> = &MomentFunctions::row_u8;

class SsimScorer final : public FrameScorer {
  public:
    SsimScorer(const PictureFormat &format, Isa isa)
        : functions_(moment_functions(isa)), format_(format), columns_weight_(format.width),
          weight_(ssim_total_weight(format)) {
        for (int x = 0; x < int(format.width); x++)
            columns_weight_[std::size_t(x)] = kernels::moment_taps_inside(x, int(format.width));
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        std::optional<RealTiles> tiles;
        if (frame.tiles) {
            result.tiles.assign(frame.tiles->count() * kTileWords, 0);
            tiles.emplace(*frame.tiles, RealTiles::Axis{int(format_.width)}, RealTiles::Axis{int(format_.height)},
                          result.tiles, kTileWords);
        }
        tiles_ = tiles ? &*tiles : nullptr;
        const double sum = format_.bits == 8 ? similarity<std::uint8_t>(frame) : similarity<std::uint16_t>(frame);
        result.values[0] = sum / weight_;
    }

  private:
    struct Worker {
        explicit Worker(int width)
            : scratch(5 * std::size_t(round_up(width + 2 * MomentFunctions::kPad, 16))),
              terms(std::size_t(width) * kBandRows) {}
        AlignedArray<double> scratch, terms;
    };

    template <class T> void row(const FrameInput &frame, int y, double *scratch, double *out) const {
        const PlaneView<T> ref = frame.ref.plane<T>(0), dist = frame.dist.plane<T>(0);
        MomentRows<T> rows;
        for (int k = -kMomentRadius; k <= kMomentRadius; k++) {
            const auto i = std::size_t(k + kMomentRadius);
            const bool inside = y + k >= 0 && y + k < ref.height;
            rows.ref[i] = ref.row(inside ? y + k : y);
            rows.dist[i] = dist.row(inside ? y + k : y);
            rows.taps[i] = inside ? kMomentTaps[i] : 0;
        }
        const MomentParameters p = {ref.width, ssim_peak_squared(format_.bits),
                                    double(kernels::moment_taps_inside(y, ref.height)), columns_weight_.data()};
        (functions_.*kRowFunction<T>)(rows, p, scratch, out);
    }

    // In raster order, whichever thread made the rows.
    template <class T> double similarity(const FrameInput &frame) {
        const int width = int(format_.width), height = int(format_.height);
        const unsigned bands = frame.parallel.threads();
        while (workers_.size() < bands) workers_.emplace_back(width);
        double sum = 0;
        for (int y = 0; y < height; y += int(bands) * kBandRows) {
            const auto rows_of = [&](unsigned i) { return std::clamp(height - y - int(i) * kBandRows, 0, kBandRows); };
            frame.parallel.run(bands, [&](unsigned i) {
                for (int r = 0; r < rows_of(i); r++)
                    row<T>(frame, y + int(i) * kBandRows + r, workers_[i].scratch.data(),
                           workers_[i].terms.data() + r * width);
            });
            for (unsigned i = 0; i < bands; i++)
                for (int t = 0; t < rows_of(i) * width; t++) sum += workers_[i].terms[std::size_t(t)];
            for (unsigned i = 0; tiles_ && i < bands; i++)
                for (int r = 0; r < rows_of(i); r++)
                    tiles_->add_row(y + int(i) * kBandRows + r, workers_[i].terms.data() + r * width);
        }
        return sum;
    }

    const MomentFunctions &functions_;
    PictureFormat format_;
    AlignedArray<double> columns_weight_;
    double weight_;
    std::vector<Worker> workers_;
    RealTiles *tiles_ = nullptr; // of the current frame
};

class Ssim final : public Metric {
  public:
    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override { format_ = format; }
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<SsimScorer>(format_, isa);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return make_ssim_device_scorer(format_, nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return make_ssim_device_scorer(format_, &tiles, device);
    }
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        sink.score("ssim", index, result.values[0]);
    }

    std::span<const std::string_view> local_names() const override { return kProvides; }
    std::size_t tile_words() const override { return kTileWords; }
    bool has_real_tiles() const override { return true; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &area,
                      std::span<double> scores) const override {
        const auto along = [](int from, int to, unsigned size) {
            double sum = 0;
            for (int i = from; i < to; i++) sum += kernels::moment_taps_inside(i, int(size));
            return sum;
        };
        scores[0] = std::bit_cast<double>(sums[0]) /
                    (along(area.left, area.right, format_.width) * along(area.top, area.bottom, format_.height));
    }

  private:
    PictureFormat format_;
};

} // namespace

double ssim_peak_squared(unsigned bits) {
    const std::uint32_t peak = (1u << bits) - 1;
    return double(std::int32_t(peak * peak));
}

double ssim_total_weight(const PictureFormat &format) {
    const auto along = [](unsigned size) {
        double sum = 0;
        for (int i = 0; i < int(size); i++) sum += kernels::moment_taps_inside(i, int(size));
        return sum;
    };
    return along(format.width) * along(format.height);
}

const MomentFunctions moment_scalar = {row_u8, row_u16};

const MetricInfo ssim_metric = {
    .name = "ssim",
    .summary = "structural similarity of luma at full resolution, integer moments",
    .options = {},
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<Ssim>(); },
};

} // namespace vmaf
