#include "metrics/adm/adm_device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "device/trace.hpp"
#include "metrics/adm/adm_kernels.hpp"
#include "metrics/adm/adm_tiles_kernel.hpp"
#include "metrics/adm/tile_sums.hpp"
#include "metrics/common/device_tiles.hpp"

namespace vmaf::adm {

namespace {

using namespace kernels;

// Whether the kernels without the rare cases suffice: nothing wraps (3.7, 3.8) except kappa at scale 0, the gain is an
// integer, and two low parts of a row fit a word.
bool is_plain(const Plan &plan, int scale, unsigned group_width) {
    const ScalePlan &p = plan.scale[static_cast<std::size_t>(scale)];
    const double gain = plan.options.enhn_gain_limit;
    const std::uint64_t owned = group_width - 4;
    if (gain != std::floor(gain)) return false;
    if ((owned << std::max(p.den_row_shift, p.num_row_shift)) > 65536) return false;
    // Bands stay below 22930 at scale 0, 1.5e9 at scale 1, and 7.6e8 later (3.12). Scale 0: |c| below 30720, squares of
    // the excess below 2^31, with room for thresholds that kappa's wrap makes negative.
    if (scale == 0) return p.weight[0] <= 43000 && p.weight[2] <= 54000;
    const double largest = std::max(p.weight[0], p.weight[2]) * (scale == 1 ? 1.5e9 : 7.6e8) / 268435456.0;
    return largest < 1.5e9;
}

AdmSettings settings_of(const Plan &plan, int scale) {
    const ScalePlan &p = plan.scale[static_cast<std::size_t>(scale)];
    const Window &w = p.window;
    return {.weight = {p.weight[0], p.weight[2]},
            .gains = {static_cast<u32>(plan.options.enhn_gain_limit), 0},
            .gain_bits = std::bit_cast<std::uint64_t>(plan.options.enhn_gain_limit),
            .left = w.left,
            .right = w.right,
            .top = w.top,
            .bottom = w.bottom,
            .den_shift = p.den_term_shift,
            .den_row_shift = p.den_row_shift,
            .num_shift = p.num_term_shift[0],
            .num_row_shift = p.num_row_shift};
}

// Kernels of scale 0 with 8 bits and with more, then of scales 1 to 3.
using KernelNames = std::array<const char *, 1 + kScales>;
constexpr KernelNames kNames = {"adm_scale0_8", "adm_scale0_16", "adm_scale1", "adm_scale2", "adm_scale3"};
constexpr KernelNames kPairNames = {"adm_pair_scale0_8", "adm_pair_scale0_16", "adm_pair_scale1", "adm_pair_scale2",
                                    "adm_pair_scale3"};
constexpr KernelNames kGeneralNames = {"adm_general_scale0_8", "adm_general_scale0_16", "adm_general_scale1",
                                       "adm_general_scale2", "adm_general_scale3"};
constexpr KernelNames kTilesNames = {"adm_tiles_scale0_8", "adm_tiles_scale0_16", "adm_tiles_scale1",
                                     "adm_tiles_scale2", "adm_tiles_scale3"};
constexpr KernelNames kGeneralTilesNames = {"adm_tiles_general_scale0_8", "adm_tiles_general_scale0_16",
                                            "adm_tiles_general_scale1", "adm_tiles_general_scale2",
                                            "adm_tiles_general_scale3"};

constexpr std::array kRanges = {"adm scale0", "adm scale1", "adm scale2", "adm scale3"}; // for profilers

// A member of a family.
struct Member {
    std::size_t gain; // index into the kernels' gain limits
    bool skip_aim;
};

class AdmDeviceScorer final : public DeviceScorer {
  public:
    // One gain limit or two (can_pair()). `grid`: also sum these tiles, with one limit only; null: none.
    AdmDeviceScorer(const Plan &plan, std::optional<double> second_gain, std::vector<Member> members,
                    const TileGrid *grid, Device &device)
        : plan_(plan), members_(std::move(members)), gains_(second_gain ? 2 : 1) {
        if (grid) tiles_.emplace(*grid, kImages, edge_above, device);
        for (int s = 0; s < kScales; s++) {
            Scale &scale = scales_[static_cast<std::size_t>(s)];
            scale.kernel = device.load({"adm", kernel_name(s, is_plain(plan, s, device.info().group_width))});
            scale.window = plan.scale[static_cast<std::size_t>(s)].window;
            scale.settings = settings_of(plan, s);
            if (second_gain) scale.settings.gains[1] = static_cast<u32>(*second_gain);
            scale.columns = blocks_for(scale.window.width, scale.kernel.shape.tile_width);
            scale.pitch = (scale.window.width + 15) / 16 * 16;
            const auto rows = static_cast<std::size_t>(scale.window.height);
            const std::size_t samples = static_cast<std::size_t>(scale.pitch) * rows;
            scale.counters = scratch_.add<u32>(rows);
            scale.low_parts = scratch_.add<u32>(rows * scale.columns * sums_of_scale());
            if (s == 0)
                narrow_band_ = {scratch_.add<i16>(samples), scratch_.add<i16>(samples)};
            else
                scale.band = {scratch_.add<int>(samples), scratch_.add<int>(samples)};
        }
        sums_ = results_.add<u64>(sums_of_scale() * kScales);
        if (grid) words_ = results_.add<u64>(tiles_->count() * kTileWords);
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        AdmArgs<PicturePlanes, i16> pictures{};
        pictures.in = batch.planes(0);
        pictures.band = planes_of(batch, narrow_band_, 0);
        enqueue_scale(queue, batch, 0, pictures);
        AdmArgs<ScratchPlanes<i16>, int> second{};
        second.in = pictures.band;
        second.band = planes_of(batch, scales_[1].band, 1);
        enqueue_scale(queue, batch, 1, second);
        for (int s = 2; s < kScales; s++) {
            AdmArgs<ScratchPlanes<int>, int> args{};
            args.in = planes_of(batch, scales_[static_cast<std::size_t>(s - 1)].band, s - 1);
            args.band = planes_of(batch, scales_[static_cast<std::size_t>(s)].band, s);
            enqueue_scale(queue, batch, s, args);
        }
    }

