// Replaces the CUDA functions of libvmaf: records every call and returns ordinary pictures. The tests preload it into
// ffmpeg. RECORDER_REFUSE holds the error of vmaf_cuda_state_init.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "libvmaf/libvmaf_cuda.h"

struct VmafCudaState {
    int unused;
};

static VmafCudaPictureConfiguration pool;

static void record(const char *line) {
    FILE *file = fopen(getenv("RECORDER"), "a");
    fprintf(file, "%s\n", line);
    fclose(file);
}

int vmaf_cuda_state_init(VmafCudaState **state, VmafCudaConfiguration cfg) {
    const char *refuse = getenv("RECORDER_REFUSE");
    record(cfg.cu_ctx ? "init with a context" : "init");
    if (refuse) return atoi(refuse);
    *state = calloc(1, sizeof(**state));
    return 0;
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *state) {
    record(vmaf && state ? "import" : "import of nothing");
    return 0;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg) {
    char line[128];
    (void)vmaf;
    pool = cfg;
    snprintf(line, sizeof(line), "preallocate %ux%u depth %u format %d method %d", cfg.pic_params.w, cfg.pic_params.h,
             cfg.pic_params.bpc, (int)cfg.pic_params.pix_fmt, (int)cfg.pic_prealloc_method);
    record(line);
    return 0;
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic) {
    (void)vmaf;
    record("fetch");
    return vmaf_picture_alloc(pic, pool.pic_params.pix_fmt, pool.pic_params.bpc, pool.pic_params.w, pool.pic_params.h);
}

int vmaf_cuda_state_free(VmafCudaState *state) {
    if (state) record("free");
    free(state);
    return 0;
}

int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model) {
    int (*next)(VmafContext *, VmafModel *) = dlsym(RTLD_NEXT, "vmaf_use_features_from_model");
    record("model");
    return next(vmaf, model);
}

int vmaf_close(VmafContext *vmaf) {
    int (*next)(VmafContext *) = dlsym(RTLD_NEXT, "vmaf_close");
    record("close");
    return next(vmaf);
}
