// The device's part in a session: which metrics run there, and the pipeline that takes frames to them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "session/device_pipeline.hpp"
#include "session/metric_slot.hpp"
#include "session/session.hpp"

namespace vmaf {

class DeviceStage {
  public:
    DeviceStage(const DeviceChoice &choice, DevicePipeline::Receiver &receiver)
        : choice_(choice), receiver_(receiver) {}

    Device &device() const { return *choice_.device; }
    std::shared_ptr<Device> shared_device() const { return choice_.device; }
    std::string_view backend() const { return choice_.device->info().backend; }

    // A slot and its metric, made for the format of the pictures.
    struct Candidate {
        const MetricSlot *slot;
        const Metric *metric;
        const TileGrid *tiles = nullptr; // that it must add up, too
    };
    // Once: slots that can are given a place on the device, the log tells of the others. Throws Error where a pinned
    // one cannot, and where the device fails; nothing has changed then.
    void prepare(const PictureFormat &format, const std::vector<Candidate> &candidates);
    bool prepared() const { return prepared_; }

    // Which of the pipeline's scorers serves a slot; none: it runs on the CPU.
    std::optional<std::size_t> scorer_of(const MetricSlot &slot) const;
    std::size_t scorers() const { return slots_.size(); }
    DevicePipeline *pipeline() const { return pipeline_.get(); } // null if no metric runs on the device
    unsigned frames_in_flight() const { return frames_in_flight_; }
    bool has_scored() const;

    // A copy of a device picture in host memory. Chroma of our own pictures is zero (c-api.md 10).
    Picture download(const Picture &picture);

  private:
    DeviceChoice choice_;
    DevicePipeline::Receiver &receiver_;
    bool prepared_ = false;
    std::vector<const MetricSlot *> slots_; // by scorer
    unsigned frames_in_flight_ = 0;
    std::unique_ptr<DeviceMemory> download_memory_; // one picture's luma; made with the first download
    std::unique_ptr<Queue> download_queue_;
    std::unique_ptr<DevicePipeline> pipeline_;
};

} // namespace vmaf
