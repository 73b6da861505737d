/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_TURBO_H
#define VMAF_TURBO_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Additions to libvmaf's own headers, which stay unchanged.
 *
 * Every structure begins with its size, which the caller sets to sizeof: `VmafTurboPicture p = {.size = sizeof p}`.
 * Members missing from the caller's version count as 0. Functions return 0, or a negative errno value. */

#define VMAF_TURBO_VERSION 3u

/* VMAF_TURBO_VERSION of the library; functions are added, never changed. */
unsigned vmaf_turbo_version(void);

/* Why this thread's last call failed, in a sentence; "" after success. Valid until the thread's next call; calls that
 * only release something keep it. */
const char *vmaf_turbo_last_error(void);

/* Selects where scores are computed: "auto", "cpu", "cuda", "hip", "sycl" or "metal", like the overload
 * `turbo.backend`. `device` is an index; -1: the first. Call it before the first pictures. -ENOSYS: not in this build.
 */
int vmaf_turbo_use_backend(VmafContext *vmaf, const char *backend, int device);

/* Checks that a feature and its options exist; vmaf_use_feature() ignores unknown options. -EINVAL: one does not, and
 * vmaf_turbo_last_error() lists the options. Since VMAF_TURBO_VERSION 3. */
int vmaf_turbo_check_feature(const char *feature_name, const VmafFeatureDictionary *options);

typedef struct VmafTurboDevice {
    size_t size;
    int index;       /* -1 on the CPU */
    char backend[8]; /* "cpu", "cuda", ... */
    char name[128];
    void *context; /* the runtime's handle (a CUcontext), or NULL */
    /* A queue of the device (a CUstream) for the caller's work, to be passed as `stream` of a picture; or NULL. Valid
     * until vmaf_close(). */
    void *stream;
    /* Copies to the host so far, by all contexts that share the device. Small ones are results (a few KiB); copies of
     * 64 KiB and more may be pictures for metrics on the CPU. */
    uint64_t small_copies, large_copies;
} VmafTurboDevice;

/* Starts the selected device, unless it runs already, and describes it. */
int vmaf_turbo_device(VmafContext *vmaf, VmafTurboDevice *device);

enum VmafTurboMemory {
    VMAF_TURBO_MEMORY_HOST = 0,
    VMAF_TURBO_MEMORY_DEVICE = 1 /* of the context's device; CUDA and HIP */
};

/* Samples that the caller owns. Above 8 bits they are 16-bit words, value in the low bits. */
typedef struct VmafTurboPicture {
    size_t size;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h; /* planes have the sizes of vmaf_picture_alloc() */
    enum VmafTurboMemory memory;
    const void *data[3];
    ptrdiff_t stride[3]; /* bytes from one row to the next; may be negative in host memory */

    /* Device memory: the samples are valid once this queue (a CUstream) has finished the work it has at the call.
     * NULL: the default queue. */
    void *stream;

    /* NULL: the samples are copied. The caller may change host memory as soon as the call returns, device memory after
     * vmaf_turbo_wait_read() or vmaf_turbo_hold_stream().
     * Otherwise: the library reads the samples in place if the layout allows, and the caller must not change them
     * until `release` is called with `user`: once, from any thread, possibly before the call returns. */
    void (*release)(void *user);
    void *user;

    /* Readable bytes after the last row of every plane; their values do not matter. Host memory with at least
     * VMAF_TURBO_PADDING is read in place; device memory also needs rows of w samples rounded up to 32. */
    size_t padding;

    /* Device memory, not 0: the samples are valid, at the latest with those of an earlier picture of this context.
     * Saves another wait for `stream`. */
    int is_ready;
} VmafTurboPicture;

#define VMAF_TURBO_PADDING 128

/* vmaf_read_pictures() for VmafTurboPicture. On failure the caller keeps the pictures, and `release` is not called. */
int vmaf_turbo_read_pictures(VmafContext *vmaf, const VmafTurboPicture *ref, const VmafTurboPicture *dist,
                             unsigned index);

/* Scores one reference picture in `count` contexts, one per encode. The scores equal those of
 * vmaf_turbo_read_pictures() for each context, but what CPU metrics compute from the reference alone (filtered means,
 * wavelets, motion) is shared. vmaf[i] takes dist[i]; pass NULL once that encode has ended. Each context may appear
 * once. If one encode fails, the others are still scored and the caller keeps its distorted picture. `results`: NULL,
 * or receives the result of each context. Returns the first result that is not 0. The caller keeps the reference if no
 * context took it; otherwise `release` is called when all contexts have released it. Since VMAF_TURBO_VERSION 2. */
int vmaf_turbo_read_encodes(VmafContext *const *vmaf, size_t count, const VmafTurboPicture *ref,
                            const VmafTurboPicture *const *dist, unsigned index, int *results);

/* Waits until the device has copied all pictures passed without `release`. */
int vmaf_turbo_wait_read(VmafContext *vmaf);

/* The same for a queue: later work in `stream` (a CUstream; NULL: the default queue) starts after those copies. */
int vmaf_turbo_hold_stream(VmafContext *vmaf, void *stream);

/* Scores of parts of pictures (docs/spec/maps.md): cells (the squares of a map) and regions (named rectangles). Add
 * them before the first pictures. A device measures vif, adm and psnr; other features that maps or regions need run on
 * the CPU, with a warning if the device was selected by name. Models and features without local scores are refused; see
 * vmaf_turbo_last_error(). */

/* The cells of a frame, valid during the callback. */
typedef struct VmafTurboCells {
    size_t size;
    const char *score; /* the name of the model or of the feature's score */
    unsigned index;    /* of the frame */
    int cell;          /* a cell's side in luma pixels */
    int columns, rows;
    const int *x, *y;     /* edges in luma pixels, including the last: columns + 1 and rows + 1 */
    const double *scores; /* row by row from the top; NaN: no score */
} VmafTurboCells;

typedef struct VmafTurboMap {
    size_t size;
    VmafModel *model;  /* was passed to vmaf_use_features_from_model(); NULL: use `score` */
    const char *score; /* of a registered feature: "psnr_y" */
    int cell;          /* a multiple of 16, the same for all maps; 0: 64, or 32 for pictures below 960 columns */
    /* Called once per scored frame, in order, by one thread at a time, at the latest by the flush. Like a metadata
     * handler it may query scores, but not read pictures. */
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
    int moves;      /* 0: fixed for all frames. Else for frame `index` only; call again for other frames */
    unsigned index; /* the frame, if `moves` */
} VmafTurboRegion;

/* Stores the region's scores with those of frames as SCORE_NAME ("vmaf_face"), for all models and features with local
 * scores. Query them like others: vmaf_feature_score_at_index(),
 * vmaf_feature_score_pooled(). */
int vmaf_turbo_use_region(VmafContext *vmaf, const VmafTurboRegion *region);

#ifdef __cplusplus
}
#endif

#endif
