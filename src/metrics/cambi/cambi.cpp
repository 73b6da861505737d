#include "metrics/cambi/cambi.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.hpp"
#include "metrics/cambi/cambi_device.hpp"
#include "metrics/cambi/cambi_figures.hpp"
#include "metrics/cambi/cambi_heatmap.hpp"
#include "metrics/cambi/cambi_setup.hpp"
#include "metrics/cambi/cambi_stages.hpp"
#include "metrics/real_tiles.hpp"

namespace vmaf {

namespace cambi {
namespace {

constexpr std::string_view kProvides[] = {"Cambi_feature_cambi_score"};
constexpr std::size_t kWordsOfScale = 2, kTileWords = kScales * kWordsOfScale;

class Scorer final : public FrameScorer {
  public:
    Scorer(const Setup &setup, const HeatmapFiles *heatmaps, Isa isa)
        : setup_(setup), heatmaps_(heatmaps), isa_(isa), c_values_(pick_c_values(isa)), pool_(pick_pool(isa)),
          room_(setup, isa) {
        counts_.emplace_back(counts_bytes(setup, room_.width(), isa));
        if (heatmaps) pixels_ = AlignedArray<std::uint16_t>(room_.c_values.size());
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        if (frame.tiles) result.tiles.assign(frame.tiles->count() * kTileWords, 0);
        tiles_ = frame.tiles ? &result.tiles : nullptr;
        result.values[kEncodedScore] = score(frame.dist, setup_.encoded, heatmaps_, frame);
        tiles_ = nullptr; // tiles belong to the distorted picture
        if (setup_.full_ref) result.values[kSourceScore] = score(frame.ref, setup_.source, nullptr, frame);
    }

  private:
    // The unclipped score of one picture (sections 4 to 10).
    double score(const Picture &picture, const Target &target, const HeatmapFiles *heatmaps, const FrameInput &frame) {
        Canvas canvas = room_.load(picture, target, setup_);
        double score = 0.0;
        for (int scale = 0; scale < kScales; scale++) {
            if (scale > 0) decimate(canvas, room_);
            mode_filter(canvas, room_);
            const auto pixels = std::size_t(canvas.width) * std::size_t(canvas.height);
            bool &all = needs_all_[std::size_t(scale)];
            std::span<float> values = compute_c_values(canvas, target.radius(), frame.parallel,
                                                       heatmaps || all || tiles_ ? Wanted::all : Wanted::not_zero);
            if (tiles_) add_tiles(scale, canvas, values, frame);
            if (heatmaps) heatmaps->write(frame.index, scale, values, pixels_.span());
            std::optional<double> mean = pool_(values, pixels, setup_.topk);
            if (!mean) {
                all = true;
                values = compute_c_values(canvas, target.radius(), frame.parallel, Wanted::all);
                mean = pool_(values, pixels, setup_.topk);
            }
            score += double(16 >> scale) * mean.value();
        }
        return score / double(target.window * target.window);
    }

    // Before pooling, which reorders the values.
    void add_tiles(int scale, const Canvas &canvas, std::span<const float> values, const FrameInput &frame) {
        const PictureFormat &format = frame.dist.format();
        RealTiles tiles(*frame.tiles, RealTiles::Axis::spread(canvas.width, format.width),
                        RealTiles::Axis::spread(canvas.height, format.height), *tiles_, kTileWords,
                        std::size_t(scale) * kWordsOfScale);
        for (int y = 0; y < canvas.height; y++) tiles.add_row(y, values.data() + std::ptrdiff_t(y) * canvas.width);
    }

