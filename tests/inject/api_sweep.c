/* Runs a client of the whole C API repeatedly under libinject.so, with one allocation after another failing.
 *   api_sweep SCENARIO STRIDE     fails every STRIDE-th allocation, alone and with all later ones
 * Calls must return 0 or -ENOMEM, nothing may hang, and closing must free everything. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/capi/metadata_handler.h"
#include "libvmaf/libvmaf.h"

static void (*arm)(long n, int from_then);
static long (*seen)(void), (*live)(void);
static const char *scenario = "";
static long at;
static int from_then, failures;

/* If a call runs out of memory, the scenario cleans up and ends. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const int result_ = (call);                                                                                    \
        if (result_ && result_ != -ENOMEM) {                                                                           \
            fprintf(stderr, "%s, allocation %ld%s: %s returned %d\n", scenario, at, from_then ? "+" : "", #call,       \
                    result_);                                                                                          \
            failures++;                                                                                                \
        }                                                                                                              \
        if (result_) goto end;                                                                                         \
    } while (0)

static void count(void *data, VmafMetadata *metadata) {
    (void)metadata;
    ++*(unsigned *)data;
}

static int feed(VmafContext *ctx, unsigned index, unsigned bpc) {
    VmafPicture ref = {0}, dis = {0};
    int err = vmaf_picture_alloc(&ref, VMAF_PIX_FMT_YUV420P, bpc, 64, 48);
    if (!err) err = vmaf_picture_alloc(&dis, VMAF_PIX_FMT_YUV420P, bpc, 64, 48);
    if (!err) {
        for (unsigned y = 0; y < 48; y++) memset((char *)ref.data[0] + y * ref.stride[0], (int)(y + index) & 3, 64);
        err = vmaf_read_pictures(ctx, &ref, &dis, index);
    }
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dis);
    }
    return err;
}

static void run_models(void) {
    VmafModel *model = NULL, *base = NULL;
    VmafModelCollection *collection = NULL;
    VmafFeatureDictionary *options = NULL;
    VmafModelConfig cfg = {"a model with a name that is long enough", VMAF_MODEL_FLAG_ENABLE_TRANSFORM};
    TRY(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"));
    TRY(vmaf_feature_dictionary_set(&options, "vif_enhn_gain_limit", "1.0"));
    TRY(vmaf_feature_dictionary_set(&options, "another option with a long name", "and a value that is long as well"));
    {
        VmafFeatureDictionary *const given = options;
        options = NULL; /* consumed, whatever happens */
        TRY(vmaf_model_feature_overload(model, "vif", given));
    }
end:
    vmaf_feature_dictionary_free(&options);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(base);
    vmaf_model_destroy(model);
}

