// Every build exports the functions of all device headers (backends.md 13). Without the backend they return -ENOSYS
// before checking arguments, and set output pointers to NULL.
#include <cerrno>
#include <string>

#include "capi/context.hpp"
#include "config.h"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_sycl.h"
#pragma GCC visibility pop

namespace {

int not_built(const char *backend) {
    return vmaf::capi::refused((std::string("this libvmaf was built without ") + backend + " support").c_str(), ENOSYS);
}

template <class T> int absent(const char *backend, T **out) {
    if (out) *out = nullptr;
    return not_built(backend);
}

template <class T> void clear(T **state) {
    if (state) *state = nullptr;
}

} // namespace

#if !VMAF_ENABLE_CUDA
int vmaf_cuda_available(void) { return 0; }
int vmaf_cuda_state_init(VmafCudaState **out, VmafCudaConfiguration) { return absent("cuda", out); }
int vmaf_cuda_import_state(VmafContext *, VmafCudaState *) { return not_built("cuda"); }
int vmaf_cuda_state_free(VmafCudaState *) { return not_built("cuda"); }
int vmaf_cuda_preallocate_pictures(VmafContext *, VmafCudaPictureConfiguration) { return not_built("cuda"); }
int vmaf_cuda_fetch_preallocated_picture(VmafContext *, VmafPicture *) { return not_built("cuda"); }
#endif

#if !VMAF_ENABLE_SYCL
int vmaf_sycl_state_init(VmafSyclState **out, VmafSyclConfiguration) { return absent("sycl", out); }
int vmaf_sycl_import_state(VmafContext *, VmafSyclState *) { return not_built("sycl"); }
void vmaf_sycl_state_free(VmafSyclState **state) { clear(state); }
int vmaf_sycl_list_devices(void) { return not_built("sycl"); }
int vmaf_sycl_preallocate_pictures(VmafContext *, VmafSyclPictureConfiguration) { return not_built("sycl"); }
int vmaf_sycl_picture_fetch(VmafContext *, VmafPicture *) { return not_built("sycl"); }
int vmaf_sycl_init_frame_buffers(VmafContext *, unsigned, unsigned, unsigned) { return not_built("sycl"); }
int vmaf_sycl_get_frame_buffers(VmafContext *, void **ref, void **dis) {
    absent("sycl", ref);
    return absent("sycl", dis);
}
int vmaf_read_pictures_sycl(VmafContext *, unsigned) { return not_built("sycl"); }
int vmaf_sycl_wait_compute(VmafContext *) { return not_built("sycl"); }
int vmaf_flush_sycl(VmafContext *) { return not_built("sycl"); }
int vmaf_sycl_dmabuf_import(VmafSyclState *, int, size_t, void **out) { return absent("sycl", out); }
void vmaf_sycl_dmabuf_free(VmafSyclState *, void *) {}
int vmaf_sycl_import_va_surface(VmafSyclState *, void *, unsigned int, int, unsigned, unsigned, unsigned) {
    return not_built("sycl");
}
int vmaf_sycl_import_d3d11_surface(VmafSyclState *, void *, void *, unsigned, int, unsigned, unsigned, unsigned) {
    return not_built("sycl");
}
int vmaf_sycl_upload_plane(VmafSyclState *, const void *, unsigned, int, unsigned, unsigned, unsigned) {
    return not_built("sycl");
}
int vmaf_sycl_profiling_enable(VmafSyclState *) { return not_built("sycl"); }
void vmaf_sycl_profiling_disable(VmafSyclState *) {}
void vmaf_sycl_profiling_print(VmafSyclState *) {}
int vmaf_sycl_profiling_get_string(VmafSyclState *, char **out) { return absent("sycl", out); }
#endif

#if !VMAF_ENABLE_HIP
int vmaf_hip_available(void) { return 0; }
int vmaf_hip_state_init(VmafHipState **out, VmafHipConfiguration) { return absent("hip", out); }
int vmaf_hip_import_state(VmafContext *, VmafHipState *) { return not_built("hip"); }
void vmaf_hip_state_free(VmafHipState **state) { clear(state); }
int vmaf_hip_list_devices(void) { return not_built("hip"); }
#endif

#if !VMAF_ENABLE_METAL
int vmaf_metal_available(void) { return 0; }
int vmaf_metal_state_init(VmafMetalState **out, VmafMetalConfiguration) { return absent("metal", out); }
int vmaf_metal_state_init_external(VmafMetalState **out, VmafMetalExternalHandles) { return absent("metal", out); }
int vmaf_metal_import_state(VmafContext *, VmafMetalState *) { return not_built("metal"); }
void vmaf_metal_state_free(VmafMetalState **state) { clear(state); }
int vmaf_metal_list_devices(void) { return not_built("metal"); }
int vmaf_metal_picture_import(VmafMetalState *, uintptr_t, unsigned, unsigned, unsigned, unsigned, int, unsigned) {
    return not_built("metal");
}
int vmaf_metal_wait_compute(VmafMetalState *) { return not_built("metal"); }
int vmaf_metal_read_imported_pictures(VmafContext *, unsigned) { return not_built("metal"); }
#endif