    // Splits the rows between free threads; every part counts its own first window.
    std::span<float> compute_c_values(const Canvas &canvas, int radius, Parallel &parallel, Wanted wanted) {
        const unsigned parts = std::clamp(unsigned(canvas.height / (4 * radius + 64)), 1u, parallel.threads());
        while (counts_.size() < parts) counts_.emplace_back(counts_bytes(setup_, room_.width(), isa_));
        written_.resize(parts);
        const auto row = [&](unsigned part) { return int(unsigned(canvas.height) * part / parts); };
        const auto values_of = [&](unsigned i) {
            return room_.c_values.data() + std::ptrdiff_t(row(i)) * canvas.width;
        };
        const auto compute = [&](unsigned i) {
            written_[i] =
                c_values_(canvas, radius, setup_, row(i), row(i + 1), counts_[i].data(), values_of(i), wanted);
        };
        if (parts == 1)
            compute(0);
        else
            parallel.run(parts, compute);
        std::size_t count = written_[0];
        for (unsigned i = 1; i < parts; count += written_[i++])
            std::copy_n(values_of(i), written_[i],
                        room_.c_values.data() + count); // forward, so it never overtakes its source
        return room_.c_values.span().first(count);
    }

    Setup setup_;
    const HeatmapFiles *heatmaps_;
    Isa isa_;
    CValues *c_values_;
    Pool *pool_;
    Workspace room_;
    std::vector<AlignedArray<std::byte>> counts_; // one for each part that rows have ever been split into
    std::vector<std::size_t> written_;            // per part
    std::array<bool, kScales> needs_all_{};       // once needed, they are always computed
    AlignedArray<std::uint16_t> pixels_;          // of a heat map
    std::vector<std::int64_t> *tiles_ = nullptr;  // of the current picture
};

class CambiMetric final : public Metric {
  public:
    explicit CambiMetric(const OptionValues &options) : options_(options) {}

    void prepare(const PictureFormat &format) override {
        format_ = format;
        setup_ = make_setup(options_, format);
        if (!setup_.heatmaps_path.empty()) heatmaps_ = std::make_unique<HeatmapFiles>(setup_);
    }

    PlanesRead planes_read() const override { return {.ref = options_.flag("full_ref") ? kLuma : 0u, .dist = kLuma}; }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<Scorer>(setup_, heatmaps_.get(), isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return cambi::make_device_scorer(setup_, format_, heatmaps_.get(), nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return cambi::make_device_scorer(setup_, format_, heatmaps_.get(), &tiles, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const double encoded = result.values[kEncodedScore], source = result.values[kSourceScore];
        const auto clip = [&](double score) { return std::min(score, setup_.max_score); };
        sink.score(kProvides[0], index, clip(encoded));
        if (!setup_.full_ref) return;
        sink.score("cambi_source", index, clip(source));
        sink.score("cambi_full_reference", index, clip(std::max(0.0, encoded - source)));
    }

    std::span<const std::string_view> local_names() const override { return kProvides; }
    std::size_t tile_words() const override { return kTileWords; }
    bool has_real_tiles() const override { return true; }
    // The mean of all c-values, where the frame uses the largest. Areas below a pixel at a scale have none there.
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &,
                      std::span<double> scores) const override {
        double score = 0;
        for (std::size_t scale = 0; scale < kScales; scale++) {
            const auto sum = std::bit_cast<double>(sums[scale * kWordsOfScale]);
            const auto count = std::bit_cast<double>(sums[scale * kWordsOfScale + 1]);
            if (count > 0) score += double(16 >> scale) * (sum / count);
        }
        scores[0] = std::min(score / double(setup_.encoded.window * setup_.encoded.window), setup_.max_score);
    }

  private:
    OptionValues options_;
    PictureFormat format_;
    Setup setup_;
    std::unique_ptr<HeatmapFiles> heatmaps_;
};

} // namespace
} // namespace cambi

const MetricInfo cambi_metric = {
    .name = "cambi",
    .summary = "banding (false contours) in luma; 0 is none, 5 and more is strong",
    .options = cambi::kOptions,
    .provides = cambi::kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<cambi::CambiMetric>(options);
    },
};

} // namespace vmaf
