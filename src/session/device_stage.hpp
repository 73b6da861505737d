// The device's part of a session: which metrics run there, and their pipeline.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/dispatch.hpp"
#include "session/device_pipeline.hpp"
#include "session/metric_use.hpp"
#include "session/session.hpp"

namespace vmaf {

class DeviceStage {
  public:
    DeviceStage(const DeviceChoice &choice, DevicePipeline::Receiver &receiver)
        : choice_(choice), receiver_(receiver) {}

    Device &device() const { return *choice_.device; }
    std::shared_ptr<Device> shared_device() const { return choice_.device; }
    std::string_view backend() const { return choice_.device->info().backend; }

    // A use and its metric, created for the picture format.
    struct Candidate {
        const MetricUse *use;
        const Metric *metric;
        const TileGrid *tiles = nullptr; // if it must also be summed by tile
    };
    // Called once: moves uses to the device if possible, and logs the others. Throws Error if a pinned one cannot move
    // or the device fails; nothing has changed then.
    void prepare(const PictureFormat &format, const std::vector<Candidate> &candidates);
    bool prepared() const { return prepared_; }

    // The pipeline scorer that serves a use, and the use's index within it. Empty: runs on the
    // CPU.
    struct Place {
        std::size_t scorer, member;
    };
    std::optional<Place> place_of(const MetricUse &use) const;
    std::size_t scorers() const { return families_.size(); }
    std::size_t members(std::size_t scorer) const { return families_[scorer].size(); }
    DevicePipeline *pipeline() const { return pipeline_.get(); } // null if no metric runs on the device
    unsigned frames_in_flight() const { return frames_in_flight_; }
    bool has_scored() const;

    // Copies a device picture to host memory. The chroma of our own pictures is zero (c-api.md 10).
    Picture download(const Picture &picture);

  private:
    struct Scorers;
    std::string try_on_device(const Candidate &candidate, Scorers &made) const;
    bool join_family(const Candidate &candidate, Dispatch dispatch, Scorers &made) const;

    DeviceChoice choice_;
    DevicePipeline::Receiver &receiver_;
    bool prepared_ = false;
    std::vector<std::vector<const MetricUse *>> families_; // per scorer: the uses that it serves
    unsigned frames_in_flight_ = 0;
    std::unique_ptr<DeviceMemory> download_memory_; // one picture's luma; allocated with the first download
    std::unique_ptr<Queue> download_queue_;
    std::unique_ptr<DevicePipeline> pipeline_;
};

} // namespace vmaf
