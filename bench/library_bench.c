/* Frames per second through the C API with CUDA, as a client like FFmpeg sees it.
 *
 *   library_bench WIDTH HEIGHT BITS FRAMES pinned|device|host|cpu [THREADS]
 *                 [feature=NAME|model=VERSION|scene=bands|cells=SIZE]...
 *
 * Default: the default model. `cells`: with a map of the last model. Scenes: texture with noise,
 * or only bands of neighbouring codes.
 *
 * Pictures come from vmaf_cuda_fetch_preallocated_picture(); their content is written once, before timing.
 * Prints frames/s to the end of the flush, and the time of predicting and pooling. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/turbo.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(int result, const char *what) {
    if (result) {
        fprintf(stderr, "library_bench: %s returned %d\n", what, result);
        exit(1);
    }
}

static size_t plane_bytes(const VmafPicture *pic, unsigned p) { return (size_t)pic->stride[p] * pic->h[p]; }

static int is_banded; /* the scene */

/* Waves and noise, or bands; `variant` distinguishes the distorted and the next picture. */
static unsigned char *content(const VmafPicture *pic, unsigned p, unsigned variant) {
    unsigned char *out = calloc(1, plane_bytes(pic, p));
    uint32_t state = 12345 + variant / 2 + 7 * p;
    for (unsigned y = 0; y < pic->h[p]; y++)
        for (unsigned x = 0; x < pic->w[p]; x++) {
            state = state * 1664525u + 1013904223u;
            unsigned v = ((x * 3 + y * 2 + variant / 2 * 40) ^ (x * y >> 6)) & 127;
            v += (state >> 28) + 40 + (variant & 1 ? (state >> 26 & 7) : 0);
            if (is_banded) v = 50 + (x + 2 * y + variant * 5) / 28;
            if (pic->bpc > 8)
                ((uint16_t *)(out + (size_t)y * (size_t)pic->stride[p]))[x] = (uint16_t)(v << (pic->bpc - 8));
            else
                out[(size_t)y * (size_t)pic->stride[p] + x] = (unsigned char)v;
        }
    return out;
}

typedef int (*CopyToDevice)(uintptr_t, const void *, size_t);
typedef int (*Retain)(void **, int);
typedef int (*Push)(void *);
static CopyToDevice copy_to_device;

static void write_plane(VmafPicture *pic, unsigned p, const unsigned char *from, int on_device) {
    if (on_device)
        need(copy_to_device((uintptr_t)pic->data[p], from, plane_bytes(pic, p)), "cuMemcpyHtoD");
    else
        memcpy(pic->data[p], from, plane_bytes(pic, p));
}

/* Writes every picture once, on first use. */
static void *known[4096];
static unsigned known_count;

static void give_content(VmafPicture *pic, unsigned char *contents[4][3], int on_device) {
    for (unsigned i = 0; i < known_count; i++)
        if (known[i] == pic->data[0]) return;
    const unsigned variant = known_count % 4;
    known[known_count++] = pic->data[0];
    for (unsigned p = 0; p < 3; p++) {
        if (!contents[variant][p]) contents[variant][p] = content(pic, p, variant);
        write_plane(pic, p, contents[variant][p], on_device);
    }
}

static VmafModel *use_model(VmafContext *vmaf, const char *version) {
    VmafModel *model;
    VmafModelConfig config = {.name = version};
    need(vmaf_model_load(&model, &config, version), "vmaf_model_load");
    need(vmaf_use_features_from_model(vmaf, model), "vmaf_use_features_from_model");
    return model;
}

