/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_TURBO_H
#define VMAF_TURBO_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What libvmaf's own headers lack. Nothing here changes those.
 *
 * Every structure begins with its size, which the caller sets to sizeof: `VmafTurboPicture p = {.size = sizeof p}`.
 * Members that a caller's version does not have count as 0. Functions return 0, or a negative errno value. */

#define VMAF_TURBO_VERSION 3u

/* VMAF_TURBO_VERSION of the library; functions are added, never changed. */
unsigned vmaf_turbo_version(void);

/* Why the last call of this thread failed, in a sentence; "" if it did not. Valid until the thread's next call; calls
 * that only release something leave it. */
const char *vmaf_turbo_last_error(void);

/* Chooses where scores are computed: "auto", "cpu", "cuda", "hip", "sycl" or "metal", as `turbo.backend` in an overload
 * does. `device` is an index; -1: the first. Before the first pictures. -ENOSYS: not built. */
int vmaf_turbo_use_backend(VmafContext *vmaf, const char *backend, int device);

/* Whether there is such a feature, and it has these options: vmaf_use_feature() ignores options that it does not know.
 * -EINVAL: no; vmaf_turbo_last_error() names the options that there are. Since VMAF_TURBO_VERSION 3. */
int vmaf_turbo_check_feature(const char *feature_name, const VmafFeatureDictionary *options);

typedef struct VmafTurboDevice {
    size_t size;
    int index;       /* -1 on the CPU */
    char backend[8]; /* "cpu", "cuda", ... */
    char name[128];
    void *context; /* the runtime's own handle (a CUcontext); NULL: it has none */
    /* A queue of the device (a CUstream) that the caller may put work into, for `stream` of a picture. NULL: there is
     * none. Valid until vmaf_close(). */
    void *stream;
    /* What has been copied to the host so far by all contexts that share the device: results are a few KiB at a time;
     * copies of 64 KiB and more may be pictures, for metrics that run on the CPU. */
    uint64_t small_copies, large_copies;
} VmafTurboDevice;

/* Starts the device that was chosen, if it has not been started, and describes it. */
int vmaf_turbo_device(VmafContext *vmaf, VmafTurboDevice *device);

enum VmafTurboMemory {
    VMAF_TURBO_MEMORY_HOST = 0,
    VMAF_TURBO_MEMORY_DEVICE = 1, /* of the context's device; CUDA and HIP */
};

/* Samples that the caller owns. Above 8 bits they are 16-bit words, value in the low bits. */
typedef struct VmafTurboPicture {
    size_t size;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h; /* planes have the sizes of vmaf_picture_alloc() */
    enum VmafTurboMemory memory;
    const void *data[3];
    ptrdiff_t stride[3]; /* bytes from one row to the next; may be negative in host memory */

    /* Device memory: the samples are valid once this queue (a CUstream) has done what it was given before the call.
     * NULL: the default queue. */
    void *stream;

    /* NULL: the samples are copied. Host memory may change as soon as the call returns, device memory after
     * vmaf_turbo_wait_read() or vmaf_turbo_hold_stream().
     * Otherwise: the samples stay unchanged, and are read where they are if the layout allows, until `release` is
     * called with `user`, once, from any thread, possibly before the call returns. */
    void (*release)(void *user);
    void *user;

    /* Bytes after the last row of every plane that may be read (not used). Host memory is read in place from
     * VMAF_TURBO_PADDING on; device memory if rows are also w rounded up to 32 samples apart. */
    size_t padding;

    /* Device memory, not 0: the samples are valid already, or once those of an earlier picture of the context are.
     * `stream` is not waited for again, which takes time. */
    int is_ready;
} VmafTurboPicture;

#define VMAF_TURBO_PADDING 128

/* vmaf_read_pictures() for such pictures. After a failure they stay the caller's, and `release` is not called. */
int vmaf_turbo_read_pictures(VmafContext *vmaf, const VmafTurboPicture *ref, const VmafTurboPicture *dist,
                             unsigned index);

/* One reference picture for `count` contexts, each of which scores another encode of it: the scores are those of
 * vmaf_turbo_read_pictures() for each, but what metrics on the CPU make of the reference alone (filtered means,
 * wavelets, motion) is made once. vmaf[i] takes dist[i], NULL where that encode has no picture any more; every context
 * is given once. An encode that fails does not keep the others from being scored: its distorted picture stays the
 * caller's. `results`: NULL, or what the call for each context would have returned. Returns the first of them that is
 * not 0; the reference stays the caller's if no context took it, otherwise `release` is called when all have let it go.
 * Since VMAF_TURBO_VERSION 2. */
int vmaf_turbo_read_encodes(VmafContext *const *vmaf, size_t count, const VmafTurboPicture *ref,
                            const VmafTurboPicture *const *dist, unsigned index, int *results);

/* Waits until the device has copied all pictures that were given without `release`. */
int vmaf_turbo_wait_read(VmafContext *vmaf);

/* The same without waiting: what is put into `stream` (a CUstream; NULL: the default queue) from now on starts after.
 */
int vmaf_turbo_hold_stream(VmafContext *vmaf, void *stream);

/* Scores of parts of pictures (docs/spec/maps.md): cells, the squares of a map, and regions, rectangles with names.
 * Choose both before the first pictures. A device measures vif, adm and psnr; other features that maps or regions need
 * run on the CPU, with a warning where the device was asked for by name. Models and features without scores for parts
 * of pictures are refused, with a sentence in vmaf_turbo_last_error(). */

/* The cells of a frame, valid during the call that hands them over. */
typedef struct VmafTurboCells {
    size_t size;
    const char *score; /* which: the name of the model or of the feature's score */
    unsigned index;    /* of the frame */
    int cell;          /* a cell's side in luma pixels */
    int columns, rows;
    const int *x, *y;     /* where they begin, in luma pixels, and the last one's end: columns + 1 and rows + 1 */
    const double *scores; /* row by row from the top; NaN: the cell has none */
} VmafTurboCells;

typedef struct VmafTurboMap {
    size_t size;
    VmafModel *model;  /* one that vmaf_use_features_from_model() was called with; NULL: `score` */
    const char *score; /* of a registered feature: "psnr_y" */
    int cell;          /* a multiple of 16, the same for all maps; 0: 64, or 32 for pictures below 960 columns */
    /* Called once for every scored frame, in their order, from one thread at a time, at the latest by the flush. Like a
     * metadata handler it may ask for scores, but not give pictures. */
    void (*on_cells)(void *user, const VmafTurboCells *cells);
    void *user;
} VmafTurboMap;

/* May be called several times. */
int vmaf_turbo_use_map(VmafContext *vmaf, const VmafTurboMap *map);

/* A rectangle of luma pixels inside the picture; its edges are moved outward to multiples of 16. */
typedef struct VmafTurboRegion {
    size_t size;
    const char *name;
    int x, y, w, h;
    int moves;      /* 0: this place in all frames. Else: in frame `index`; the region is given again for others */
    unsigned index; /* of a frame in which it has this place */
} VmafTurboRegion;

/* Scores of the region are stored with those of frames, as SCORE_NAME ("vmaf_face"), for all models and features that
 * have scores for parts of pictures, and are asked for as others: vmaf_feature_score_at_index(),
 * vmaf_feature_score_pooled(). */
int vmaf_turbo_use_region(VmafContext *vmaf, const VmafTurboRegion *region);

#ifdef __cplusplus
}
#endif

#endif
