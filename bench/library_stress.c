/* Stress tests of the C API with CUDA.
 *
 *   library_stress cycles N            N consecutive contexts; memory of host and device must not grow
 *   library_stress contexts N FRAMES   N concurrent contexts, a thread each; all must give the same score as one alone
 *   library_stress mixes N FEATURE...  like cycles, with random sizes, depths and one to four of these features
 *   library_stress init                starts the driver and a context, then exits
 *   library_stress hog MIB             allocates the device's memory except MIB, then waits until its input ends
 *
 * Exits with 1 on failure. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"

static void need(int result, const char *what) {
    if (result) {
        fprintf(stderr, "library_stress: %s returned %d\n", what, result);
        exit(1);
    }
}

/* Functions of the driver that the library itself does not need. */
static void *driver_function(const char *name) {
    static void *library;
    if (!library) library = dlopen("libcuda.so.1", RTLD_NOW);
    void *const function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "library_stress: no %s\n", name);
        exit(1);
    }
    return function;
}

static void enter_device(void) {
    void *context = NULL;
    need(((int (*)(unsigned))driver_function("cuInit"))(0), "cuInit");
    need(((int (*)(void **, int))driver_function("cuDevicePrimaryCtxRetain"))(&context, 0), "cuDevicePrimaryCtxRetain");
    need(((int (*)(void *))driver_function("cuCtxPushCurrent_v2"))(context), "cuCtxPushCurrent");
}

static size_t free_on_device(void) {
    size_t left = 0, all = 0;
    need(((int (*)(size_t *, size_t *))driver_function("cuMemGetInfo_v2"))(&left, &all), "cuMemGetInfo");
    return left;
}

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) exit(1);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void write_planes(VmafPicture *pic, unsigned seed) {
    uint32_t state = seed;
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic->h[p]; y++) {
            unsigned char *const row = (unsigned char *)pic->data[p] + (size_t)y * (size_t)pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                state = state * 1664525u + 1013904223u;
                const unsigned v = ((x * 3 + y * 2 + seed * 5) & 127) + (state >> 27);
                if (pic->bpc > 8)
                    ((uint16_t *)row)[x] = (uint16_t)(v << (pic->bpc - 8));
                else
                    row[x] = (unsigned char)v;
            }
        }
}

struct Device {
    VmafContext *vmaf;
    VmafCudaState *state;
};
static struct Device open_device(unsigned w, unsigned h, unsigned bits) {
    struct Device out = {NULL, NULL};
    const VmafConfiguration config = {.log_level = VMAF_LOG_LEVEL_WARNING, .n_threads = 0};
    need(vmaf_init(&out.vmaf, config), "vmaf_init");
    const VmafCudaConfiguration cuda = {NULL};
    need(vmaf_cuda_state_init(&out.state, cuda), "vmaf_cuda_state_init");
    need(vmaf_cuda_import_state(out.vmaf, out.state), "vmaf_cuda_import_state");
    VmafCudaPictureConfiguration pictures;
    memset(&pictures, 0, sizeof pictures);
    pictures.pic_params.w = w;
    pictures.pic_params.h = h;
    pictures.pic_params.bpc = bits;
    pictures.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
    pictures.pic_prealloc_method = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED;
    need(vmaf_cuda_preallocate_pictures(out.vmaf, pictures), "vmaf_cuda_preallocate_pictures");
    return out;
}
static void close_device(struct Device device) {
    need(vmaf_close(device.vmaf), "vmaf_close");
    need(vmaf_cuda_state_free(device.state), "vmaf_cuda_state_free");
}

static void read_frames(VmafContext *vmaf, unsigned frames) {
    for (unsigned i = 0; i < frames; i++) {
        VmafPicture pair[2];
        for (unsigned k = 0; k < 2; k++) {
            need(vmaf_cuda_fetch_preallocated_picture(vmaf, &pair[k]), "vmaf_cuda_fetch_preallocated_picture");
            write_planes(&pair[k], 10 * i + k);
        }
        need(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i), "vmaf_read_pictures");
    }
    need(vmaf_read_pictures(vmaf, NULL, NULL, 0), "flush");
}

static double score_once(unsigned w, unsigned h, unsigned frames) {
    const struct Device device = open_device(w, h, 8);
    VmafModel *model;
    VmafModelConfig model_config = {.name = "vmaf"};
    need(vmaf_model_load(&model, &model_config, "vmaf_v0.6.1"), "vmaf_model_load");
    need(vmaf_use_features_from_model(device.vmaf, model), "vmaf_use_features_from_model");
    read_frames(device.vmaf, frames);
    double score = 0;
    need(vmaf_score_pooled(device.vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1), "vmaf_score_pooled");
    vmaf_model_destroy(model);
    close_device(device);
    return score;
}

