// Runs a metric's device code on pictures in memory, for comparison with scalar code; and creates pictures.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/metric.hpp"
#include "support/device_cases.hpp"

namespace vmaf {

struct PicturePair {
    Picture ref, dist;
};

// Waves and noise, with zones that reach every branch: equal pictures, gain, inverted contrast, flat reference, ...
PicturePair texture_pair(const PictureFormat &format, unsigned seed);
// Black, white and random samples: reaches the overflows that the specifications mention.
PicturePair extreme_pair(const PictureFormat &format, unsigned seed);
// Two textures, extremes, swapped and equal pictures.
std::vector<PicturePair> pairs_for(const PictureFormat &format);

// Consecutive frames in device memory, with everything that a scorer needs.
class DeviceRun {
  public:
    DeviceRun(const DeviceScorer &scorer, const std::vector<PicturePair> &pairs, Device &device);

    DeviceBatch batch(unsigned first, unsigned last) const; // frames first .. last - 1
    Queue &queue() const { return *queue_; }
    // Call it when all frames are enqueued: by frame, per member of the family that the scorer serves.
    std::vector<std::vector<FrameResult>> results(std::size_t members);

  private:
    std::size_t place(unsigned frame, bool dist) const { return (2 * frame + dist) * picture_bytes_; }
    DeviceFrame::Planes planes_of(unsigned frame, bool dist, unsigned mask) const;

    const DeviceScorer &scorer_;
    PictureFormat format_;
    HostLayout layout_;
    Device &device_;
    unsigned count_;
    std::size_t picture_bytes_ = 0;
    std::unique_ptr<DeviceMemory> pictures_, staging_, scratch_, results_, host_results_;
    std::unique_ptr<Queue> queue_;
};

// `tiles`: also summed; null: none.
std::vector<FrameResult> results_on_cpu(const Metric &metric, const std::vector<PicturePair> &pairs, Isa isa,
                                        const TileGrid *tiles = nullptr);
// In two batches: one frame, then the rest.
std::vector<FrameResult> results_on_device(const Metric &metric, const std::vector<PicturePair> &pairs, Device &device,
                                           const TileGrid *tiles = nullptr);

// By frame, per family member. Throws Error if one scorer does not serve all.
std::vector<std::vector<FrameResult>> family_results_on_device(std::span<const Metric *const> members,
                                                               const std::vector<PicturePair> &pairs, Device &device);

// Scores the pairs on both. Empty if all figures agree as required, else the first difference.
std::string device_difference(const DeviceCase &c, const std::vector<PicturePair> &pairs, Device &device,
                              Isa isa = Isa::scalar);

} // namespace vmaf
