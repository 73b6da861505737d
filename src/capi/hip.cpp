// libvmaf_hip.h in builds with HIP (backends.md 13.3).
#include "capi/device_state.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf_hip.h"
#pragma GCC visibility pop

using namespace vmaf;

struct VmafHipState : capi::DeviceState {
    using DeviceState::DeviceState;
};

int vmaf_hip_available(void) { return 1; }

int vmaf_hip_state_init(VmafHipState **out, VmafHipConfiguration cfg) {
    return capi::init_state(out, [cfg] {
        if (cfg.flags != 0) throw invalid("vmaf_hip_state_init: no flags are defined; set them to 0");
        return capi::open_backend("hip", cfg.device_index);
    });
}

int vmaf_hip_import_state(VmafContext *ctx, VmafHipState *state) { return capi::import_state(ctx, state); }

void vmaf_hip_state_free(VmafHipState **state) { capi::free_state(state); }

int vmaf_hip_list_devices(void) { return capi::list_devices("hip"); }
