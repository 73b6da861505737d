#include "metrics/speed/speed_device.hpp"

#include <algorithm>
#include <cmath>

#include "device/trace.hpp"
#include "metrics/speed/speed_eigenvalues.hpp"
#include "metrics/speed/speed_matrix_kernels.hpp"
#include "metrics/speed/speed_plane_kernels.hpp"

namespace vmaf::speed {

namespace {

using namespace kernels;

static_assert(kSpeedSize == kSize);

// The sources of each frame's planes, reference and distorted alternating.
struct PlaneSources {
    std::array<FramePlanes, kSpeedPlanes> samples{}, earlier{};
    unsigned plane = 0; // of the pictures: determines the pitch
};

// Kernels and memory for several planes per frame.
class SpeedDeviceScorer : public DeviceScorer {
  protected:
    SpeedDeviceScorer(const Geometry &geometry, const Settings &settings, unsigned bits, unsigned planes,
                      Device &device)
        : geometry_(geometry), settings_(settings), bits_(bits), count_(planes),
          blocks_(geometry.blocks_across * geometry.blocks_down), taps_(anti_alias_taps(settings.kernel_scale)),
          mean_taps_(local_mean_taps(settings.kernel_scale)),
          decimate_(load(device, geometry.scales ? bits == 8 ? "speed_decimate_scaled_8" : "speed_decimate_scaled_16"
                                 : bits == 8     ? "speed_decimate_8"
                                                 : "speed_decimate_16")),
          local_mean_(load(device, "speed_local_mean")), covariance_(load(device, "speed_covariance")),
          matrix_(load(device, "speed_matrix")), block_energies_(load(device, "speed_blocks")) {
        decimated_ = scratch_.add<float>(planes * working_size());
        working_ = scratch_.add<float>(planes * working_size());
        covariances_ = scratch_.add<float>(planes * kSize * kSize);
        factors_ = scratch_.add<float>(planes * kSpeedFactors);
        figures_ = results_.add<float>(planes * figures_of_plane());
        if (!geometry.scales) return;
        const Resizer resizer(geometry.width, geometry.height, geometry.scaled_width, geometry.scaled_height,
                              settings.prescale_method);
        // A plane that keeps its size is copied, with any method.
        copies_ = resizer.columns().empty();
        if (copies_) return;
        columns_ = upload_table(device, resizer.columns().data(), resizer.columns().size() * sizeof(ResizeTaps));
        rows_ = upload_table(device, resizer.rows().data(), resizer.rows().size() * sizeof(ResizeTaps));
    }

    // For frames `first` and later.
    void analyse(Queue &queue, const DeviceBatch &batch, const PlaneSources &sources, unsigned first) const {
        const TraceRange trace("speed");
        const unsigned frames = batch.count - first;
        const auto array = [&](Piece<float> piece, std::size_t plane_stride) {
            const FrameArray<float> all = batch.scratch_of(piece);
            return SpeedArray<float>{{all.of(static_cast<int>(first)), all.stride}, plane_stride};
        };
        const auto constant = [](const SpeedArray<float> &a) {
            return SpeedArray<const float>{{a.frames.first, a.frames.stride}, a.plane_stride};
        };
        const SpeedArray<float> decimated = array(decimated_, working_size()),
                                working = array(working_, working_size());
        const SpeedArray<float> covariances = array(covariances_, kSize * kSize),
                                factors = array(factors_, kSpeedFactors);
        const FrameArray<float> figures = batch.results_of(figures_);
        const SpeedArray<float> results = {{figures.of(static_cast<int>(first)), figures.stride}, figures_of_plane()};
        const auto launch_planes = [&](const LoadedKernel &kernel, unsigned blocks, const auto &args) {
            launch(queue, kernel, {blocks, count_, frames}, args);
        };
        const auto blocks_of = [](const LoadedKernel &kernel, int size) {
            return blocks_for(size, kernel.shape.tile_width);
        };

        SpeedDecimateArgs decimate{};
        for (std::size_t p = 0; p < count_; p++)
            for (unsigned i = 0; i < frames; i++) {
                decimate.samples[p].plane[i] = sources.samples[p].plane[first + i];
                decimate.earlier[p].plane[i] = sources.earlier[p].plane[first + i];
            }
        decimate.out = decimated;
        if (columns_) {
            decimate.columns = reinterpret_cast<const ResizeTaps *>(columns_->data());
            decimate.rows = reinterpret_cast<const ResizeTaps *>(rows_->data());
        }
        decimate.resize_taps = copies_ ? 0 : resize_taps();
        decimate.pitch = batch.pitch(sources.plane);
        decimate.width = geometry_.scaled_width;
        decimate.height = geometry_.scaled_height;
        decimate.out_width = geometry_.working_width;
        decimate.out_height = geometry_.working_height;
        decimate.scale = 1.0f / float(1u << (bits_ - 8));
        decimate.tap_count = int(taps_.size());
        std::copy(taps_.begin(), taps_.end(), decimate.taps);
        launch_planes(decimate_, blocks_of(decimate_, int(working_size())), decimate);

        SpeedLocalMeanArgs mean{};
        mean.in = constant(decimated);
        mean.out = working;
        mean.width = geometry_.working_width;
        mean.height = geometry_.working_height;
        mean.tap_count = int(mean_taps_.size());
        std::copy(mean_taps_.begin(), mean_taps_.end(), mean.taps);
        launch_planes(local_mean_, blocks_of(local_mean_, int(working_size())), mean);

        SpeedCovarianceArgs covariance{};
        covariance.z = constant(working);
        covariance.covariance = covariances;
        covariance.pitch = geometry_.working_width;
        covariance.width = geometry_.window_width;
        covariance.height = geometry_.window_height;
        launch_planes(covariance_, blocks_of(covariance_, kSpeedPairs), covariance);

        launch_planes(matrix_, 2, SpeedMatrixArgs{constant(covariances), factors, results});

        SpeedBlocksArgs blocks{};
        blocks.z = constant(working);
        blocks.factors = constant(factors);
        blocks.results = results;
        blocks.pitch = geometry_.working_width;
        blocks.blocks_across = geometry_.blocks_across;
        blocks.blocks = blocks_;
        blocks.sigma = settings_.sigma;
        launch_planes(block_energies_, blocks_of(block_energies_, blocks_), blocks);
    }

