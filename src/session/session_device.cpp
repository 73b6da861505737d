#include "session/session_device.hpp"

#include <utility>

#include "base/error.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

// Throws if the backend is unavailable or contradicts the given device.
void check_wish(const BackendWish &wish, const DeviceInfo *device) {
    if (!device || wish.empty()) return wish.check();
    if ((!wish.is_auto() && wish.backend != device->backend) || (wish.device && *wish.device != device->index))
        throw invalid("turbo.backend=" + wish.backend + " contradicts the " + device->backend + " device " +
                      std::to_string(device->index) + " that the program has chosen");
}

} // namespace

void SessionDevice::use(const DeviceChoice &choice) {
    if (stage_) throw invalid("the session already uses a device; create another session");
    check_wish(wish_, &choice.device->info());
    stage_ = std::make_unique<DeviceStage>(choice, receiver_);
}

BackendWish SessionDevice::with(const BackendWish &wish) const {
    BackendWish all = wish_;
    all.add(wish);
    if (all == wish_) return all;
    if (is_final_ && !stage_ && all.needs_device())
        throw invalid("turbo.backend is set too late: choose a backend before the first pictures");
    check_wish(all, stage_ ? &stage_->device().info() : nullptr);
    return all;
}

std::string SessionDevice::active_backend(OptionTexts options) const {
    if (stage_) return std::string(stage_->backend());
    try {
        const BackendWish wish = with(BackendWish::take_from(options));
        if (wish.needs_device()) return wish.backend;
    } catch (const Error &) {
    }
    return "cpu";
}

bool SessionDevice::start_wished() {
    if (stage_ || is_final_ || !wish_.needs_device()) return false;
    std::shared_ptr<Device> device = open_wished_device(wish_);
    if (!device) {
        log(LogLevel::info, "computing on the CPU: turbo.backend=auto found no GPU that can be used");
        return false;
    }
    log(LogLevel::info, "computing on " + device->info().backend + " device " + std::to_string(device->info().index) +
                            ": " + device->info().name);
    stage_ = std::make_unique<DeviceStage>(DeviceChoice{std::move(device), !wish_.is_auto()}, receiver_);
    return true;
}

void SessionDevice::prepare(const PictureFormat &format, const std::vector<DeviceStage::Candidate> &candidates) {
    if (!stage_) return;
    try {
        stage_->prepare(format, candidates);
    } catch (const Error &e) {
        if (!wish_.is_auto()) throw;
        log(LogLevel::info, std::string(stage_->backend()) + " not usable: " + e.brief() + "; using cpu");
        stage_.reset();
    }
}

} // namespace vmaf
