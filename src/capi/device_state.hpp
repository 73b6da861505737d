// Shared by the handles of all device headers (backends.md 13): lifetimes, import, device pictures.
#pragma once

#include <functional>
#include <optional>

#include "capi/context.hpp"
#include "device/picture_memory.hpp"

namespace vmaf::capi {

// The handle owns the device until a context takes it over, so a handle that is never freed keeps nothing alive.
class DeviceState {
  public:
    // Opens the device. Throws Error.
    explicit DeviceState(std::function<std::shared_ptr<Device>()> open);
    std::shared_ptr<Device> take();
    // The device, or null once neither the handle nor a context has it.
    std::shared_ptr<Device> device() const;

  private:
    std::function<std::shared_ptr<Device>()> open_;
    std::shared_ptr<Device> owned_;
    std::weak_ptr<Device> imported_;
};

// Opens a backend's device by index; -1: the first.
std::shared_ptr<Device> open_backend(std::string_view name, int index);

// vmaf_X_state_init: State is a DeviceState under another name.
template <class State> int init_state(State **out, std::function<std::shared_ptr<Device>()> open) {
    if (!out) return missing_argument();
    *out = nullptr;
    return guarded([&] { *out = new State(std::move(open)); });
}

// vmaf_X_import_state
int import_state(VmafContext *vmaf, DeviceState *state);

// vmaf_X_state_free for headers whose function clears the handle.
template <class State> void free_state(State **state) {
    if (!state) return;
    delete *state;
    *state = nullptr;
}

// vmaf_X_list_devices: prints a line per device. Returns their number or a negative errno value.
int list_devices(std::string_view backend);

// vmaf_X_preallocate_pictures; `memory`: where to allocate, empty for ordinary pictures.
int preallocate_pictures(VmafContext *vmaf, const PictureFormat &format, std::optional<Memory> memory);
int fetch_picture(VmafContext *vmaf, VmafPicture *pic);

} // namespace vmaf::capi