    // For planes `first` and the next. If a frame was not analysed, all figures are 0, and so is its score.
    PlaneScore pair_score(const DeviceResult &from, std::size_t first) const {
        const Plane reference(*this, from, first), distorted(*this, from, first + 1);
        return plane_score(reference.statistics, distorted.statistics, settings_);
    }

  private:
    static LoadedKernel load(Device &device, const char *name) { return device.load({"speed", name}); }

    std::size_t working_size() const {
        return std::size_t(geometry_.working_width) * std::size_t(geometry_.working_height);
    }
    std::size_t figures_of_plane() const { return sizeof(SpeedPlaneHead) / sizeof(float) + 2 * std::size_t(blocks_); }
    int resize_taps() const {
        switch (settings_.prescale_method) {
        case ResizeMethod::nearest: return 1;
        case ResizeMethod::bilinear: return 2;
        case ResizeMethod::bicubic: return 4;
        case ResizeMethod::lanczos4: return 9;
        }
        return 1;
    }

    // The results of a plane. Computes entropies that depend on the last bit of a logarithm.
    struct Plane {
        std::vector<float> entropy;
        BlockStatistics statistics;

        Plane(const SpeedDeviceScorer &scorer, const DeviceResult &from, std::size_t number) {
            const float *const at = from.of(scorer.figures_) + number * scorer.figures_of_plane();
            const auto *const head = reinterpret_cast<const SpeedPlaneHead *>(at);
            if (head->unconverged) warn_unconverged();
            const float *const energy = at + sizeof(SpeedPlaneHead) / sizeof(float);
            const auto blocks = std::size_t(scorer.blocks_);
            entropy.assign(energy + blocks, energy + 2 * blocks);
            for (std::size_t b = 0; b < blocks; b++)
                if (std::isnan(entropy[b]))
                    entropy[b] =
                        block_entropy({head->eigenvalues, std::size_t(kSize)}, energy[b], scorer.settings_.sigma);
            statistics = {{energy, blocks}, entropy, head->singular != 0};
        }
    };

    Geometry geometry_;
    Settings settings_;
    unsigned bits_, count_;
    int blocks_;
    std::vector<float> taps_, mean_taps_;
    LoadedKernel decimate_, local_mean_, covariance_, matrix_, block_energies_;
    Piece<float> decimated_, working_, covariances_, factors_, figures_;
    bool copies_ = false; // scaling changes nothing
    std::unique_ptr<DeviceMemory> columns_, rows_;
};

class ChromaDeviceScorer final : public SpeedDeviceScorer {
  public:
    ChromaDeviceScorer(const Geometry &geometry, const Settings &settings, unsigned bits, Device &device)
        : SpeedDeviceScorer(geometry, settings, bits, 4, device) {
        planes_ = {.ref = 6, .dist = 6};
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        PlaneSources sources;
        const PicturePlanes u = batch.planes(1), v = batch.planes(2);
        sources.samples = {u.ref, u.dist, v.ref, v.dist};
        sources.plane = 1;
        analyse(queue, batch, sources, 0);
    }
    void collect(const DeviceResult &from, FrameResult &result) const override {
        fill_chroma_figures(pair_score(from, 0), pair_score(from, 2), result);
    }
};

class TemporalDeviceScorer final : public SpeedDeviceScorer {
  public:
    TemporalDeviceScorer(const Geometry &geometry, const Settings &settings, bool against_reference, unsigned bits,
                         Device &device)
        : SpeedDeviceScorer(geometry, settings, bits, 2, device), against_reference_(against_reference) {
        planes_ = {.ref = 1, .dist = 1, .earlier_ref = 1, .earlier_dist = 1};
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        // The first frame of a stream has no earlier one: its figures stay 0, and so does its score.
        PlaneSources sources;
        unsigned first = 0;
        while (first < batch.count && !batch.frames[first].earlier_ref[0][0]) first++;
        for (unsigned i = first; i < batch.count; i++) {
            const DeviceFrame &frame = batch.frames[i];
            sources.samples[0].plane[i] = frame.ref[0];
            sources.earlier[0].plane[i] = frame.earlier_ref[0][0];
            sources.samples[1].plane[i] = against_reference_ ? frame.ref[0] : frame.dist[0];
            sources.earlier[1].plane[i] = frame.earlier_dist[0][0];
        }
        if (first < batch.count) analyse(queue, batch, sources, first);
    }
    void collect(const DeviceResult &from, FrameResult &result) const override {
        result.values[0] = double(pair_score(from, 0).value);
    }

  private:
    bool against_reference_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_chroma_device_scorer(const Geometry &geometry, const Settings &settings,
                                                        unsigned bits, Device &device) {
    return std::make_unique<ChromaDeviceScorer>(geometry, settings, bits, device);
}

std::unique_ptr<DeviceScorer> make_temporal_device_scorer(const Geometry &geometry, const Settings &settings,
                                                          bool against_reference, unsigned bits, Device &device) {
    return std::make_unique<TemporalDeviceScorer>(geometry, settings, against_reference, bits, device);
}

} // namespace vmaf::speed
