#include "metrics/xpsnr/xpsnr.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/aligned.hpp"
#include "metrics/format_checks.hpp"
#include "metrics/psnr/psnr.hpp"
#include "metrics/strips.hpp"
#include "metrics/xpsnr/xpsnr_device.hpp"

namespace vmaf {

namespace xpsnr {

Plan::Plan(const PictureFormat &format, double frame_rate)
    : width(static_cast<int>(format.width)), height(static_cast<int>(format.height)) {
    const std::uint32_t area = format.width * format.height;
    const double relative = static_cast<double>(area) / 8294400.0; // 3840x2160
    block = std::max(1, 4 * static_cast<int>(32.0 * std::sqrt(relative) + 0.5));
    columns = (width + block - 1) / block;
    rows = (height + block - 1) / block;
    margin = area > 2048 * 1152 ? 2 : 1;
    second_order = frame_rate >= 32.0;
    smoothing = area <= 640 * 480;
    factor = std::sqrt(16.0 * std::ldexp(1.0, 2 * static_cast<int>(format.bits) - 9) /
                       std::sqrt(std::max(0.00001, relative)));
    least_activity = std::ldexp(1.0, static_cast<int>(format.bits) - 6);
}

namespace {

// A block along one axis: the part of `size` from `start` on, and the part where the high-pass filter fits (3).
struct Span {
    Span(int start, int block, int size, int margin)
        : start(start), length(std::min(block, size - start)), begin(start == 0 ? margin : 0),
          end(start + length >= size ? length - margin : length) {}
    int start, length;
    int begin, end; // relative to `start`; empty if end <= begin
};

// 5.1
void smooth(std::span<double> weights, int columns) {
    const int count = static_cast<int>(weights.size());
    const auto weight = [&](int k) -> double & { return weights[static_cast<std::size_t>(k)]; };
    for (int k = 0; k < count; k++) {
        const int column = k % columns;
        double most = 0.0;
        if (column == 0)
            most = k > 1 ? weight(k - 2) : 0.0;
        else
            most = column == 1 ? weight(k) : std::max(weight(k - 2), weight(k));
        if (k > columns) most = std::max(most, weight(k - 1 - columns));
        if (k > 0 && weight(k - 1) > most) weight(k - 1) = most;
        if (k == count - 1 && k > columns) {
            most = std::max(weight(k - 1), weight(k - columns));
            if (weight(k) > most) weight(k) = most;
        }
    }
}

} // namespace

void block_weights(const Plan &plan, std::span<const BlockSums> blocks, std::span<double> weights) {
    std::size_t k = 0;
    for (int row = 0; row < plan.rows; row++) {
        const Span down(row * plan.block, plan.block, plan.height, plan.margin);
        for (int column = 0; column < plan.columns; column++, k++) {
            const Span along(column * plan.block, plan.block, plan.width, plan.margin);
            if (along.end <= along.begin || down.end <= down.begin) {
                weights[k] = 1.0;
                continue;
            }
            // 3.2: narrow blocks of large pictures drop the filter's sum.
            const std::uint64_t filtered = plan.margin == 2 && along.end <= 12 ? 0 : blocks[k].spatial;
            const double spatial = static_cast<double>(filtered) / (static_cast<double>(along.end - along.begin) *
                                                                    static_cast<double>(down.end - down.begin));
            const double temporal = static_cast<double>(2 * blocks[k].temporal) /
                                    (static_cast<double>(along.length) * static_cast<double>(down.length));
            const double activity = std::max(spatial + temporal, plan.least_activity);
            weights[k] = 1.0 / activity;
        }
    }
    if (plan.smoothing) smooth(weights, plan.columns);
}

namespace {

constexpr std::string_view kName = "xpsnr";
constexpr std::array<std::string_view, 3> kScores = {"xpsnr_y", "xpsnr_cb", "xpsnr_cr"};
constexpr std::array<std::string_view, 3> kClipScores = {"axpsnr_y", "axpsnr_cb", "axpsnr_cr"};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array kOptions = {
    OptionSpec{"fps", "", "frame rate of the clip; from 32 on motion is measured over three frames instead of two",
               25.0, 0.0, 1000.0},
    OptionSpec{"enable_chroma", "", "also score the planes Cb and Cr", true},
};

// Working memory for a strip of block rows.
struct StripMemory {
    explicit StripMemory(int width)
        : spatial(static_cast<std::size_t>(width)), temporal(static_cast<std::size_t>(width)),
          scratch(static_cast<std::size_t>(3 * scratch_stride(width))) {}
    AlignedArray<std::uint32_t> spatial, temporal; // sums down the columns
    AlignedArray<std::int32_t> scratch;
};

class Scorer final : public FrameScorer {
  public:
    Scorer(const Plan &plan, const PictureFormat &format, unsigned planes, Isa isa)
        : plan_(plan), format_(format), planes_(planes), isa_(isa),
          zero_row_(static_cast<std::size_t>(plan.width) * sizeof(std::uint16_t)) {
        const std::size_t blocks = static_cast<std::size_t>(plan.columns) * static_cast<std::size_t>(plan.rows);
        if (plan.weighted()) {
            blocks_.resize(blocks);
            weights_.resize(blocks);
        }
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        if (format_.bits == 8)
            measure_samples<std::uint8_t>(frame, result);
        else
            measure_samples<std::uint16_t>(frame, result);
    }

