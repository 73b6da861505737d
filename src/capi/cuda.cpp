// libvmaf_cuda.h in builds with CUDA (c-api.md 10, backends.md 13.1).
#include "capi/device_state.hpp"
#include "device/cuda/cuda_device.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf_cuda.h"
#pragma GCC visibility pop

using namespace vmaf;

struct VmafCudaState : capi::DeviceState {
    using DeviceState::DeviceState;
};

int vmaf_cuda_available(void) { return 1; }

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg) {
    return capi::init_state(cu_state, [context = cfg.cu_ctx] { return open_cuda_device(context); });
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state) { return capi::import_state(vmaf, cu_state); }

int vmaf_cuda_state_free(VmafCudaState *cu_state) {
    delete cu_state;
    return 0;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg) {
    if (!vmaf || !vmaf->device || vmaf->device_pictures.is_set || vmaf->session.is_inside_handler())
        return capi::refused(capi::kNoNewPool);
    const auto &p = cfg.pic_params;
    const int method = capi::value_of(cfg.pic_prealloc_method);
    if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE) {
        vmaf->device_pictures.is_set = true;
        return 0;
    }
    if (method < 0 || method > VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED)
        return capi::refused("unknown preallocation method");
    if (!p.w || !p.h || !p.bpc || capi::value_of(p.pix_fmt) == VMAF_PIX_FMT_UNKNOWN)
        return capi::refused("preallocated pictures need a size, a bit depth and a pixel format");
    std::optional<Memory> memory;
    if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE) memory = Memory::device;
    if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED) memory = Memory::pinned_host;
    return capi::preallocate_pictures(vmaf, capi::format_of(p), memory);
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic) { return capi::fetch_picture(vmaf, pic); }
