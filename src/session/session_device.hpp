// The device of a session: what was asked for, and what came of it.
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
    // Everything that was asked for so far, and this. Throws Error where it comes too late or contradicts.
    BackendWish with(const BackendWish &wish) const;
    void take(BackendWish wish) { wish_ = std::move(wish); }
    const BackendWish &wish() const { return wish_; }
    // The backend whose pinned features may be registered with such options. Wishes that cannot be met are left to who
    // registers them.
    std::string active_backend(OptionTexts options) const;

    // Opens the device that was asked for, if there is to be one; true: now. Not before there are pictures: programs
    // make contexts that they never use.
    bool start_wished();
    // `auto` goes on without a device that cannot do what is wanted.
    void prepare(const PictureFormat &format, const std::vector<DeviceStage::Candidate> &candidates);
    void make_final() { is_final_ = true; } // what is asked for from now on comes too late
    void close() { stage_.reset(); }

    DeviceStage *stage() const { return stage_.get(); } // null without a device
    DevicePipeline *pipeline() const { return stage_ ? stage_->pipeline() : nullptr; }
    bool may_come() const { return stage_ || wish_.needs_device(); }
    // None: it runs on the CPU.
    std::optional<DeviceStage::Place> place_of(const MetricSlot &slot) const {
        return stage_ ? stage_->place_of(slot) : std::nullopt;
    }

  private:
    DevicePipeline::Receiver &receiver_;
    BackendWish wish_;
    std::unique_ptr<DeviceStage> stage_;
    bool is_final_ = false;
};

} // namespace vmaf
