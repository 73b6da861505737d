#include "metrics/vif/vif_device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "device/trace.hpp"
#include "metrics/common/device_tiles.hpp"
#include "metrics/vif/vif.hpp"
#include "metrics/vif/vif_kernels.hpp"
#include "metrics/vif/vif_matrix_taps.hpp"
#include "metrics/vif/vif_thin_kernel.hpp"
#include "metrics/vif/vif_tiles_kernel.hpp"

namespace vmaf::vif {

namespace {

using namespace kernels;

// Builds the compact table of vif_pixel_kernel.hpp from that of 2.7.
std::vector<std::uint16_t> compact_log_table() {
    const auto full = log_table();
    std::vector<std::uint16_t> table(kVifLogTableSize);
    for (std::size_t i = 0; i < table.size(); i++) {
        const std::uint16_t *eight = full.data() + 8 * i;
        const auto step = std::find_if(eight, eight + 8, [&](std::uint16_t v) { return v != eight[0]; }) - eight;
        table[i] = static_cast<std::uint16_t>(16 * (eight[0] - 30720) - 8 * static_cast<int>(i) + 16 - step);
    }
    return table;
}

VifGainLimit gain_limit_forms(double limit) {
    return {std::bit_cast<std::uint64_t>(limit), std::bit_cast<std::uint64_t>(limit * limit), static_cast<float>(limit),
            limit < 8.02, limit == 1};
}

// Each limit once, and the index of each member's limit.
struct DistinctLimits {
    std::vector<double> values;
    std::vector<std::size_t> of_member;