    void collect(const DeviceResult &from, FrameResult &result) const override { collect_family(from, {&result, 1}); }
    void collect_family(const DeviceResult &from, std::span<FrameResult> results) const override {
        for (std::size_t i = 0; i < results.size(); i++) {
            const u64 *sums = from.of(sums_);
            FrameSums frame;
            for (ScaleSums &s : frame) {
                const u64 *of_gain = sums + kBands + 2 * kBands * members_[i].gain;
                for (std::size_t b = 0; b < kBands; b++) {
                    s.den[b] = sums[b];
                    s.num[b] = static_cast<std::int64_t>(of_gain[b]);
                    s.aim[b] = members_[i].skip_aim ? 0 : static_cast<std::int64_t>(of_gain[kBands + b]);
                }
                sums += sums_of_scale();
            }
            store_sums(frame, results[i]);
        }
        if (tiles_) collect_tiles(from.of(words_), results[0]);
    }

  private:
    static constexpr std::array<DeviceTiles::Image, kScales> kImages = {{{1, 1}, {2, 2}, {3, 3}, {4, 4}}};

    void collect_tiles(const u64 *words, FrameResult &result) const {
        take_tiles(words, tiles_->count() * kTileWords, result);
        if (!members_[0].skip_aim) return;
        for (std::size_t i = 0; i < result.tiles.size(); i++) // den, num, aim: two words per band
            if (i % kScaleWords >= 4 * kBands) result.tiles[i] = 0;
    }

    template <class T> struct Band { Piece<T> ref, dist; };
    struct Scale {
        LoadedKernel kernel;
        Window window;
        AdmSettings settings;
        unsigned columns;    // blocks in a row
        int pitch;           // of band A, samples
        Piece<u32> counters; // kernels restore them to 0
        Piece<u32> low_parts;
        Band<int> band; // A; of scale 0: narrow_band_
    };

