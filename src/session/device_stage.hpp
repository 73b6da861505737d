// The device's part in a session: which metrics run there, and the pipeline that takes frames to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/dispatch.hpp"
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

    // Which of the pipeline's scorers serves a slot, and its place among those that it serves. None: it runs on the
    // CPU.
    struct Place {
        std::size_t scorer, member;
    };
    std::optional<Place> place_of(const MetricSlot &slot) const;
    std::size_t scorers() const { return families_.size(); }
    std::size_t members(std::size_t scorer) const { return families_[scorer].size(); }
    DevicePipeline *pipeline() const { return pipeline_.get(); } // null if no metric runs on the device
    unsigned frames_in_flight() const { return frames_in_flight_; }
    bool has_scored() const;

    // A copy of a device picture in host memory. Chroma of our own pictures is zero (c-api.md 10).
    Picture download(const Picture &picture);

  private:
    struct Scorers;
    std::string try_on_device(const Candidate &candidate, Scorers &made) const;
    bool join_family(const Candidate &candidate, Dispatch dispatch, Scorers &made) const;

    DeviceChoice choice_;
    DevicePipeline::Receiver &receiver_;
    bool prepared_ = false;
    std::vector<std::vector<const MetricSlot *>> families_; // by scorer: those that it serves
    unsigned frames_in_flight_ = 0;
    std::unique_ptr<DeviceMemory> download_memory_; // one picture's luma; made with the first download
    std::unique_ptr<Queue> download_queue_;
    std::unique_ptr<DevicePipeline> pipeline_;
};

} // namespace vmaf
