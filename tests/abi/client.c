/* A client like FFmpeg's filter (c-api.md 12): reads two raw clips, writes the pooled score and a document.
 *
 *   client REF.yuv DIS.yuv WIDTH HEIGHT FORMAT(420|422|444) BITS THREADS MODEL OUT.json
 *
 * It reads whole clips row by row through stride[], passes pictures, flushes, pools, writes, and destroys the model
 * before closing the context. Prints the mean with 17 digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvmaf.h>

static int fill(FILE *file, VmafPicture *pic) {
    for (int p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic->h[p]; y++) {
            const size_t bytes = (size_t)pic->w[p] * (pic->bpc > 8 ? 2 : 1);
            if (fread((char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p], 1, bytes, file) != bytes) return -1;
        }
    return 0;
}

static int fail(const char *what, int code) {
    fprintf(stderr, "client: %s returned %d\n", what, code);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 10) return fail("usage", argc);
    FILE *ref_file = fopen(argv[1], "rb"), *dis_file = fopen(argv[2], "rb");
    if (!ref_file || !dis_file) return fail("fopen", 0);
    const unsigned w = (unsigned)atoi(argv[3]), h = (unsigned)atoi(argv[4]), bits = (unsigned)atoi(argv[6]);
    const enum VmafPixelFormat format = !strcmp(argv[5], "420")   ? VMAF_PIX_FMT_YUV420P
                                        : !strcmp(argv[5], "422") ? VMAF_PIX_FMT_YUV422P
                                                                  : VMAF_PIX_FMT_YUV444P;
    VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_WARNING, .n_threads = (unsigned)atoi(argv[7])};
    VmafContext *vmaf = NULL;
    int err = vmaf_init(&vmaf, cfg);
    if (err) return fail("vmaf_init", err);

    VmafModelConfig model_cfg = {.name = NULL, .flags = VMAF_MODEL_FLAGS_DEFAULT};
    VmafModel *model = NULL;
    err = vmaf_model_load(&model, &model_cfg, argv[8]);
    if (err) err = vmaf_model_load_from_path(&model, &model_cfg, argv[8]);
    if (err) return fail("vmaf_model_load", err);
    err = vmaf_use_features_from_model(vmaf, model);
    if (err) return fail("vmaf_use_features_from_model", err);

    unsigned frames = 0;
    for (;; frames++) {
        VmafPicture ref, dis;
        err = vmaf_picture_alloc(&ref, format, bits, w, h);
        if (!err) err = vmaf_picture_alloc(&dis, format, bits, w, h);
        if (err) return fail("vmaf_picture_alloc", err);
        if (fill(ref_file, &ref) || fill(dis_file, &dis)) {
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dis);
            break;
        }
        err = vmaf_read_pictures(vmaf, &ref, &dis, frames);
        if (err) return fail("vmaf_read_pictures", err);
        if (ref.data[0] || dis.ref) return fail("pictures not taken over", 0);
    }
    if (frames == 0) return fail("no frames", 0);
    err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (err) return fail("flush", err);
    double score = 0;
    err = vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1);
    if (err) return fail("vmaf_score_pooled", err);
    printf("%.17g\n", score);
    err = vmaf_write_output(vmaf, argv[9], VMAF_OUTPUT_FORMAT_JSON);
    if (err) return fail("vmaf_write_output", err);
    vmaf_model_destroy(model);
    err = vmaf_close(vmaf);
    fclose(ref_file);
    fclose(dis_file);
    return err ? fail("vmaf_close", err) : 0;
}
