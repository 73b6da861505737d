/* Scores many pairs of YUV4MPEG2 clips (8 bit, 4:2:0) in one process, through the C API of libvmaf 3. With `cuda` the
 * driver is started and kernels are loaded once: one VmafCudaState serves all contexts, as long as one of them is open.
 *
 *   many_pairs [cuda] REFERENCE DISTORTED [REFERENCE DISTORTED ...]
 *
 * Prints a line for each pair: the distorted clip, a tab, its VMAF. A failed pair prints a line on stderr and makes the
 * exit code 1.
 *
 *   cc many_pairs.c $(pkg-config --cflags --libs libvmaf) -o many_pairs
 */
#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_cuda.h>

#include <stdio.h>
#include <string.h>

struct clip {
    FILE *file;
    unsigned width, height;
};

static int open_clip(struct clip *clip, const char *path) {
    char header[256];
    clip->file = fopen(path, "rb");
    if (!clip->file || !fgets(header, sizeof header, clip->file) || strncmp(header, "YUV4MPEG2 ", 10)) return -1;
    clip->width = clip->height = 0;
    for (char *word = strtok(header + 10, " \n"); word; word = strtok(NULL, " \n")) {
        if (*word == 'W') sscanf(word + 1, "%u", &clip->width);
        if (*word == 'H') sscanf(word + 1, "%u", &clip->height);
        if (*word == 'C' && (strncmp(word, "C420", 4) || strchr(word, 'p') == word + 4))
            return -1; /* not 4:2:0, or deeper */
    }
    return clip->width && clip->height ? 0 : -1;
}

/* 1: a frame was read; 0: the clip has ended; -1: a read error. vmaf_read_pictures()
 * takes over the picture. */
static int read_frame(struct clip *clip, VmafPicture *picture) {
    char line[64];
    if (!fgets(line, sizeof line, clip->file)) return 0;
    if (strncmp(line, "FRAME", 5)) return -1;
    if (vmaf_picture_alloc(picture, VMAF_PIX_FMT_YUV420P, 8, clip->width, clip->height)) return -1;
    for (unsigned plane = 0; plane < 3; plane++)
        for (unsigned y = 0; y < picture->h[plane]; y++) {
            char *const row = (char *)picture->data[plane] + (long)y * picture->stride[plane];
            if (fread(row, 1, picture->w[plane], clip->file) != picture->w[plane]) {
                vmaf_picture_unref(picture);
                return -1;
            }
        }
    return 1;
}

static int score_frames(VmafContext *vmaf, struct clip *reference, struct clip *distorted, unsigned *frames) {
    for (*frames = 0;; ++*frames) {
        VmafPicture ref, dist;
        const int got = read_frame(reference, &ref);
        if (got <= 0) return got;
        const int other = read_frame(distorted, &dist);
        if (other <= 0) {
            vmaf_picture_unref(&ref);
            return other;
        }
        if (vmaf_read_pictures(vmaf, &ref, &dist, *frames)) return -1;
    }
}

static int score_pair(const char *reference_path, const char *distorted_path, VmafModel *model, VmafCudaState *cuda,
                      double *score) {
    struct clip reference = {0}, distorted = {0};
    VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_WARNING};
    VmafContext *vmaf = NULL;
    unsigned frames = 0;
    const int failed = open_clip(&reference, reference_path) || open_clip(&distorted, distorted_path) ||
                       vmaf_init(&vmaf, configuration) || (cuda && vmaf_cuda_import_state(vmaf, cuda)) ||
                       vmaf_use_features_from_model(vmaf, model) ||
                       score_frames(vmaf, &reference, &distorted, &frames) || !frames ||
                       vmaf_read_pictures(vmaf, NULL, NULL, 0) /* the end: waits for all frames */ ||
                       vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, score, 0, frames - 1);
    if (vmaf) vmaf_close(vmaf);
    if (reference.file) fclose(reference.file);
    if (distorted.file) fclose(distorted.file);
    return failed;
}

int main(int argc, char **argv) {
    const int wants_cuda = argc > 1 && !strcmp(argv[1], "cuda");
    const int first = 1 + wants_cuda;
    if (argc - first < 2 || (argc - first) % 2) {
        fprintf(stderr, "usage: %s [cuda] REFERENCE DISTORTED [REFERENCE DISTORTED ...]\n", argv[0]);
        return 2;
    }
    VmafModelConfig model_configuration = {.name = "vmaf"};
    VmafModel *model = NULL;
    if (vmaf_model_load(&model, &model_configuration, "vmaf_v0.6.1")) return 2;

    VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_WARNING};
    VmafContext *keeper = NULL; /* holds the device while pairs come and go */
    VmafCudaState *cuda = NULL;
    if (wants_cuda) {
        VmafCudaConfiguration cuda_configuration = {0};
        if (vmaf_init(&keeper, configuration) || vmaf_cuda_state_init(&cuda, cuda_configuration) ||
            vmaf_cuda_import_state(keeper, cuda)) {
            fprintf(stderr, "CUDA is not available\n");
            return 2;
        }
    }
    int failures = 0;
    for (int i = first; i < argc; i += 2) {
        double score = 0;
        if (score_pair(argv[i], argv[i + 1], model, cuda, &score)) {
            fprintf(stderr, "cannot score %s and %s\n", argv[i], argv[i + 1]);
            failures++;
        } else
            printf("%s\t%f\n", argv[i + 1], score);
    }
    if (keeper) vmaf_close(keeper);
    if (cuda) vmaf_cuda_state_free(cuda);
    vmaf_model_destroy(model);
    return failures ? 1 : 0;
}
