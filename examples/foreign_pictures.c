/* Scores pictures that the program owns, without vmaf_picture_alloc(): libvmaf/turbo.h.
 *
 *   foreign_pictures [BACKEND]     auto (default), cpu, cuda, ...
 *
 * Scores the same frames twice: copied by the library, and read in place. Prints both scores; they are equal.
 *
 *   cc foreign_pictures.c $(pkg-config --cflags --libs libvmaf) -o foreign_pictures
 */
#include <libvmaf/turbo.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 320, HEIGHT = 180, FRAMES = 8 };

/* The luma of all frames, followed by readable padding. */
static unsigned char reference[FRAMES * WIDTH * HEIGHT + VMAF_TURBO_PADDING];
static unsigned char distorted[FRAMES * WIDTH * HEIGHT + VMAF_TURBO_PADDING];
static atomic_int in_use;

static void draw(void) {
    for (int t = 0; t < FRAMES; t++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                const int at = (t * HEIGHT + y) * WIDTH + x, wave = (x * 3 + y * 2 + t * 5) % 200;
                reference[at] = (unsigned char)(28 + wave);
                distorted[at] = (unsigned char)(28 + wave / 8 * 8); /* coarser steps */
            }
}

static void done(void *user) {
    (void)user;
    atomic_fetch_sub(&in_use, 1);
}

static VmafTurboPicture frame(const unsigned char *clip, int index, int in_place) {
    VmafTurboPicture picture = {
        .size = sizeof picture, .pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = 8, .w = WIDTH, .h = HEIGHT};
    picture.data[0] = clip + index * WIDTH * HEIGHT;
    picture.stride[0] = WIDTH;
    if (in_place) { /* the arrays stay as they are until done() was called for each */
        picture.release = done;
        picture.padding = VMAF_TURBO_PADDING;
        atomic_fetch_add(&in_use, 1);
    }
    return picture;
}

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, vmaf_turbo_last_error());
    return -1;
}

static int score(const char *backend, VmafModel *model, int in_place, double *out) {
    VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_NONE, .n_threads = 2};
    VmafContext *vmaf = NULL;
    int result = 0;
    if (vmaf_init(&vmaf, configuration)) return failed("vmaf_init");
    if (vmaf_turbo_use_backend(vmaf, backend, -1)) result = failed(backend);
    if (!result && vmaf_use_features_from_model(vmaf, model)) result = failed("model");
    for (int i = 0; !result && i < FRAMES; i++) {
        const VmafTurboPicture ref = frame(reference, i, in_place), dist = frame(distorted, i, in_place);
        if (vmaf_turbo_read_pictures(vmaf, &ref, &dist, (unsigned)i)) result = failed("frame");
    }
    if (!result && vmaf_read_pictures(vmaf, NULL, NULL, 0)) result = failed("flush");
    if (!result && vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, out, 0, FRAMES - 1)) result = failed("score");
    vmaf_close(vmaf);
    return result;
}

int main(int argc, char **argv) {
    const char *const backend = argc > 1 ? argv[1] : "auto";
    VmafModelConfig configuration = {.name = "vmaf"};
    VmafModel *model = NULL;
    double copied = 0, in_place = 0;
    draw();
    if (vmaf_model_load(&model, &configuration, "vmaf_v0.6.1")) return 1;
    const int result = score(backend, model, 0, &copied) || score(backend, model, 1, &in_place);
    vmaf_model_destroy(model);
    if (result) return 1;
    printf("copied:   %f\nin place: %f\n", copied, in_place);
    return copied != in_place || in_use != 0;
}
