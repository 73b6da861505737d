// What the handles of all device headers have in common (backends.md 13): lifetimes, import, pictures of a device.
#pragma once

#include <functional>
#include <optional>

#include "capi/context.hpp"
#include "device/picture_memory.hpp"

namespace vmaf::capi {

// The device belongs to the handle until a context takes it over: a handle that is never freed then keeps nothing.
class DeviceState {
  public:
    // Opens the device at once. Throws Error.
    explicit DeviceState(std::function<std::shared_ptr<Device>()> open);
    std::shared_ptr<Device> take();
    // The device, where the handle or a context still has it; else null.
    std::shared_ptr<Device> device() const;

  private:
    std::function<std::shared_ptr<Device>()> open_;
    std::shared_ptr<Device> owned_;
    std::weak_ptr<Device> imported_;
};

// A handle of a backend for a device of that index; -1: the first.
std::shared_ptr<Device> open_backend(std::string_view name, int index);

// vmaf_X_state_init: a State is a DeviceState with a name of its own.
template <class State> int init_state(State **out, std::function<std::shared_ptr<Device>()> open) {
    if (!out) return missing_argument();
    *out = nullptr;
    return guarded([&] { *out = new State(std::move(open)); });
}

// vmaf_X_import_state
int import_state(VmafContext *vmaf, DeviceState *state);

// vmaf_X_state_free of the headers that take the place of the handle.
template <class State> void free_state(State **state) {
    if (!state) return;
    delete *state;
    *state = nullptr;
}

// vmaf_X_list_devices: one line each on standard output. Their number, or a negative errno value.
int list_devices(std::string_view backend);

// vmaf_X_preallocate_pictures; memory: where pictures lie, nothing: ordinary pictures.
int preallocate_pictures(VmafContext *vmaf, const PictureFormat &format, std::optional<Memory> memory);
int fetch_picture(VmafContext *vmaf, VmafPicture *pic);

} // namespace vmaf::capi
