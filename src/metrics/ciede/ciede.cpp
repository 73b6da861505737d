#include "metrics/ciede/ciede.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "metrics/ciede/chroma_rows.hpp"
#include "metrics/ciede/colour.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/format_checks.hpp"
#include "metrics/real_tiles.hpp"

namespace vmaf {

namespace {

using namespace ciede;

constexpr std::string_view kProvides[] = {"ciede2000"};
constexpr std::size_t kTileWords = 2;
constexpr int kBandRows = 16; // rows per thread at a time; even, so that bands do not share chroma rows

// Equal samples have no difference (10.5).
template <class T>
void row_differences(const ColourRow<T> &ref, const ColourRow<T> &dist, int width, unsigned bits, float *out) {
    for (int x = 0; x < width; x++) {
        const bool equal = ref.y[x] == dist.y[x] && ref.cb[x] == dist.cb[x] && ref.cr[x] == dist.cr[x];
        out[x] = equal ? 0.0f
                       : ciede2000_difference(lab_from_ycbcr(ref.y[x], ref.cb[x], ref.cr[x], bits),
                                              lab_from_ycbcr(dist.y[x], dist.cb[x], dist.cr[x], bits));
    }
}

double add_in_order(double so_far, const float *differences, int count) {
    for (int i = 0; i < count; i++) so_far += double(differences[i]);
    return so_far;
}

template <class T> class CiedeScorer final : public FrameScorer {
  public:
    CiedeScorer(const PictureFormat &format, const Functions &functions) : format_(format), functions_(functions) {}

    // Adds the bands in order, whichever thread made the differences.
    void measure(const FrameInput &frame, FrameResult &result) override {
        const int width = int(format_.width), height = int(format_.height);
        const unsigned tasks = frame.parallel.threads();
        while (workers_.size() < tasks) workers_.emplace_back(width);
        for (Worker &worker : workers_) {
            worker.ref.forget();
            worker.dist.forget();
        }
        double sum = 0;
        std::optional<RealTiles> tiles;
        if (frame.tiles) {
            result.tiles.assign(frame.tiles->count() * kTileWords, 0);
            tiles.emplace(*frame.tiles, RealTiles::Axis{width}, RealTiles::Axis{height}, result.tiles, kTileWords);
        }
        for (int y = 0; y < height; y += int(tasks) * kBandRows) {
            const auto rows_of = [&](unsigned i) { return std::clamp(height - y - int(i) * kBandRows, 0, kBandRows); };
            frame.parallel.run(tasks, [&](unsigned i) {
                for (int r = 0; r < rows_of(i); r++)
                    row(frame, workers_[i], y + int(i) * kBandRows + r, workers_[i].differences.data() + r * width);
            });
            for (unsigned i = 0; i < tasks; i++)
                sum = functions_.add(sum, workers_[i].differences.data(), rows_of(i) * width);
            for (unsigned i = 0; tiles && i < tasks; i++)
                for (int r = 0; r < rows_of(i); r++)
                    tiles->add_row(y + int(i) * kBandRows + r, workers_[i].differences.data() + r * width);
        }
        result.values[0] = sum / (double(width) * double(height));
    }

  private:
    struct Worker {
        explicit Worker(int width) : ref(width), dist(width), differences(std::size_t(width) * kBandRows) {}
        ChromaRows<T> ref, dist;
        AlignedArray<float> differences;
    };

    void row(const FrameInput &frame, Worker &worker, int y, float *out) const {
        worker.ref.select(frame.ref, y);
        worker.dist.select(frame.dist, y);
        const ColourRow<T> ref = {frame.ref.plane<T>(0).row(y), worker.ref.cb(), worker.ref.cr()};
        const ColourRow<T> dist = {frame.dist.plane<T>(0).row(y), worker.dist.cb(), worker.dist.cr()};
        if constexpr (sizeof(T) == 1)
            functions_.row_u8(ref, dist, int(format_.width), format_.bits, out);
        else
            functions_.row_u16(ref, dist, int(format_.width), format_.bits, out);
    }

    PictureFormat format_;
    const Functions &functions_;
    std::vector<Worker> workers_;
};

class Ciede final : public Metric {
  public:
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16("ciede", format);
        require_chroma("ciede", format);
        format_ = format;
    }
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        if (format_.bits == 8) return std::make_unique<CiedeScorer<std::uint8_t>>(format_, pick_functions(isa));
        return std::make_unique<CiedeScorer<std::uint16_t>>(format_, pick_functions(isa));
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return ciede::make_device_scorer(format_, nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return ciede::make_device_scorer(format_, &tiles, device);
    }
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        sink.score("ciede2000", index, in_decibels(result.values[0]));
    }

    std::span<const std::string_view> local_names() const override { return kProvides; }
    std::size_t tile_words() const override { return kTileWords; }
    bool has_real_tiles() const override { return true; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &,
                      std::span<double> scores) const override {
        scores[0] = in_decibels(std::bit_cast<double>(sums[0]) / std::bit_cast<double>(sums[1]));
    }

  private:
    static double in_decibels(double difference) { return 45.0 - 20.0 * std::log10(difference); }

    PictureFormat format_;
};

} // namespace

const Functions ciede::scalar_functions = {row_differences<std::uint8_t>, row_differences<std::uint16_t>, add_in_order};

const MetricInfo ciede_metric = {
    .name = "ciede",
    .summary = "mean CIEDE2000 colour difference, on a decibel-like scale",
    .options = {},
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<Ciede>(); },
};

} // namespace vmaf