    std::size_t sums_of_scale() const { return static_cast<std::size_t>(adm_sums(gains_)); }
    const char *kernel_name(int scale, bool plain) const {
        const auto at = static_cast<std::size_t>(scale > 0 ? scale + 1 : plan_.bits == 8 ? 0 : 1);
        if (gains_ == 2) return kPairNames[at];
        return (tiles_ ? plain ? kTilesNames : kGeneralTilesNames : plain ? kNames : kGeneralNames)[at];
    }
    template <class T> ScratchPlanes<T> planes_of(const DeviceBatch &batch, const Band<T> &band, int s) const {
        const auto ref = batch.scratch_of(band.ref);
        return {ref.first, batch.scratch_of(band.dist).first, ref.stride, scales_[static_cast<std::size_t>(s)].pitch};
    }

    template <class Input, class Output>
    AdmTilesArgs<Input, Output> tiles_args(const AdmArgs<Input, Output> &args, int s,
                                           const FrameArray<u64> &words) const {
        return {args, tiles_->of(static_cast<std::size_t>(s)), words.first + s * int{kScaleWords}, words.stride,
                int{kTileWords}};
    }
    template <class Args> void enqueue_scale(Queue &queue, const DeviceBatch &batch, int s, Args &args) const {
        const TraceRange trace(kRanges[static_cast<std::size_t>(s)]);
        const Scale &scale = scales_[static_cast<std::size_t>(s)];
        const auto sums = batch.results_of(sums_);
        const auto low_parts = batch.scratch_of(scale.low_parts), counters = batch.scratch_of(scale.counters);
        args.sums = sums.first + adm_sums(gains_) * s;
        args.sums_stride = sums.stride;
        args.low_parts = low_parts.first;
        args.low_parts_stride = low_parts.stride;
        args.counters = counters.first;
        args.counters_stride = counters.stride;
        args.settings = scale.settings;
        args.width = scale.window.in_width;
        args.height = scale.window.in_height;
        args.band_width = scale.window.width;
        args.band_height = scale.window.height;
        args.rows = s == 0 ? 16 : s == 1 ? 8 : 4;
        args.columns = static_cast<int>(scale.columns);
        args.bits = plan_.bits;
        const Grid grid{scale.columns, blocks_for(args.band_height, args.rows), batch.count};
        if (!tiles_) return launch(queue, scale.kernel, grid, args);
        const auto words = batch.results_of(words_);
        launch(queue, scale.kernel, grid, tiles_args(args, s, words));
    }

    Plan plan_;
    std::vector<Member> members_;
    int gains_;
    std::array<Scale, kScales> scales_;
    Band<i16> narrow_band_;
    Piece<u64> sums_;
    std::optional<DeviceTiles> tiles_;
    Piece<u64> words_; // of the tiles
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const Plan &plan, const TileGrid *tiles, Device &device) {
    return std::make_unique<AdmDeviceScorer>(plan, std::nullopt, std::vector{Member{0, plan.options.skip_aim}}, tiles,
                                             device);
}

std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Plan *const> members, Device &device) {
    const Plan &first = *members.front();
    const double gain = first.options.enhn_gain_limit;
    std::optional<double> second_gain;
    std::vector<Member> of_family;
    for (const Plan *const member : members) {
        if (!have_equal_weights(first, *member)) return nullptr;
        const double own = member->options.enhn_gain_limit;
        if (own != gain && own != second_gain.value_or(own)) return nullptr;
        if (own != gain) second_gain = own;
        of_family.push_back({own == gain ? 0u : 1u, member->options.skip_aim});
        for (int s = 0; s < kScales && second_gain; s++)
            if (!is_plain(*member, s, device.info().group_width) || !is_plain(first, s, device.info().group_width))
                return nullptr;
    }
    return std::make_unique<AdmDeviceScorer>(first, second_gain, std::move(of_family), nullptr, device);
}

} // namespace vmaf::adm
