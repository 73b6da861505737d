/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_METAL_H
#define VMAF_METAL_H

#include <stdint.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafMetalState VmafMetalState;

typedef struct VmafMetalConfiguration {
    int device_index; /* -1: the system's default device */
    int flags;
} VmafMetalConfiguration;

typedef struct VmafMetalExternalHandles {
    uintptr_t device;
    uintptr_t command_queue; /* 0: make one */
} VmafMetalExternalHandles;

int vmaf_metal_available(void);
int vmaf_metal_state_init(VmafMetalState **out, VmafMetalConfiguration cfg);
int vmaf_metal_state_init_external(VmafMetalState **out, VmafMetalExternalHandles handles);
int vmaf_metal_import_state(VmafContext *ctx, VmafMetalState *state);
void vmaf_metal_state_free(VmafMetalState **state);
int vmaf_metal_list_devices(void);
int vmaf_metal_picture_import(VmafMetalState *state, uintptr_t iosurface, unsigned plane, unsigned w, unsigned h,
                              unsigned bpc, int is_ref, unsigned index);
int vmaf_metal_wait_compute(VmafMetalState *state);
int vmaf_metal_read_imported_pictures(VmafContext *ctx, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