    explicit DistinctLimits(std::span<const double> members) {
        for (const double limit : members) {
            const auto found = std::find(values.begin(), values.end(), limit);
            of_member.push_back(static_cast<std::size_t>(found - values.begin()));
            if (found == values.end()) values.push_back(limit);
        }
    }
};

constexpr std::array kRanges = {"vif scale0", "vif scale1", "vif scale2", "vif scale3"}; // for profilers

bool is_thin(const PictureFormat &format) { return std::min(format.width, format.height) < 16; }

class VifDeviceScorer final : public DeviceScorer {
  public:
    // One limit or two. `grid`: also sum these tiles; null: none. With tiles, pictures must not be thin, and there is
    // one limit.
    VifDeviceScorer(const PictureFormat &format, const DistinctLimits &limits, const TileGrid *grid, Device &device)
        : width_(static_cast<int>(format.width)), height_(static_cast<int>(format.height)),
          bits_(static_cast<int>(format.bits)), limit_of_(limits.of_member), thin_(is_thin(format)) {
        for (const double limit : limits.values) limits_.push_back(gain_limit_forms(limit));
        if (grid) tiles_.emplace(*grid, kImages, edge_below, device);
        for (int s = 0; s < kScales; s++) {
            kernels_[static_cast<std::size_t>(s)] = device.load({"vif", thin_ ? "vif_thin" : kernel_name(s)});
            if (s == 0) continue;
            const std::size_t samples =
                static_cast<std::size_t>(pitch(s)) * static_cast<std::size_t>(std::max(height_ >> s, 1));
            levels_[static_cast<std::size_t>(s)] = {scratch_.add<u16>(samples), scratch_.add<u16>(samples)};
        }
        sums_ = results_.add<u64>(grid ? kTileWords * tiles_->count() : words_of_scale() * kScales);
        const std::vector<std::uint16_t> table = compact_log_table();
        log_table_ = upload_table(device, table.data(), table.size() * sizeof table[0]);
        const std::vector<Words4> taps = matrix_taps();
        matrix_taps_ = upload_table(device, taps.data(), taps.size() * sizeof taps[0]);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        if (thin_) {
            for (int s = 0; s < kScales; s++) enqueue_thin(queue, batch, s);
        } else if (limits_.size() == 1)
            enqueue_scales<1>(queue, batch);
        else
            enqueue_scales<2>(queue, batch);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override { collect_family(from, {&result, 1}); }
    void collect_family(const DeviceResult &from, std::span<FrameResult> results) const override {
        const u64 *sums = from.of(sums_);
        std::array<u64, kTileWords> of_tiles{};
        if (tiles_) {
            take_tiles(sums, kTileWords * tiles_->count(), results[0]);
            for (std::size_t i = 0; i < results[0].tiles.size(); i++) of_tiles[i % kTileWords] += sums[i];
            sums = of_tiles.data();
        }
        for (std::size_t member = 0; member < results.size(); member++) {
            const std::size_t limit = limit_of_[member];
            FrameSums frame;
            for (std::size_t s = 0; s < kScales; s++) {
                const u64 *of = sums + s * words_of_scale();
                frame[s] = {static_cast<std::int64_t>(of[limit ? 3 + limit : 0]), static_cast<std::int64_t>(of[1]),
                            static_cast<std::int64_t>(of[2]), static_cast<std::int64_t>(of[3])};
            }
            store_sums(frame, results[member]);
        }
    }

  private:
    static constexpr std::size_t kTileWords = 4 * kScales; // of FrameResult::tiles
    static constexpr std::array<DeviceTiles::Image, kScales> kImages = {{{0, 0}, {1, 1}, {2, 2}, {3, 3}}};

    struct Level {
        Piece<u16> ref, dist;
    };
    std::size_t words_of_scale() const { return static_cast<std::size_t>(vif_sums(static_cast<int>(limits_.size()))); }
    const char *kernel_name(int scale) const {
        if (limits_.size() == 2 && scale == 0)
            return bits_ == 8 ? "vif_pair_scale0_8" : bits_ < 16 ? "vif_pair_scale0_15" : "vif_pair_scale0_16";
        if (limits_.size() == 2)
            return scale == 1 ? "vif_pair_scale1" : scale == 2 ? "vif_pair_scale2" : "vif_pair_scale3";
        if (tiles_ && scale == 0)
            return bits_ == 8 ? "vif_tiles_scale0_8" : bits_ < 16 ? "vif_tiles_scale0_15" : "vif_tiles_scale0_16";
        if (tiles_) return scale == 1 ? "vif_tiles_scale1" : scale == 2 ? "vif_tiles_scale2" : "vif_tiles_scale3";
        if (scale == 0) return bits_ == 8 ? "vif_scale0_8" : bits_ < 16 ? "vif_scale0_15" : "vif_scale0_16";
        return scale == 1 ? "vif_scale1" : scale == 2 ? "vif_scale2" : "vif_scale3";
    }
    int pitch(int scale) const { return ((width_ >> scale) + 31) / 32 * 32; }
    ScratchPlanes<u16> level_of(const DeviceBatch &batch, int scale) const {
        const Level &level = levels_[static_cast<std::size_t>(scale)];
        const auto ref = batch.scratch_of(level.ref);
        return {ref.first, batch.scratch_of(level.dist).first, ref.stride, pitch(scale)};
    }

    template <int kLimits> void enqueue_scales(Queue &queue, const DeviceBatch &batch) const {
        VifArgs<PicturePlanes, kLimits> pictures{};
        pictures.in = batch.planes(0);
        enqueue_scale(queue, batch, 0, pictures);
        for (int s = 1; s < kScales; s++) {
            VifArgs<ScratchPlanes<u16>, kLimits> level{};
            level.in = level_of(batch, s);
            enqueue_scale(queue, batch, s, level);
        }
    }
    template <class Input, int kLimits>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, int scale, VifArgs<Input, kLimits> &args) const {
        const TraceRange trace(kRanges[static_cast<std::size_t>(scale)]);
        if (scale + 1 < kScales) args.next = level_of(batch, scale + 1);
        const auto sums = batch.results_of(sums_);
        args.sums = sums.first + static_cast<int>(words_of_scale()) * scale;
        args.sums_stride = sums.stride;
        args.log_table = reinterpret_cast<const u16 *>(log_table_->data());
        args.matrix_taps = reinterpret_cast<const Words4 *>(matrix_taps_->data());
        std::copy(limits_.begin(), limits_.end(), args.limits.of);
        args.width = width_ >> scale;
        args.height = height_ >> scale;
        args.bits = bits_;
        const LoadedKernel &kernel = kernels_[static_cast<std::size_t>(scale)];
        if (!tiles_) return launch_tiles(queue, kernel, args.width, args.height, batch.count, args);
        if constexpr (kLimits == 1) {
            const VifTilesArgs<Input> with_tiles{args, tiles_->of(static_cast<std::size_t>(scale)), int{kTileWords}};
            launch_tiles(queue, kernel, args.width, args.height, batch.count, with_tiles);
        }
    }

