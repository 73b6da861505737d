// libvmaf_metal.h in builds with Metal (backends.md 13.4).
#include "capi/device_state.hpp"
#include "device/metal/metal_device.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf_metal.h"
#pragma GCC visibility pop

using namespace vmaf;

struct VmafMetalState : capi::DeviceState {
    using DeviceState::DeviceState;
};

namespace {

Device &device_of(const VmafMetalState &state, std::shared_ptr<Device> &keep) {
    keep = state.device();
    if (!keep) throw invalid("the contexts that used this state are closed; import it again");
    return *keep;
}

} // namespace

int vmaf_metal_available(void) { return 1; }

int vmaf_metal_state_init(VmafMetalState **out, VmafMetalConfiguration cfg) {
    return capi::init_state(out, [index = cfg.device_index] { return capi::open_backend("metal", index); });
}

int vmaf_metal_state_init_external(VmafMetalState **out, VmafMetalExternalHandles handles) {
    return capi::init_state(out, [handles] { return open_metal_device_of(handles.device, handles.command_queue); });
}

int vmaf_metal_import_state(VmafContext *ctx, VmafMetalState *state) { return capi::import_state(ctx, state); }

void vmaf_metal_state_free(VmafMetalState **state) { capi::free_state(state); }

int vmaf_metal_list_devices(void) { return capi::list_devices("metal"); }

int vmaf_metal_picture_import(VmafMetalState *state, uintptr_t iosurface, unsigned plane, unsigned w, unsigned h,
                              unsigned bpc, int is_ref, unsigned index) {
    if (!state || !iosurface) return capi::missing_argument();
    return capi::guarded([&] {
        std::shared_ptr<Device> device;
        import_surface(device_of(*state, device), iosurface, plane, w, h, bpc, is_ref != 0, index);
    });
}

int vmaf_metal_wait_compute(VmafMetalState *state) {
    if (!state) return capi::missing_argument();
    return capi::guarded([&] {
        std::shared_ptr<Device> device;
        wait_for_metal(device_of(*state, device));
    });
}

int vmaf_metal_read_imported_pictures(VmafContext *ctx, unsigned index) {
    if (!ctx || !ctx->device) return capi::refused("no device was imported into the context");
    return capi::guarded(*ctx, [&] {
        auto [ref, dist] = imported_pictures(*ctx->device).take(index);
        ctx->session.read(std::move(ref), std::move(dist), index);
    });
}
