// The device of a session, and what was requested.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend_wish.hpp"
#include "session/device_stage.hpp"

namespace vmaf {

class SessionDevice {
  public:
    explicit SessionDevice(DevicePipeline::Receiver &receiver) : receiver_(receiver) {}

    void use(const DeviceChoice &choice);
    // All requests so far plus this one. Throws Error if it is too late or contradicts an earlier one.
    BackendWish with(const BackendWish &wish) const;
    void take(BackendWish wish) { wish_ = std::move(wish); }
    const BackendWish &wish() const { return wish_; }
    // The backend whose pinned features may be registered with such options. Impossible requests are reported at
    // registration.
    std::string active_backend(OptionTexts options) const;

    // Opens the requested device, if any; returns whether it did. Only once there are pictures: programs create
    // contexts that they never use.
    bool start_wished();
    // With `auto`, drops a device that cannot do the work.
    void prepare(const PictureFormat &format, const std::vector<DeviceStage::Candidate> &candidates);
    void make_final() { is_final_ = true; } // later requests are too late
    void close() { stage_.reset(); }

    DeviceStage *stage() const { return stage_.get(); } // null without a device
    DevicePipeline *pipeline() const { return stage_ ? stage_->pipeline() : nullptr; }
    bool may_come() const { return stage_ || wish_.needs_device(); }
    // Empty: it runs on the CPU.
    std::optional<DeviceStage::Place> place_of(const MetricUse &use) const {
        return stage_ ? stage_->place_of(use) : std::nullopt;
    }

  private:
    DevicePipeline::Receiver &receiver_;
    BackendWish wish_;
    std::unique_ptr<DeviceStage> stage_;
    bool is_final_ = false;
};

} // namespace vmaf