/* The memory of device and host, after the driver's permanent allocations. */
struct Memory {
    size_t device;
    long host_kib;
};
static struct Memory memory_now(void) {
    const struct Memory memory = {free_on_device(), resident_kib()};
    return memory;
}
static int tell_lost(unsigned count, const char *what, struct Memory before) {
    const double device_lost = ((double)before.device - (double)free_on_device()) / 1048576;
    const double host_grown = (double)(resident_kib() - before.host_kib) / 1024;
    printf("%u contexts %s: %.1f MiB of the device's memory lost, host memory grown by %.1f MiB\n", count, what,
           device_lost, host_grown);
    return device_lost > 1 || host_grown > 16;
}

static int cycles(unsigned count) {
    enter_device();
    struct Memory before = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        score_once(576, 324, 6);
        if (i + 1 == (count + 9) / 10) before = memory_now();
    }
    return tell_lost(count, "one after the other", before);
}

static int mixes(unsigned count, char **features, unsigned feature_count) {
    static const unsigned sizes[][2] = {{576, 324}, {640, 480}, {321, 243}, {1280, 720}};
    enter_device();
    struct Memory before = {0, 0};
    uint32_t state = 1;
    for (unsigned i = 0; i < 2 * count; i++) { /* twice: the first round has seen every mix, and so has the driver */
        if (i == count) {
            before = memory_now();
            state = 1;
        }
        state = state * 1664525u + 1013904223u;
        const unsigned *const size = sizes[state >> 30];
        const struct Device device = open_device(size[0], size[1], state >> 29 & 1 ? 10 : 8);
        const unsigned wanted = 1 + (state >> 20) % 4;
        for (unsigned k = 0; k < wanted; k++) {
            state = state * 1664525u + 1013904223u;
            need(vmaf_use_feature(device.vmaf, features[(state >> 8) % feature_count], NULL), "vmaf_use_feature");
        }
        read_frames(device.vmaf, 3 + (state >> 28) % 4);
        close_device(device);
        if (i % 50 == 49) {
            printf("  %u contexts\n", i + 1);
            fflush(stdout);
        }
    }
    return tell_lost(count, "with mixes of features", before);
}

struct Job {
    pthread_t thread;
    unsigned frames;
    double score;
};
static void *score_in_thread(void *job) {
    ((struct Job *)job)->score = score_once(960, 540, ((struct Job *)job)->frames);
    return NULL;
}

static int contexts(unsigned count, unsigned frames) {
    const double wanted = score_once(960, 540, frames);
    struct Job *const jobs = calloc(count, sizeof *jobs);
    unsigned different = 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i].frames = frames;
        need(pthread_create(&jobs[i].thread, NULL, score_in_thread, &jobs[i]), "pthread_create");
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(jobs[i].thread, NULL);
        different += memcmp(&jobs[i].score, &wanted, sizeof wanted) != 0;
    }
    printf("%u contexts at once, %u frames each: %u with a score other than %.17g\n", count, frames, different, wanted);
    free(jobs);
    return different != 0;
}

static int hog(size_t leave) {
    enter_device();
    int (*const allocate)(uintptr_t *, size_t) = (int (*)(uintptr_t *, size_t))driver_function("cuMemAlloc_v2");
    for (size_t piece = (size_t)1 << 34; piece >= (size_t)1 << 20;) {
        uintptr_t at;
        if (free_on_device() < leave + piece || allocate(&at, piece)) piece /= 2;
    }
    printf("%zu MiB left on the device\n", free_on_device() >> 20);
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "cycles")) return cycles((unsigned)atoi(argv[2]));
    if (argc > 3 && !strcmp(argv[1], "mixes")) return mixes((unsigned)atoi(argv[2]), argv + 3, (unsigned)argc - 3);
    if (argc > 3 && !strcmp(argv[1], "contexts")) return contexts((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (argc > 2 && !strcmp(argv[1], "hog")) return hog((size_t)atoi(argv[2]) << 20);
    if (argc > 1 && !strcmp(argv[1], "init")) {
        enter_device();
        return 0;
    }
    fprintf(stderr, "usage: library_stress init | cycles N | mixes N FEATURE... | contexts N FRAMES | hog MIB\n");
    return 2;
}
