#include "metrics/ssimulacra2/ssimulacra2_device.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "device/trace.hpp"
#include "metrics/common/ordered_sums_device.hpp"
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
          edge_row_blur_(device.load({kSet, "ssimulacra2_edge_row_blur"})),
          row_blur_(device.load({kSet, "ssimulacra2_row_blur"})),
          edge_maps_(device.load({kSet, "ssimulacra2_edge_maps"})), maps_(device.load({kSet, "ssimulacra2_maps"})) {
        int width = static_cast<int>(format.width), height = static_cast<int>(format.height);
        for (; scales_.size() < kScales && width >= kMinSide && height >= kMinSide;
             width = (width + 1) / 2, height = (height + 1) / 2)
            scales_.push_back({width, height, {}, {}, {}});
        if (scales_.empty()) { // scores 100 without computing
            planes_ = {.ref = 0, .dist = 0};
            return;
        }
        planes_.ref = planes_.dist = 7;
        eotf_ = upload_table(device, eotf_table().data(), sizeof eotf_table());
        xyb_ = scratch_.add<float>(2 * kChannels * scales_[0].samples());
        std::size_t blurred = 0, structure = 0, edges = 0;
        for (std::size_t s = 0; s < scales_.size(); s++) {
            Scale &scale = scales_[s];
            scale.passes = passes_of(s);
            for (const Pass &pass : scale.passes) {
                blurred = std::max(blurred, pass.channels.size() * pass.signals() * scale.samples());
                edges = std::max(edges, pass.channels.size() * scale.pixels());
                if (pass.structure) structure = std::max(structure, pass.channels.size() * scale.pixels());
            }
            if (s > 0) scale.linear = scratch_.add<float>(2 * kChannels * scale.samples());
            scale.sums = results_.add<u64>(kChannels * kSumsOfChannel);
        }
        blurred_ = scratch_.add<float>(blurred);
        structure_ = scratch_.add<u64>(structure);
        edges_ = scratch_.add<u64>(edges);
        has_long_chains_ = true; // the blurs, the last step of the sums
        sums_.emplace(device, scratch_, kChannels * kSumsOfChannel, scales_[0].pixels());
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("ssimulacra2");
        for (std::size_t s = 0; s < scales_.size(); s++) {
            const Ssimulacra2Planes xyb = planes(batch.scratch_of(xyb_), s);
            enqueue_colour(queue, batch, s, xyb);
            for (const Pass &pass : scales_[s].passes) enqueue_pass(queue, batch, s, pass, xyb);
        }
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        AllSums all{};
        for (std::size_t s = 0; s < scales_.size(); s++)
            for (std::size_t channel = 0; channel < kChannels; channel++) {
                const u64 *sums = from.of(scales_[s].sums) + channel * kSumsOfChannel;
                const auto norms = [&](int first) {
                    return NormSums{std::bit_cast<double>(sums[first]), std::bit_cast<double>(sums[first + 1])};
                };
                all[channel][s] = {norms(0), norms(2), norms(4), static_cast<double>(scales_[s].pixels())};
            }
        result.values[0] = final_score(all);
    }

  private:
    // Channels blurred together.
    struct Pass {
        bool structure; // otherwise only the edges
        std::vector<int> channels;
        std::size_t signals() const { return structure ? kBlurSignals : kEdgeSignals; }
    };
    struct Scale {
        int width, height;
        Piece<float> linear; // not of the first
        Piece<u64> sums;     // per channel, by the bits of needed_sums()
        std::vector<Pass> passes;
        int pitch() const { return (width + 31) / 32 * 32; } // of planes of floats
        std::size_t samples() const { return static_cast<std::size_t>(pitch()) * static_cast<std::size_t>(height); }
        std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
    };

    Ssimulacra2Planes planes(FrameArray<float> first, std::size_t s) const {
        return {first, scales_[s].width, scales_[s].height, scales_[s].pitch()};
    }

    Ssimulacra2Planes linear(const DeviceBatch &batch, std::size_t s) const {
        return planes(batch.scratch_of(scales_[s].linear), s);
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

    // Edges need two of five signals, and at the first (largest) scale two channels need only edges.
    static std::vector<Pass> passes_of(std::size_t s) {
        std::vector<Pass> passes = {{false, {}}, {true, {}}};
        for (int channel = 0; channel < kChannels; channel++)
            if (const Needs need = needs(channel, static_cast<int>(s)); need.any())
                passes[need.structure].channels.push_back(channel);
        std::erase_if(passes, [](const Pass &pass) { return pass.channels.empty(); });
        return passes;
    }

    void enqueue_pass(Queue &queue, const DeviceBatch &batch, std::size_t s, const Pass &pass,
                      const Ssimulacra2Planes &xyb) const {
        BlurArgs args{};
        args.xyb = xyb;
        std::copy(pass.channels.begin(), pass.channels.end(), args.channels);
        args.signals = static_cast<int>(pass.signals());
        args.blurred = batch.scratch_of(blurred_);
        if (pass.structure) args.structure = batch.scratch_of(structure_);
        args.edges = batch.scratch_of(edges_);
        const auto count = static_cast<unsigned>(pass.channels.size());
        const LoadedKernel &blur = pass.structure ? row_blur_ : edge_row_blur_;
        launch(queue, blur, {count, blocks_for(xyb.height, blur.shape.tile_height), batch.count}, args);
        const LoadedKernel &maps = pass.structure ? maps_ : edge_maps_;
        launch(queue, maps, {blocks_for(xyb.width, maps.shape.tile_width), count, batch.count}, args);

        std::vector<OrderedSource> sources;
        for (std::size_t k = 0; k < pass.channels.size(); k++) {
            const unsigned needed = needed_sums(pass.channels[k], static_cast<int>(s));
            for (int i = 0; i < kSumsOfChannel; i++) {
                if (!(needed >> i & 1)) continue;
                FrameArray<u64> map = i < 2 ? args.structure : args.edges;
                map.first += k * scales_[s].pixels();
                const int form = kOrderedAboveZero | (i >= 4 ? kOrderedNegated : 0) | (i % 2 ? kOrderedFourthPower : 0);
                sources.push_back(
                    OrderedSums::doubles(map, scales_[s].pixels(), pass.channels[k] * kSumsOfChannel + i, form));
            }
        }
        sums_->enqueue(queue, batch, sources, batch.results_of(scales_[s].sums));
    }

    PictureFormat format_;
    YuvMatrix matrix_;
    LoadedKernel colour_first_, colour_later_, edge_row_blur_, row_blur_, edge_maps_, maps_;
    std::unique_ptr<DeviceMemory> eotf_;
    std::vector<Scale> scales_;
    Piece<float> xyb_, blurred_;
    Piece<u64> structure_, edges_;
    std::optional<OrderedSums> sums_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, int matrix, Device &device) {
    return std::make_unique<Ssimulacra2Device>(format, matrix, device);
}

} // namespace vmaf::ssimulacra2
