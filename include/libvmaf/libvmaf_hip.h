/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_H
#define VMAF_HIP_H

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafHipState VmafHipState;

typedef struct VmafHipConfiguration {
    int device_index; /* -1: the first device */
    int flags;        /* 0 */
} VmafHipConfiguration;

int vmaf_hip_available(void);
int vmaf_hip_state_init(VmafHipState **out, VmafHipConfiguration cfg);
int vmaf_hip_import_state(VmafContext *ctx, VmafHipState *state);
void vmaf_hip_state_free(VmafHipState **state);
int vmaf_hip_list_devices(void);

#ifdef __cplusplus
}
#endif

#endif