    void enqueue_thin(Queue &queue, const DeviceBatch &batch, int scale) const {
        const TraceRange trace(kRanges[static_cast<std::size_t>(scale)]);
        VifThinArgs args{};
        args.pitch = batch.pitch(0);
        for (unsigned i = 0; i < batch.count; i++) {
            const auto plane = [&](int s, bool dist) -> const void * {
                if (s == 0) return dist ? batch.frames[i].dist[0] : batch.frames[i].ref[0];
                const ScratchPlanes<u16> level = level_of(batch, s);
                return dist ? level.dist_of(static_cast<int>(i)) : level.ref_of(static_cast<int>(i));
            };
            args.ref.plane[i] = plane(scale, false);
            args.dist.plane[i] = plane(scale, true);
            if (scale > 0) {
                args.finer_ref.plane[i] = plane(scale - 1, false);
                args.finer_dist.plane[i] = plane(scale - 1, true);
            }
            if (scale + 1 < kScales) {
                args.next_ref.plane[i] = plane(scale + 1, false);
                args.next_dist.plane[i] = plane(scale + 1, true);
            }
        }
        const auto sums = batch.results_of(sums_);
        args.sums = sums.first + 4 * scale;
        args.sums_stride = sums.stride;
        args.log_table = reinterpret_cast<const u16 *>(log_table_->data());
        args.limits.of[0] = limits_[0];
        const auto fill_taps = [](int s, u32(&taps)[9], int &radius) {
            radius = kTapCount[static_cast<std::size_t>(s)] / 2;
            for (int k = 0; k <= radius; k++)
                taps[k] = kTaps[static_cast<std::size_t>(s)][static_cast<std::size_t>(radius + k)];
        };
        fill_taps(scale, args.taps, args.radius);
        fill_taps(std::min(scale + 1, kScales - 1), args.next_taps, args.next_radius);
        args.bytes_per_sample = scale == 0 && bits_ == 8 ? 1 : 2;
        args.mean_shift = scale == 0 ? bits_ : 16;
        args.product_shift = scale == 0 ? 2 * (bits_ - 8) : 16;
        if (scale > 0) args.pitch = pitch(scale);
        args.width = width_ >> scale;
        args.height = height_ >> scale;
        args.finer_width = width_ >> std::max(scale - 1, 0);
        args.finer_height = height_ >> std::max(scale - 1, 0);
        args.finer_pitch = scale > 1 ? pitch(scale - 1) : 0; // read only at scale 3
        args.next_pitch = pitch(scale + 1);
        args.scale = scale;
        const LoadedKernel &kernel = kernels_[static_cast<std::size_t>(scale)];
        launch(queue, kernel,
               {blocks_for(args.width, kernel.shape.tile_width), static_cast<unsigned>(args.height), batch.count},
               args);
    }

    int width_, height_, bits_;
    std::vector<VifGainLimit> limits_;
    std::vector<std::size_t> limit_of_; // per member
    bool thin_;                         // a level may be shorter than its filter
    std::array<LoadedKernel, kScales> kernels_;
    std::array<Level, kScales> levels_;
    std::optional<DeviceTiles> tiles_;
    Piece<u64> sums_; // of the frame, or per tile
    std::unique_ptr<DeviceMemory> log_table_, matrix_taps_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, double gain_limit, const TileGrid *tiles,
                                                 Device &device) {
    return std::make_unique<VifDeviceScorer>(format, DistinctLimits(std::span(&gain_limit, 1)), tiles, device);
}

std::unique_ptr<DeviceScorer> make_family_device_scorer(const PictureFormat &format,
                                                        std::span<const double> gain_limits, Device &device) {
    const DistinctLimits limits(gain_limits);
    if (limits.values.size() > 2 || (limits.values.size() == 2 && is_thin(format))) return nullptr;
    return std::make_unique<VifDeviceScorer>(format, limits, nullptr, device);
}

} // namespace vmaf::vif
