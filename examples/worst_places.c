/* Finds where a score is lost, with map cells and regions: libvmaf/turbo.h.
 *
 *   worst_places
 *
 * Scores frames with one damaged block. Prints the worst cell, and the scores of the frame, of the block and of
 * an undamaged corner.
 *
 *   cc worst_places.c $(pkg-config --cflags --libs libvmaf) -o worst_places
 */
#include <libvmaf/turbo.h>

#include <stdio.h>

enum { WIDTH = 512, HEIGHT = 288, FRAMES = 4 };
enum { LEFT = 192, TOP = 96, SIDE = 128 }; /* of the damage */

static unsigned char reference[WIDTH * HEIGHT], distorted[WIDTH * HEIGHT];

static void draw(int t) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int wave = (x * 3 + y * 2 + t * 5) % 200, at = y * WIDTH + x;
            const int damaged = x >= LEFT && x < LEFT + SIDE && y >= TOP && y < TOP + SIDE;
            reference[at] = (unsigned char)(28 + wave);
            distorted[at] = (unsigned char)(28 + (damaged ? wave / 32 * 32 : wave));
        }
}

typedef struct Worst {
    double score;
    unsigned frame;
    int x, y, side;
} Worst;

static void look_at(void *user, const VmafTurboCells *cells) {
    Worst *const worst = user;
    for (int row = 0; row < cells->rows; row++)
        for (int column = 0; column < cells->columns; column++) {
            const double score = cells->scores[row * cells->columns + column];
            if (!(score < worst->score)) continue;
            *worst = (Worst){score, cells->index, cells->x[column], cells->y[row], cells->cell};
        }
}

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, vmaf_turbo_last_error());
    return 1;
}

static int ask(VmafContext *vmaf, VmafModel *model, Worst *worst) {
    const VmafTurboMap map = {.size = sizeof map, .model = model, .on_cells = look_at, .user = worst};
    const VmafTurboRegion block = {.size = sizeof block, .name = "block", .x = LEFT, .y = TOP, .w = SIDE, .h = SIDE};
    const VmafTurboRegion corner = {.size = sizeof corner, .name = "corner", .x = 0, .y = 0, .w = 90, .h = 90};
    if (vmaf_use_features_from_model(vmaf, model)) return failed("model");
    if (vmaf_turbo_use_map(vmaf, &map)) return failed("map");
    if (vmaf_turbo_use_region(vmaf, &block) || vmaf_turbo_use_region(vmaf, &corner)) return failed("region");
    return 0;
}

static int score(VmafContext *vmaf) {
    for (int t = 0; t < FRAMES; t++) {
        VmafTurboPicture ref = {.size = sizeof ref, .pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = 8, .w = WIDTH, .h = HEIGHT};
        draw(t);
        ref.stride[0] = WIDTH;
        VmafTurboPicture dist = ref;
        ref.data[0] = reference;
        dist.data[0] = distorted;
        if (vmaf_turbo_read_pictures(vmaf, &ref, &dist, (unsigned)t)) return failed("frame");
    }
    return vmaf_read_pictures(vmaf, NULL, NULL, 0) ? failed("flush") : 0;
}

static int print(VmafContext *vmaf, VmafModel *model, const Worst *worst) {
    double frame = 0, block = 0, corner = 0;
    const enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN;
    if (vmaf_score_pooled(vmaf, model, mean, &frame, 0, FRAMES - 1)) return failed("score");
    if (vmaf_feature_score_pooled(vmaf, "vmaf_block", mean, &block, 0, FRAMES - 1)) return failed("block");
    if (vmaf_feature_score_pooled(vmaf, "vmaf_corner", mean, &corner, 0, FRAMES - 1)) return failed("corner");
    printf("worst cell: %.2f, frame %u, %dx%d pixels at %d,%d\n", worst->score, worst->frame, worst->side, worst->side,
           worst->x, worst->y);
    printf("frame: %.2f, block: %.2f, corner: %.2f\n", frame, block, corner);
    const int is_in_block =
        worst->x >= LEFT - 32 && worst->x < LEFT + SIDE && worst->y >= TOP - 32 && worst->y < TOP + SIDE;
    return !(is_in_block && block < frame && frame < corner);
}

int main(void) {
    VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_NONE, .n_threads = 2};
    VmafModelConfig model_configuration = {.name = "vmaf"};
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    Worst worst = {.score = 1000};
    if (vmaf_model_load(&model, &model_configuration, "vmaf_v0.6.1")) return 1;
    if (vmaf_init(&vmaf, configuration)) return 1;
    const int result = ask(vmaf, model, &worst) || score(vmaf) || print(vmaf, model, &worst);
    vmaf_close(vmaf);
    vmaf_model_destroy(model);
    return result;
}