  private:
    template <class T> void measure_samples(const FrameInput &frame, FrameResult &result) {
        if (plan_.weighted()) {
            const unsigned strips = strip_count(frame.parallel, plan_.rows, 1);
            while (memory_.size() < strips) memory_.emplace_back(plan_.width);
            for_each_strip(frame.parallel, plan_.rows, strips, [&](unsigned strip, int begin, int end) {
                for (int row = begin; row < end; row++) sum_block_row<T>(frame, row, memory_[strip]);
            });
            block_weights(plan_, blocks_, weights_);
        }
        for (unsigned p = 0; p < planes_; p++) result.values[p] = std::bit_cast<double>(weighted_error<T>(frame, p));
    }

    // The sums of a row of luma blocks. First sums activity down the columns of the whole row.
    template <class T> void sum_block_row(const FrameInput &frame, int block_row, StripMemory &memory) {
        constexpr int kRows = 64; // their column sums fit 32 bits at any depth
        const PlaneView<T> now = frame.ref.plane<T>(0);
        BlockSums *const blocks =
            &blocks_[static_cast<std::size_t>(block_row) * static_cast<std::size_t>(plan_.columns)];
        std::fill_n(blocks, plan_.columns, BlockSums{});
        const Span down(block_row * plan_.block, plan_.block, plan_.height, plan_.margin);
        for (int y = 0; y < down.length; y += kRows) {
            add_columns<T>(frame, down, y, std::min(y + kRows, down.length), memory);
            for (int column = 0; column < plan_.columns; column++) {
                const Span along(column * plan_.block, plan_.block, plan_.width, plan_.margin);
                for (int x = along.begin; x < along.end; x++)
                    blocks[column].spatial += memory.spatial.data()[along.start + x];
                for (int x = 0; x < along.length; x++)
                    blocks[column].temporal += memory.temporal.data()[along.start + x];
            }
        }
        const PlaneView<T> dist = frame.dist.plane<T>(0);
        for (int column = 0; column < plan_.columns; column++) {
            const Span along(column * plan_.block, plan_.block, plan_.width, plan_.margin);
            blocks[column].error = block_error(now, dist, along.start, down.start, along.length, down.length);
        }
    }

    // Sums down the columns over the rows first <= y < last of a row of blocks.
    template <class T>
    void add_columns(const FrameInput &frame, const Span &down, int first, int last, StripMemory &memory) const {
        const bool large = plan_.margin == 2;
        const PlaneView<T> now = frame.ref.plane<T>(0);
        const auto earlier_row = [&](unsigned distance, int y) {
            const Picture *const picture = frame.earlier_ref[distance - 1];
            return picture ? picture->plane<T>(0).row(y) : reinterpret_cast<const T *>(zero_row_.data());
        };
        const auto inside = [&](int y) { return std::min(y, plan_.height - 1); };
        SpatialRow<T> *const spatial = pick_spatial_row<T>(isa_, large);
        TemporalRow<T> *const temporal = pick_temporal_row<T>(isa_, large);
        std::fill_n(memory.spatial.data(), plan_.width, 0u);
        std::fill_n(memory.temporal.data(), plan_.width, 0u);
        for (int y = first; y < last; y += plan_.margin) {
            const int row = down.start + y;
            if (y >= down.begin && y < down.end) {
                std::array<const T *, 6> rows{};
                for (int i = 0; i < 3 * plan_.margin; i++)
                    rows[static_cast<std::size_t>(i)] = now.row(inside(row - plan_.margin + i));
                spatial(rows.data(), plan_.width, plan_.margin, plan_.width - plan_.margin, memory.scratch.data(),
                        memory.spatial.data());
            }
            std::array<const T *, 2> current{}, before{}, earlier{};
            for (int i = 0; i < plan_.margin; i++) {
                const auto at = static_cast<std::size_t>(i);
                current[at] = now.row(inside(row + i));
                before[at] = earlier_row(1, inside(row + i));
                earlier[at] = earlier_row(2, inside(row + i));
            }
            temporal(current.data(), before.data(), plan_.second_order ? earlier.data() : nullptr, plan_.width,
                     memory.scratch.data(), memory.temporal.data());
        }
    }

