// The part of a metric that looks at pixels, on a device: it puts work for a batch of frames into a queue, and later
// turns the sums that came back into the same FrameResult that FrameScorer::measure() fills.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/device.hpp"
#include "device/kernel.hpp"
#include "metrics/metric.hpp"

namespace vmaf {

using DeviceSum = kernels::u64;
inline constexpr unsigned kMaxBatch = kernels::kMaxFrames;

// One frame of a batch: planes in device memory, all with the pitch of the batch. Planes that no metric asked for, and
// earlier pictures that do not exist, are null.
struct DeviceFrame {
    unsigned index = 0;
    std::array<const std::byte *, 3> ref{}, dist{};
    std::array<std::array<const std::byte *, 3>, 2> earlier_ref{};
};

struct DeviceBatch {
    std::array<DeviceFrame, kMaxBatch> frames;
    unsigned count = 0;
    std::array<std::ptrdiff_t, 3> pitch_bytes{};
    std::byte *scratch = nullptr; // of this scorer
    DeviceSum *sums = nullptr;    // of this scorer, in the first frame; all 0
    std::size_t sums_stride = 0;  // from frame to frame
};

class DeviceScorer {
  public:
    virtual ~DeviceScorer() = default;
    // Device memory for batches of up to `frames`; the scorer finds it cleared at first, then as it left it.
    virtual std::size_t scratch_bytes(unsigned frames) const = 0;
    virtual unsigned sums() const = 0; // per frame
    // One bit per plane that enqueue() reads.
    virtual unsigned ref_planes() const { return 1; }
    virtual unsigned dist_planes() const { return 1; }
    // Throws Error when a frame cannot be scored.
    virtual void enqueue(Queue &queue, const DeviceBatch &batch) const = 0;
    virtual void collect(const DeviceSum *sums, FrameResult &result) const = 0;
};

// Planes of a batch as kernels take them.
template <class Choose> kernels::FramePlanes frame_planes(const DeviceBatch &batch, Choose choose) {
    kernels::FramePlanes planes{};
    for (unsigned i = 0; i < batch.count; i++) planes.plane[i] = choose(batch.frames[i]);
    return planes;
}

// Blocks that cover `size` samples.
constexpr unsigned blocks_for(int size, int tile) { return static_cast<unsigned>((size + tile - 1) / tile); }

template <class Args> void launch(Queue &queue, const Kernel &kernel, Grid grid, const Args &args) {
    queue.launch(kernel, grid, &args, sizeof args);
}

// Pieces of a scratch block, one behind the other.
class ScratchLayout {
  public:
    std::size_t add(std::size_t bytes) {
        const std::size_t at = bytes_;
        bytes_ += (bytes + 255) / 256 * 256;
        return at;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::size_t bytes_ = 0;
};

} // namespace vmaf
