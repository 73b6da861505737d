/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SYCL_H
#define VMAF_SYCL_H

#include <stddef.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafSyclState VmafSyclState;

typedef struct VmafSyclConfiguration {
    int device_index; /* -1: the runtime's default device */
    int enable_profiling;
} VmafSyclConfiguration;

enum VmafSyclPicturePreallocationMethod {
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE = 1,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST = 2
};

typedef struct VmafSyclPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafSyclPicturePreallocationMethod pic_prealloc_method;
} VmafSyclPictureConfiguration;

int vmaf_sycl_state_init(VmafSyclState **state, VmafSyclConfiguration cfg);
int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state);
void vmaf_sycl_state_free(VmafSyclState **state);
int vmaf_sycl_list_devices(void);
int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg);
int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc);
int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis);
int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index);
int vmaf_sycl_wait_compute(VmafContext *vmaf);
int vmaf_flush_sycl(VmafContext *vmaf);

int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr);
void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr);
int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display, unsigned int va_surface, int is_ref, unsigned w,
                                unsigned h, unsigned bpc);
/* Of Windows; exported everywhere. */
int vmaf_sycl_import_d3d11_surface(VmafSyclState *state, void *d3d11_device, void *d3d11_texture, unsigned subresource,
                                   int is_ref, unsigned w, unsigned h, unsigned bpc);
int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch, int is_ref, unsigned w, unsigned h,
                           unsigned bpc);

int vmaf_sycl_profiling_enable(VmafSyclState *state);
void vmaf_sycl_profiling_disable(VmafSyclState *state);
void vmaf_sycl_profiling_print(VmafSyclState *state);
int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **output);

#ifdef __cplusplus
}
#endif

#endif
