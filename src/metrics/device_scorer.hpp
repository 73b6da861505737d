// The pixel work of a metric on a device: enqueues work for a batch of frames, and later converts the
// results to the FrameResult that FrameScorer::measure() fills. docs/development/gpu.md shows how to write
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/device.hpp"
#include "metrics/metric.hpp"

namespace vmaf {

inline constexpr unsigned kMaxBatch = kernels::kMaxFrames;

// `count` values of T in a scorer's memory per frame.
template <class T> struct Piece {
    std::size_t offset = 0; // bytes
};

// A scorer's memory for each frame of a batch.
class FrameMemory {
  public:
    template <class T> Piece<T> add(std::size_t count) {
        const Piece<T> piece{bytes_};
        bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return piece;
    }
    std::size_t bytes() const { return bytes_; } // per frame

  private:
    static constexpr std::size_t kAlignment = 64;
    std::size_t bytes_ = 0;
};

// The planes that a scorer reads, a bit each. Only these are uploaded.
struct PlaneUse {
    unsigned ref = 1, dist = 1, earlier_ref = 0, earlier_dist = 0;
};

// A frame of a batch: planes in device memory, all with the pitches of the batch. Planes that no metric reads, and
// missing earlier pictures, are null.
struct DeviceFrame {
    using Planes = std::array<const std::byte *, 3>;
    unsigned index = 0;
    Planes ref{}, dist{};
    std::array<Planes, 2> earlier_ref{}, earlier_dist{}; // of the previous frame, and of the one before it
};

struct DeviceBatch {
    std::array<DeviceFrame, kMaxBatch> frames;
    unsigned count = 0;
    std::array<std::ptrdiff_t, 3> pitch_bytes{};
    unsigned bytes_per_sample = 1;
    std::byte *scratch = nullptr, *results = nullptr; // of this scorer, in the first frame
    std::size_t scratch_stride = 0, results_stride = 0;

    template <class T> kernels::FrameArray<T> scratch_of(Piece<T> piece) const {
        return {reinterpret_cast<T *>(scratch + piece.offset), scratch_stride / sizeof(T)};
    }
    template <class T> kernels::FrameArray<T> results_of(Piece<T> piece) const {
        return {reinterpret_cast<T *>(results + piece.offset), results_stride / sizeof(T)};
    }
    int pitch(unsigned plane) const { // samples
        return static_cast<int>(pitch_bytes[plane]) / static_cast<int>(bytes_per_sample);
    }
    // Plane `plane` of both pictures of every frame.
    kernels::PicturePlanes planes(unsigned plane) const {
        kernels::PicturePlanes out{};
        for (unsigned i = 0; i < count; i++) {
            out.ref.plane[i] = frames[i].ref[plane];
            out.dist.plane[i] = frames[i].dist[plane];
        }
        out.pitch = pitch(plane);
        return out;
    }
};

// The device's results for one frame.
struct DeviceResult {
    unsigned index;
    const std::byte *data;
    template <class T> const T *of(Piece<T> piece) const { return reinterpret_cast<const T *>(data + piece.offset); }
};

class DeviceScorer {
  public:
    virtual ~DeviceScorer() = default;
    const FrameMemory &scratch() const { return scratch_; }
    const FrameMemory &results() const { return results_; }
    const PlaneUse &planes() const { return planes_; }
    bool has_long_chains() const { return has_long_chains_; }
    // Throws Error if a frame cannot be scored.
    virtual void enqueue(Queue &queue, const DeviceBatch &batch) const = 0;
    // Throws Error if the frame has no scores.
    virtual void collect(const DeviceResult &from, FrameResult &result) const = 0;
    // For a family: results[i] belongs to member i. The default suits families whose late options only emit() reads.
    virtual void collect_family(const DeviceResult &from, std::span<FrameResult> results) const {
        collect(from, results[0]);
        for (FrameResult &other : results.subspan(1)) other = results[0];
    }

  protected:
    // Set by constructors.
    FrameMemory scratch_; // cleared once at first, then as the scorer left it
    FrameMemory results_; // cleared before every batch, copied to the host after it
    PlaneUse planes_;
    bool has_long_chains_ = false; // few threads work for long: more concurrent batches fill the device
};

// The number of blocks that cover `size` samples.
constexpr unsigned blocks_for(int size, int tile) { return static_cast<unsigned>((size + tile - 1) / tile); }

// Throws Error if host and device disagree about the kernel's arguments.
void check_arguments(const LoadedKernel &kernel, std::size_t args_bytes);

template <class Args> void launch(Queue &queue, const LoadedKernel &kernel, Grid grid, const Args &args) {
    check_arguments(kernel, sizeof args);
    queue.launch(kernel, grid, &args, sizeof args);
}
// Launches as many blocks as cover width x height samples of `frames` frames.
template <class Args>
void launch_tiles(Queue &queue, const LoadedKernel &kernel, int width, int height, unsigned frames, const Args &args) {
    launch(queue, kernel,
           {blocks_for(width, kernel.shape.tile_width), blocks_for(height, kernel.shape.tile_height), frames}, args);
}

// Copies a table to device memory.
std::unique_ptr<DeviceMemory> upload_table(Device &device, const void *data, std::size_t bytes);

} // namespace vmaf