static void run_collection(void) {
    VmafModel *base = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = {NULL, 0};
    TRY(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
end:
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(base);
}

/* Loaded before the failures. */
static VmafModel *model, *base;
static VmafModelCollection *collection;

static void score_with(unsigned threads) {
    VmafContext *ctx = NULL;
    VmafFeatureDictionary *options = NULL;
    unsigned calls = 0;
    char name[] = "VMAF_integer_feature_vif_scale0_score";
    const VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE, .n_threads = threads};
    TRY(vmaf_init(&ctx, cfg));
    TRY(vmaf_use_features_from_model(ctx, model));
    TRY(vmaf_use_features_from_model_collection(ctx, collection));
    TRY(vmaf_feature_dictionary_set(&options, "enable_apsnr", "true"));
    {
        VmafFeatureDictionary *const given = options;
        const int err = vmaf_use_feature(ctx, "psnr", given);
        options = NULL; /* consumed, whatever happens */
        if (err) goto end;
    }
    TRY(vmaf_use_feature(ctx, "float_motion", NULL));
    TRY(vmaf_use_feature(ctx, "ciede", NULL));
    TRY(vmaf_register_metadata_handler(ctx, (VmafMetadataConfiguration){name, count, &calls}));
    TRY(vmaf_import_feature_score(ctx, "a feature from elsewhere, stored by this client", 1, 5000));
    {
        VmafPictureConfiguration pool = {.pic_params = {64, 48, 10, VMAF_PIX_FMT_YUV420P}, .pic_cnt = 4};
        VmafPicture ref = {0}, dis = {0};
        TRY(vmaf_preallocate_pictures(ctx, pool));
        TRY(vmaf_fetch_preallocated_picture(ctx, &ref));
        int err = vmaf_fetch_preallocated_picture(ctx, &dis);
        if (!err) err = vmaf_read_pictures(ctx, &ref, &dis, 0);
        if (err) {
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dis);
        }
        TRY(err);
    }
    for (unsigned i = 1; i < 4; i++) TRY(feed(ctx, i, 10));
    TRY(vmaf_use_feature(ctx, "float_ssim", NULL)); /* late */
    for (unsigned i = 4; i < 6; i++) TRY(feed(ctx, i, 10));
    TRY(vmaf_read_pictures(ctx, NULL, NULL, 0));
    {
        double score = 0;
        VmafModelCollectionScore spread;
        TRY(vmaf_score_at_index(ctx, model, &score, 2));
        TRY(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_HARMONIC_MEAN, &score, 0, 5));
        TRY(vmaf_score_pooled_model_collection(ctx, collection, VMAF_POOL_METHOD_MEAN, &spread, 0, 5));
        TRY(vmaf_feature_score_pooled(ctx, name, VMAF_POOL_METHOD_MEAN, &score, 0, 5));
    }
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++)
        TRY(vmaf_write_output(ctx, "/dev/null", (enum VmafOutputFormat)format));
    TRY(vmaf_write_output_with_format(ctx, "/dev/null", VMAF_OUTPUT_FORMAT_JSON, "%.17g"));
end:
    vmaf_feature_dictionary_free(&options);
    if (ctx) vmaf_close(ctx);
}
static void run_alone(void) { score_with(0); }
static void run_threads(void) { score_with(2); }

static void died(int signal) {
    (void)signal;
    dprintf(STDERR_FILENO, "%s, allocation %ld%s: hangs\n", scenario, at, from_then ? "+" : "");
    _exit(3);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kScenarios[] = {
        {"models", run_models}, {"collection", run_collection}, {"alone", run_alone}, {"threads", run_threads}};
    *(void **)&arm = dlsym(RTLD_DEFAULT, "inject_allocations");
    *(void **)&seen = dlsym(RTLD_DEFAULT, "inject_allocations_seen");
    *(void **)&live = dlsym(RTLD_DEFAULT, "inject_live_blocks");
    if (argc != 3 || !arm || !seen || !live) {
        fprintf(stderr, "usage: LD_PRELOAD=libinject.so api_sweep SCENARIO STRIDE\n");
        return 2;
    }
    void (*run)(void) = NULL;
    for (size_t i = 0; i < sizeof kScenarios / sizeof kScenarios[0]; i++)
        if (!strcmp(kScenarios[i].name, argv[1])) run = kScenarios[i].run;
    const long stride = strtol(argv[2], NULL, 10);
    if (!run || stride < 1) return 2;
    scenario = argv[1];
    signal(SIGALRM, died);
    VmafContext *quiet = NULL;
    vmaf_init(&quiet, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_NONE});
    vmaf_close(quiet);
    VmafModelConfig cfg = {NULL, 0};
    if (vmaf_model_load(&model, &cfg, "vmaf_v0.6.1") ||
        vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"))
        return 2;
    arm(0, 0);
    run(); /* whatever is made once per process */
    run();
    arm(0, 0);
    run();
    const long total = seen();
    const long before = live();
    long runs = 0;
    for (at = 1; at <= total + stride; at += stride)
        for (from_then = 0; from_then < 2; from_then++, runs++) {
            alarm(60);
            arm(at, from_then);
            run();
            arm(0, 0);
            if (live() != before) {
                fprintf(stderr, "%s, allocation %ld%s: %ld blocks are left\n", scenario, at, from_then ? "+" : "",
                        live() - before);
                failures++;
                return 1; /* the count is off from now on */
            }
        }
    printf("%s: %ld runs over %ld allocations, %d failures\n", scenario, runs, total, failures);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(base);
    vmaf_model_destroy(model);
    return failures ? 1 : 0;
}