    template <class T>
    std::uint64_t block_error(const PlaneView<T> &ref, const PlaneView<T> &dist, int x, int y, int width,
                              int height) const {
        const auto part = [&](const PlaneView<T> &plane) {
            return PlaneView<T>{plane.row(y) + x, plane.stride, width, height};
        };
        return psnr::pick_squared_error<T>(isa_)(part(ref), part(dist), format_.bits, 0, height);
    }

    template <class T> std::uint64_t weighted_error(const FrameInput &frame, unsigned p) const {
        if (!plan_.weighted()) return psnr::plane_squared_error(frame.ref, frame.dist, p, isa_, frame.parallel);
        const PlaneView<T> ref = frame.ref.plane<T>(p), dist = frame.dist.plane<T>(p);
        const int width = plan_.block >> int(Plan::halves_width(format_, p)),
                  height = plan_.block >> int(Plan::halves_height(format_, p));
        return xpsnr::weighted_error(plan_, weights_, [&](std::size_t k, int row, int column) {
            const int x = column * width, y = row * height;
            return p == 0
                       ? blocks_[k].error
                       : block_error(ref, dist, x, y, std::min(width, ref.width - x), std::min(height, ref.height - y));
        });
    }

    Plan plan_;
    PictureFormat format_;
    unsigned planes_;
    Isa isa_;
    std::vector<BlockSums> blocks_;
    std::vector<double> weights_;
    std::vector<StripMemory> memory_;
    AlignedArray<std::byte> zero_row_; // replaces pictures before the first
};

class Xpsnr final : public Metric {
  public:
    explicit Xpsnr(const OptionValues &o) : frame_rate_(o.real("fps")), chroma_(o.flag("enable_chroma")) {}

    History history() const override { return {.ref = frame_rate_ >= 32.0 ? 2u : 1u}; }

    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16(kName, format);
        format_ = format;
        plan_ = Plan(format, frame_rate_);
        planes_ = chroma_ ? format.planes() : 1;
        const std::uint64_t peak = (1u << format.bits) - 1;
        for (unsigned p = 0; p < planes_; p++)
            energy_[p] =
                static_cast<double>(std::uint64_t{format.plane_width(p)} * format.plane_height(p) * (peak * peak));
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<Scorer>(plan_, format_, planes_, isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return xpsnr::make_device_scorer(format_, plan_, planes_, device);
    }

    // 7
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        for (unsigned p = 0; p < planes_; p++) {
            const double root = std::sqrt(static_cast<double>(std::bit_cast<std::uint64_t>(result.values[p])));
            sink.score(kScores[p], index, decibels(p, root));
            roots_[p] += root;
        }
        frames_++;
    }

    void flush(ScoreSink &sink) override {
        double least = kInfinity;
        for (unsigned p = 0; p < planes_; p++) {
            const double frames = static_cast<double>(frames_);
            const double score = roots_[p] >= frames ? decibels(p, roots_[p] / frames) : kInfinity;
            sink.aggregate(kClipScores[p], score);
            least = std::min(least, score);
        }
        if (planes_ > 1) sink.aggregate("axpsnr_min", least);
    }

  private:
    double decibels(unsigned plane, double root) const {
        return root >= 1.0 ? 10.0 * std::log10(energy_[plane] / (root * root)) : kInfinity;
    }

    double frame_rate_;
    bool chroma_;
    PictureFormat format_;
    Plan plan_;
    unsigned planes_ = 0;
    std::array<double, 3> energy_{}, roots_{};
    std::uint64_t frames_ = 0;
};

} // namespace

} // namespace xpsnr

const MetricInfo xpsnr_metric = {
    .name = xpsnr::kName,
    .summary = "PSNR weighted by the local activity of the reference",
    .options = xpsnr::kOptions,
    .provides = xpsnr::kScores,
    .every_frame = true,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<xpsnr::Xpsnr>(options);
    },
};

} // namespace vmaf
