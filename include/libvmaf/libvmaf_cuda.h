/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_H
#define VMAF_CUDA_H

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafCudaState VmafCudaState;

typedef struct VmafCudaConfiguration {
    void *cu_ctx; /* a CUcontext that stays the caller's; NULL: the primary context of device 0 */
} VmafCudaConfiguration;

enum VmafCudaPicturePreallocationMethod {
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE = 1,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST = 2,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED = 3
};

typedef struct VmafCudaPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

/* 1 if this library was built with CUDA. Does not touch the driver. */
int vmaf_cuda_available(void);

/* Loads the driver and opens a device. Import the state before registering features. */
int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg);
int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state);

/* Frees the handle, before or after vmaf_close(). NULL is fine. */
int vmaf_cuda_state_free(VmafCudaState *cu_state);

/* Pictures in device or page-locked memory. Fetching waits until one is free. */
int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg);
int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
