#include "metrics/ssimulacra2/ssimulacra2_device.hpp"

#include <array>
#include <bit>
#include <vector>

#include "device/trace.hpp"
#include "metrics/ssimulacra2/ssimulacra2_kernels.hpp"
#include "metrics/ssimulacra2/ssimulacra2_norms.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"

namespace vmaf::ssimulacra2 {

namespace {

using namespace kernels;

constexpr const char *kSet = "ssimulacra2";

class Ssimulacra2Device final : public DeviceScorer {
  public:
    Ssimulacra2Device(const PictureFormat &format, int matrix, Device &device)
        : format_(format), matrix_(ssimulacra2::yuv_matrix(matrix)),
          colour_first_(device.load({kSet, format.bits == 8 ? "ssimulacra2_colour_8" : "ssimulacra2_colour_16"})),
          colour_later_(device.load({kSet, "ssimulacra2_colour_later"})),
          row_blur_(device.load({kSet, "ssimulacra2_row_blur"})), maps_(device.load({kSet, "ssimulacra2_maps"})),
          sums_kernel_(device.load({kSet, "ssimulacra2_sums"})) {
        int width = static_cast<int>(format.width), height = static_cast<int>(format.height);
        for (; scales_.size() < kScales && width >= kMinSide && height >= kMinSide;
             width = (width + 1) / 2, height = (height + 1) / 2)
            scales_.push_back({width, height, {}, {}});
        if (scales_.empty()) { // a score of 100 without a look
            planes_ = {.ref = 0, .dist = 0};
            return;
        }
        planes_.ref = planes_.dist = 7;
        eotf_ = upload_table(device, eotf_table().data(), sizeof eotf_table());
        const std::size_t pixels = scales_[0].pixels();
        xyb_ = scratch_.add<float>(2 * kChannels * pixels);
        blurred_ = scratch_.add<float>(kBlurSignals * pixels);
        structure_ = scratch_.add<u64>(pixels);
        edges_ = scratch_.add<u64>(pixels);
        for (Scale &scale : scales_) {
            if (&scale != &scales_[0]) scale.linear = scratch_.add<float>(2 * kChannels * scale.pixels());
            scale.sums = results_.add<u64>(kChannels * kNormSums);
        }
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("ssimulacra2");
        for (std::size_t s = 0; s < scales_.size(); s++) {
            const Ssimulacra2Planes xyb = {batch.scratch_of(xyb_), scales_[s].width, scales_[s].height};
            enqueue_colour(queue, batch, s, xyb);
            for (int channel = 0; channel < kChannels; channel++) enqueue_channel(queue, batch, s, channel, xyb);
        }
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        AllSums all{};
        for (std::size_t s = 0; s < scales_.size(); s++)
            for (std::size_t channel = 0; channel < kChannels; channel++) {
                const u64 *sums = from.of(scales_[s].sums) + channel * kNormSums;
                const auto norms = [&](int first) {
                    return NormSums{std::bit_cast<double>(sums[first]), std::bit_cast<double>(sums[first + 1])};
                };
                all[channel][s] = {norms(0), norms(2), norms(4), static_cast<double>(scales_[s].pixels())};
            }
        result.values[0] = final_score(all);
    }

  private:
    struct Scale {
        int width, height;
        Piece<float> linear; // not of the first
        Piece<u64> sums;     // for each channel, as NormSumsKernel has them
        std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
    };

    Ssimulacra2Planes linear(const DeviceBatch &batch, std::size_t s) const {
        return {batch.scratch_of(scales_[s].linear), scales_[s].width, scales_[s].height};
    }

    void enqueue_colour(Queue &queue, const DeviceBatch &batch, std::size_t s, const Ssimulacra2Planes &xyb) const {
        const LoadedKernel &kernel = s == 0 ? colour_first_ : colour_later_;
        ColourArgs args{};
        args.width = xyb.width;
        args.height = xyb.height;
        if (s == 0) {
            for (unsigned p = 0; p < 3; p++) args.samples[p] = batch.planes(p);
            args.chroma_width = static_cast<int>(format_.plane_width(1));
            args.chroma_height = static_cast<int>(format_.plane_height(1));
            args.sample_scale = 1.0f / static_cast<float>((1 << format_.bits) - 1);
            args.matrix = matrix_;
            args.eotf = reinterpret_cast<const EotfStep *>(eotf_->data());
        } else {
            args.linear = linear(batch, s);
        }
        args.xyb = xyb;
        if (s + 1 < scales_.size()) args.half = linear(batch, s + 1);
        launch(queue, kernel,
               {blocks_for(xyb.width, kernel.shape.tile_width), 2 * blocks_for(xyb.height, kernel.shape.tile_height),
                batch.count},
               args);
    }

    void enqueue_channel(Queue &queue, const DeviceBatch &batch, std::size_t s, int channel,
                         const Ssimulacra2Planes &xyb) const {
        const Needs need = needs(channel, static_cast<int>(s));
        if (!need.any()) return;
        RowBlurArgs rows{};
        rows.xyb = xyb;
        rows.channel = channel;
        rows.blurred = batch.scratch_of(blurred_);
        launch(queue, row_blur_, {1, blocks_for(xyb.height, row_blur_.shape.tile_height), batch.count}, rows);
        MapsArgs maps{};
        maps.xyb = xyb;
        maps.channel = channel;
        maps.blurred = rows.blurred;
        if (need.structure) maps.structure = batch.scratch_of(structure_);
        if (need.edges()) maps.edges = batch.scratch_of(edges_);
        launch(queue, maps_, {blocks_for(xyb.width, maps_.shape.tile_width), 1, batch.count}, maps);
        NormSumsArgs sums{};
        sums.structure = maps.structure;
        sums.edges = maps.edges;
        sums.count = scales_[s].pixels();
        sums.wanted = (need.structure ? 3u : 0) | (need.artifact ? 12u : 0) | (need.lost_detail ? 48u : 0);
        sums.sums = batch.results_of(scales_[s].sums);
        sums.sums.first += channel * kNormSums;
        launch(queue, sums_kernel_, {kNormSums, 1, batch.count}, sums);
    }

    PictureFormat format_;
    YuvMatrix matrix_;
    LoadedKernel colour_first_, colour_later_, row_blur_, maps_, sums_kernel_;
    std::unique_ptr<DeviceMemory> eotf_;
    std::vector<Scale> scales_;
    Piece<float> xyb_, blurred_;
    Piece<u64> structure_, edges_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, int matrix, Device &device) {
    return std::make_unique<Ssimulacra2Device>(format, matrix, device);
}

} // namespace vmaf::ssimulacra2
