#include "metrics/vif/vif_device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "device/registry.hpp"
#include "device/trace.hpp"
#include "metrics/kernel_images.hpp"
#include "metrics/vif/vif.hpp"
#include "metrics/vif/vif_kernel_list.hpp"

namespace vmaf::vif {

namespace {

using namespace kernels;

// clang-format off
#define VMAF_KERNEL_OBJECT(name) constexpr Kernel k_##name = describe_kernel<name>("vmaf_" #name, vif_kernel_image);
VMAF_VIF_KERNELS(VMAF_KERNEL_OBJECT)
// clang-format on

// The compact table of vif_pixel_kernel.hpp from the one of 2.7.
std::vector<std::uint16_t> compact_log_table() {
    const auto full = log_table();
    std::vector<std::uint16_t> table(kVifLogTableSize);
    for (std::size_t i = 0; i < table.size(); i++) {
        const std::uint16_t *eight = full.data() + 8 * i;
        const auto step = std::find_if(eight, eight + 8, [&](std::uint16_t v) { return v != eight[0]; }) - eight;
        table[i] = static_cast<std::uint16_t>((eight[0] - 30720) << 4 | (16 - step));
    }
    return table;
}

VifGainLimit gain_limit_forms(double limit) {
    return {std::bit_cast<std::uint64_t>(limit), std::bit_cast<std::uint64_t>(limit * limit), static_cast<float>(limit),
            limit < 8.02};
}

constexpr std::array kRanges = {"vif scale0", "vif scale1", "vif scale2", "vif scale3"}; // for profilers

class VifDeviceScorer final : public DeviceScorer {
  public:
    VifDeviceScorer(const PictureFormat &format, double gain_limit, Device &device)
        : width_(static_cast<int>(format.width)), height_(static_cast<int>(format.height)),
          bits_(static_cast<int>(format.bits)), group_width_(device.info().group_width),
          limit_(gain_limit_forms(gain_limit)), thin_(std::min(width_, height_) < 16) {
        if (thin_)
            device.prepare(k_vif_thin);
        else
            for (int s = 0; s < kScales; s++) device.prepare(kernel(s));
        const std::vector<std::uint16_t> table = compact_log_table();
        const std::size_t bytes = table.size() * sizeof table[0];
        log_table_ = device.allocate(bytes);
        const auto staging = device.allocate_pinned(bytes);
        std::copy(table.begin(), table.end(), reinterpret_cast<std::uint16_t *>(staging->data()));
        const auto queue = device.make_queue();
        const Device::Scope scope(device);
        queue->upload(log_table_->data(), 0, staging->data(), 0, {bytes, 1});
        queue->finish();
    }

    std::size_t scratch_bytes(unsigned frames) const override {
        std::size_t bytes = 0;
        for (int s = 1; s < kScales; s++) bytes += 2 * frames * plane_bytes(s);
        return bytes;
    }
    unsigned sums() const override { return 4 * kScales; }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        if (thin_) {
            for (int s = 0; s < kScales; s++) enqueue_thin(queue, batch, s);
            return;
        }
        VifArgs<VifPictures> pictures{};
        pictures.in.ref = frame_planes(batch, [](const DeviceFrame &f) { return f.ref[0]; });
        pictures.in.dist = frame_planes(batch, [](const DeviceFrame &f) { return f.dist[0]; });
        pictures.in.pitch = static_cast<int>(batch.pitch_bytes[0]) / (bits_ > 8 ? 2 : 1);
        enqueue_scale(queue, batch, 0, pictures);
        for (int s = 1; s < kScales; s++) {
            VifArgs<VifLevel> level{};
            level.in = level_of(batch, s);
            enqueue_scale(queue, batch, s, level);
        }
    }

    void collect(const DeviceSum *sums, FrameResult &result) const override {
        FrameSums frame;
        for (ScaleSums &s : frame) {
            s = {static_cast<std::int64_t>(sums[0]), static_cast<std::int64_t>(sums[1]),
                 static_cast<std::int64_t>(sums[2]), static_cast<std::int64_t>(sums[3])};
            sums += 4;
        }
        store_sums(frame, result);
    }

  private:
    const Kernel &kernel(int scale) const {
        if (scale == 0) return bits_ == 8 ? k_vif_scale0_8 : bits_ < 16 ? k_vif_scale0_15 : k_vif_scale0_16;
        return scale == 1 ? k_vif_scale1 : scale == 2 ? k_vif_scale2 : k_vif_scale3;
    }
    int pitch(int scale) const { return ((width_ >> scale) + 31) / 32 * 32; }
    std::size_t plane_bytes(int scale) const {
        return static_cast<std::size_t>(pitch(scale)) * static_cast<std::size_t>(height_ >> scale) * sizeof(u16);
    }
    // Levels behind each other; in a level, the reference planes of all frames, then the distorted ones.
    VifLevel level_of(const DeviceBatch &batch, int scale) const {
        std::byte *at = batch.scratch;
        for (int s = 1; s < scale; s++) at += 2 * batch.count * plane_bytes(s);
        return {reinterpret_cast<u16 *>(at), reinterpret_cast<u16 *>(at + batch.count * plane_bytes(scale)),
                plane_bytes(scale) / sizeof(u16), pitch(scale)};
    }

    template <class Input>
    void enqueue_scale(Queue &queue, const DeviceBatch &batch, int scale, VifArgs<Input> &args) const {
        const TraceRange trace(kRanges[static_cast<std::size_t>(scale)]);
        if (scale + 1 < kScales) args.next = level_of(batch, scale + 1);
        args.sums = batch.sums + 4 * scale;
        args.sums_stride = batch.sums_stride;
        args.log_table = reinterpret_cast<const u16 *>(log_table_->data());
        args.limit = limit_;
        args.width = width_ >> scale;
        args.height = height_ >> scale;
        args.bits = bits_;
        const Kernel &k = kernel(scale);
        const KernelShape &shape = k.shape(group_width_);
        launch(queue, k,
               {blocks_for(args.width, shape.tile_width), blocks_for(args.height, shape.tile_height), batch.count},
               args);
    }

    void enqueue_thin(Queue &queue, const DeviceBatch &batch, int scale) const {
        const TraceRange trace(kRanges[static_cast<std::size_t>(scale)]);
        VifThinArgs args{};
        args.pitch = static_cast<int>(batch.pitch_bytes[0]) / (bits_ > 8 ? 2 : 1);
        for (unsigned i = 0; i < batch.count; i++) {
            const auto plane = [&](int s, bool dist) -> const void * {
                if (s == 0) return dist ? batch.frames[i].dist[0] : batch.frames[i].ref[0];
                const VifLevel level = level_of(batch, s);
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
        args.sums = batch.sums + 4 * scale;
        args.sums_stride = batch.sums_stride;
        args.log_table = reinterpret_cast<const u16 *>(log_table_->data());
        args.limit = limit_;
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
        args.finer_pitch = scale > 1 ? pitch(scale - 1) : 0; // read at scale 3 only
        args.next_pitch = pitch(scale + 1);
        args.scale = scale;
        launch(queue, k_vif_thin,
               {blocks_for(args.width, k_vif_thin.shape32.tile_width), static_cast<unsigned>(args.height), batch.count},
               args);
    }

    int width_, height_, bits_;
    unsigned group_width_;
    VifGainLimit limit_;
    bool thin_; // a level may be shorter than its filter
    std::unique_ptr<DeviceMemory> log_table_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, double gain_limit, Device &device) {
    return std::make_unique<VifDeviceScorer>(format, gain_limit, device);
}

} // namespace vmaf::vif
