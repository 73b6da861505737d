#include "metrics/adm/adm_device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "device/registry.hpp"
#include "device/trace.hpp"
#include "metrics/adm/adm_kernel_list.hpp"
#include "metrics/kernel_images.hpp"

namespace vmaf::adm {

namespace {

using namespace kernels;

// clang-format off
#define VMAF_KERNEL_OBJECT(name) constexpr Kernel k_##name = describe_kernel<name>("vmaf_" #name, adm_kernel_image);
VMAF_ADM_KERNELS(VMAF_KERNEL_OBJECT)
// clang-format on

// Whether the kernels that leave out rare cases will do: nothing wraps (3.7, 3.8) but kappa at scale 0, the gain is an
// integer, and two low parts of a row fit a word.
bool is_plain(const Plan &plan, int scale, unsigned group_width) {
    const ScalePlan &p = plan.scale[static_cast<std::size_t>(scale)];
    const double gain = plan.options.enhn_gain_limit;
    const std::uint64_t owned = group_width - 4;
    if (gain != std::floor(gain)) return false;
    if ((owned << std::max(p.den_row_shift, p.num_row_shift)) > 65536) return false;
    // Bands stay below 22930 at scale 0, 1.5e9 at scale 1, 7.6e8 behind it (3.12). Scale 0: |c| below 30720, squares of
    // the excess below 2^31, with room for thresholds that kappa's wrap makes negative.
    if (scale == 0) return p.weight[0] <= 43000 && p.weight[2] <= 54000;
    const double largest = std::max(p.weight[0], p.weight[2]) * (scale == 1 ? 1.5e9 : 7.6e8) / 268435456.0;
    return largest < 1.5e9;
}

AdmSettings settings_of(const Plan &plan, int scale) {
    const ScalePlan &p = plan.scale[static_cast<std::size_t>(scale)];
    const Window &w = p.window;
    return {.weight = {p.weight[0], p.weight[2]},
            .gain = static_cast<u32>(plan.options.enhn_gain_limit),
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

constexpr std::array kRanges = {"adm scale0", "adm scale1", "adm scale2", "adm scale3"}; // for profilers

class AdmDeviceScorer final : public DeviceScorer {
  public:
    AdmDeviceScorer(const Plan &plan, Device &device) : plan_(plan), group_width_(device.info().group_width) {
        for (int s = 0; s < kScales; s++) {
            Scale &scale = scales_[static_cast<std::size_t>(s)];
            scale.kernel = &kernel_for(s, is_plain(plan, s, group_width_));
            scale.window = plan.scale[static_cast<std::size_t>(s)].window;
            scale.settings = settings_of(plan, s);
            scale.columns = blocks_for(scale.window.width, scale.kernel->shape(group_width_).tile_width);
            scale.pitch = (scale.window.width + 15) / 16 * 16;
            device.prepare(*scale.kernel);
        }
    }

    std::size_t scratch_bytes(unsigned frames) const override { return layout(frames).bytes; }
    unsigned sums() const override { return kAdmSums * kScales; }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const Layout at = layout(batch.count);
        AdmArgs<AdmPictures, i16> pictures{};
        pictures.in.ref = frame_planes(batch, [](const DeviceFrame &f) { return f.ref[0]; });
        pictures.in.dist = frame_planes(batch, [](const DeviceFrame &f) { return f.dist[0]; });
        pictures.in.pitch = static_cast<int>(batch.pitch_bytes[0]) / (plan_.bits > 8 ? 2 : 1);
        pictures.band = band<i16>(batch, at, 0);
        enqueue_scale(queue, batch, at, 0, pictures);
        enqueue_bands<i16>(queue, batch, at, 1);
        enqueue_bands<int>(queue, batch, at, 2);
        enqueue_bands<int>(queue, batch, at, 3);
    }

    void collect(const DeviceSum *sums, FrameResult &result) const override {
        FrameSums frame;
        for (ScaleSums &s : frame) {
            for (std::size_t b = 0; b < kBands; b++) {
                s.den[b] = sums[b];
                s.num[b] = static_cast<std::int64_t>(sums[kBands + b]);
                s.aim[b] = plan_.options.skip_aim ? 0 : static_cast<std::int64_t>(sums[2 * kBands + b]);
            }
            sums += kAdmSums;
        }
        store_sums(frame, result);
    }

  private:
    struct Scale {
        const Kernel *kernel;
        Window window;
        AdmSettings settings;
        unsigned columns; // blocks in a row
        int pitch;        // of band A, samples
    };
    // Offsets into the scratch memory. Counters come first: they lie where they lay whatever the batch size, and stay
    // 0.
    struct Layout {
        std::size_t counters[kScales], bands[kScales], low_parts[kScales], bytes;
    };

    const Kernel &kernel_for(int scale, bool plain) const {
        const bool bytes = plan_.bits == 8;
        switch (scale) {
        case 0:
            return plain ? (bytes ? k_adm_scale0_8 : k_adm_scale0_16)
                         : (bytes ? k_adm_general_scale0_8 : k_adm_general_scale0_16);
        case 1: return plain ? k_adm_scale1 : k_adm_general_scale1;
        case 2: return plain ? k_adm_scale2 : k_adm_general_scale2;
        default: return plain ? k_adm_scale3 : k_adm_general_scale3;
        }
    }

    std::size_t counters_per_frame(const Scale &scale) const { return static_cast<std::size_t>(scale.window.height); }
    std::size_t low_parts_per_frame(const Scale &scale) const {
        return static_cast<std::size_t>(scale.window.height) * scale.columns * kAdmSums;
    }
    std::size_t band_samples(const Scale &scale) const {
        return static_cast<std::size_t>(scale.pitch) * static_cast<std::size_t>(scale.window.height);
    }
    Layout layout(unsigned frames) const {
        Layout at{};
        ScratchLayout bytes;
        for (int s = 0; s < kScales; s++)
            at.counters[s] =
                bytes.add(kMaxBatch * counters_per_frame(scales_[static_cast<std::size_t>(s)]) * sizeof(u32));
        for (int s = 0; s < kScales; s++) {
            const Scale &scale = scales_[static_cast<std::size_t>(s)];
            at.bands[s] = bytes.add(2 * frames * band_samples(scale) * (s == 0 ? sizeof(i16) : sizeof(int)));
            at.low_parts[s] = bytes.add(frames * low_parts_per_frame(scale) * sizeof(u32));
        }
        at.bytes = bytes.bytes();
        return at;
    }

    template <class T> AdmBand<T> band(const DeviceBatch &batch, const Layout &at, int s) const {
        const Scale &scale = scales_[static_cast<std::size_t>(s)];
        T *const ref = reinterpret_cast<T *>(batch.scratch + at.bands[s]);
        return {ref, ref + batch.count * band_samples(scale), band_samples(scale), scale.pitch};
    }

    template <class Input> void enqueue_bands(Queue &queue, const DeviceBatch &batch, const Layout &at, int s) const {
        AdmArgs<AdmBand<Input>, int> args{};
        args.in = band<Input>(batch, at, s - 1);
        args.band = band<int>(batch, at, s);
        enqueue_scale(queue, batch, at, s, args);
    }
    template <class Args>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, const Layout &at, int s, Args &args) const {
        const TraceRange trace(kRanges[static_cast<std::size_t>(s)]);
        const Scale &scale = scales_[static_cast<std::size_t>(s)];
        args.sums = batch.sums + kAdmSums * s;
        args.sums_stride = batch.sums_stride;
        args.low_parts = reinterpret_cast<u32 *>(batch.scratch + at.low_parts[s]);
        args.low_parts_stride = low_parts_per_frame(scale);
        args.counters = reinterpret_cast<u32 *>(batch.scratch + at.counters[s]);
        args.counters_stride = counters_per_frame(scale);
        args.settings = scale.settings;
        args.width = scale.window.in_width;
        args.height = scale.window.in_height;
        args.band_width = scale.window.width;
        args.band_height = scale.window.height;
        args.rows = s == 0 ? 16 : s == 1 ? 8 : 4;
        args.columns = static_cast<int>(scale.columns);
        args.bits = plan_.bits;
        launch(queue, *scale.kernel, {scale.columns, blocks_for(args.band_height, args.rows), batch.count}, args);
    }

    Plan plan_;
    unsigned group_width_;
    std::array<Scale, kScales> scales_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const Plan &plan, Device &device) {
    return std::make_unique<AdmDeviceScorer>(plan, device);
}

} // namespace vmaf::adm