static void count_cells(void *user, const VmafTurboCells *cells) { *(unsigned *)user += (unsigned)cells->columns; }

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: library_bench WIDTH HEIGHT BITS FRAMES pinned|device|host|cpu [THREADS] "
                        "[feature=NAME|model=VERSION|scene=bands|cells=SIZE]...\n");
        return 2;
    }
    const unsigned w = (unsigned)atoi(argv[1]), h = (unsigned)atoi(argv[2]), bpc = (unsigned)atoi(argv[3]);
    const unsigned frames = (unsigned)atoi(argv[4]);
    const char *kind = argv[5];
    const int cpu = !strcmp(kind, "cpu"), on_device = !strcmp(kind, "device");
    VmafConfiguration config = {.log_level = VMAF_LOG_LEVEL_WARNING,
                                .n_threads = argc > 6 ? (unsigned)atoi(argv[6]) : 0};
    VmafContext *vmaf;
    need(vmaf_init(&vmaf, config), "vmaf_init");
    VmafCudaState *state = NULL;
    if (!cpu) {
        VmafCudaConfiguration cuda = {NULL};
        need(vmaf_cuda_state_init(&state, cuda), "vmaf_cuda_state_init");
        need(vmaf_cuda_import_state(vmaf, state), "vmaf_cuda_import_state");
        VmafCudaPictureConfiguration pictures;
        memset(&pictures, 0, sizeof pictures);
        pictures.pic_params.w = w;
        pictures.pic_params.h = h;
        pictures.pic_params.bpc = bpc;
        pictures.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
        pictures.pic_prealloc_method = on_device                 ? VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE
                                       : !strcmp(kind, "pinned") ? VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED
                                                                 : VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST;
        need(vmaf_cuda_preallocate_pictures(vmaf, pictures), "vmaf_cuda_preallocate_pictures");
    } else {
        VmafPictureConfiguration pictures;
        memset(&pictures, 0, sizeof pictures);
        pictures.pic_params.w = w;
        pictures.pic_params.h = h;
        pictures.pic_params.bpc = bpc;
        pictures.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
        pictures.pic_cnt = 64;
        need(vmaf_preallocate_pictures(vmaf, pictures), "vmaf_preallocate_pictures");
    }
    if (on_device) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
        if (!library || !(copy_to_device = (CopyToDevice)dlsym(library, "cuMemcpyHtoD_v2"))) return 1;
        need(((Retain)dlsym(library, "cuDevicePrimaryCtxRetain"))(&context, 0), "cuDevicePrimaryCtxRetain");
        need(((Push)dlsym(library, "cuCtxPushCurrent_v2"))(context), "cuCtxPushCurrent");
    }
    VmafModel *model = NULL; /* the last one */
    char label[256] = "";
    unsigned columns = 0;
    VmafTurboMap map = {.size = sizeof map, .on_cells = count_cells, .user = &columns};
    for (int i = 6; i < argc; i++) {
        const char *name = strchr(argv[i], '=');
        if (!name) continue; /* THREADS */
        snprintf(label + strlen(label), sizeof label - strlen(label), " %s", name + 1);
        if (!strcmp(argv[i], "scene=bands"))
            is_banded = 1;
        else if (!strncmp(argv[i], "cells=", 6))
            map.cell = atoi(name + 1);
        else if (!strncmp(argv[i], "feature=", 8))
            need(vmaf_use_feature(vmaf, name + 1, NULL), "vmaf_use_feature");
        else
            model = use_model(vmaf, name + 1);
    }
    if (!label[0] || (map.cell && !model)) model = use_model(vmaf, "vmaf_v0.6.1");
    map.model = model;
    if (map.cell) need(vmaf_turbo_use_map(vmaf, &map), "vmaf_turbo_use_map");

    unsigned char *contents[4][3] = {{0}};
    const unsigned warm = frames / 5;
    double start = now();
    for (unsigned i = 0; i < frames; i++) {
        VmafPicture pair[2];
        for (unsigned k = 0; k < 2; k++) {
            need(cpu ? vmaf_fetch_preallocated_picture(vmaf, &pair[k])
                     : vmaf_cuda_fetch_preallocated_picture(vmaf, &pair[k]),
                 "fetching a picture");
            give_content(&pair[k], contents, on_device);
        }
        need(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i), "vmaf_read_pictures");
        if (i + 1 == warm) {
            double ignored;
            vmaf_feature_score_at_index(vmaf, "VMAF_integer_feature_vif_scale0_score", &ignored, i);
            start = now();
        }
    }
    need(vmaf_read_pictures(vmaf, NULL, NULL, 0), "flush");
    const double seconds = now() - start;
    printf("%ux%u %u bit, %s%s: %.0f frames/s, %.2f us per frame", w, h, bpc, kind, label, (frames - warm) / seconds,
           seconds / (frames - warm) * 1e6);
    if (model) {
        double score = 0;
        const double before = now();
        need(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1), "vmaf_score_pooled");
        printf("; predictions took %.2f us per frame", (now() - before) / frames * 1e6);
        vmaf_model_destroy(model);
    }
    printf("\n");
    vmaf_close(vmaf);
    if (!cpu) vmaf_cuda_state_free(state);
    return 0;
}
