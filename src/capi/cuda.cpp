// libvmaf_cuda.h in builds with CUDA (c-api.md 10, backends.md 13.1).
#include <cstring>

#include "capi/context.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/dispatch.hpp"
#include "device/picture_memory.hpp"
#include "session/device_pipeline.hpp"
#include "session/extractor_name.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf_cuda.h"
#pragma GCC visibility pop

using namespace vmaf;

// The device belongs to the handle until a context takes it over: a handle that is never freed then keeps nothing.
struct VmafCudaState {
    void *callers_context = nullptr;
    std::shared_ptr<Device> owned;
    std::weak_ptr<Device> imported;
};

namespace {

std::shared_ptr<Device> take_device(VmafCudaState &state) {
    std::shared_ptr<Device> device = std::move(state.owned);
    if (!device) device = state.imported.lock();
    if (!device) device = open_cuda_device(state.callers_context); // the first context is closed
    state.imported = device;
    return device;
}

} // namespace

int vmaf_cuda_available(void) { return 1; }

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg) {
    if (!cu_state) return -EINVAL;
    *cu_state = nullptr;
    return capi::guarded([&] {
        cuda::DispatchTable::of_process(plain_extractor_name);
        auto state = std::make_unique<VmafCudaState>();
        state->callers_context = cfg.cu_ctx;
        state->owned = open_cuda_device(cfg.cu_ctx);
        *cu_state = state.release();
    });
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state) {
    if (!vmaf || !cu_state) return -EINVAL;
    return capi::guarded([&] {
        if (vmaf->device) throw invalid("a context works with one device; it has one already");
        std::shared_ptr<Device> device = take_device(*cu_state);
        vmaf->session.use_device({.device = device, .is_explicit = true});
        vmaf->device = std::move(device);
    });
}

int vmaf_cuda_state_free(VmafCudaState *cu_state) {
    delete cu_state;
    return 0;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg) {
    if (!vmaf || !vmaf->device || vmaf->device_pictures.is_set || vmaf->session.is_inside_handler()) return -EINVAL;
    const auto &p = cfg.pic_params;
    const int method = capi::value_of(cfg.pic_prealloc_method);
    if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE) {
        vmaf->device_pictures.is_set = true;
        return 0;
    }
    if (method < 0 || method > VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED) return -EINVAL;
    if (!p.w || !p.h || !p.bpc || capi::value_of(p.pix_fmt) == VMAF_PIX_FMT_UNKNOWN) return -EINVAL;
    return capi::guarded([&] {
        const PictureFormat format = capi::format_of(p);
        auto &pictures = vmaf->device_pictures;
        const PictureRing ring = PictureRing::for_pictures(format);
        switch (method) {
        case VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE:
            pictures.pool =
                std::make_unique<PicturePool>(format, ring.first, device_memory(vmaf->device, Memory::device));
            break;
        case VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED:
            pictures.pool =
                std::make_unique<PicturePool>(format, ring.first, device_memory(vmaf->device, Memory::pinned_host));
            break;
        default: pictures.pool = std::make_unique<PicturePool>(format, ring.first); break;
        }
        pictures.limit = ring.limit;
        pictures.is_set = true;
    });
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic) {
    if (!vmaf || !pic || !vmaf->device_pictures.pool || vmaf->session.is_inside_handler()) return -EINVAL;
    return capi::guarded([&] {
        auto &pictures = vmaf->device_pictures;
        capi::export_picture(pictures.pool->fetch_within(pictures.limit), pic);
    });
}
