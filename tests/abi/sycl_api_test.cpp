// libvmaf_sycl.h as clients use it (backends.md 13.2), with the module that VMAF_SYCL_MODULE names: the fake one of
// tests/fake_sycl or the real one. cuda_api_test.cpp tests what all device headers share.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_sycl.h"

namespace {

constexpr unsigned kWidth = 70, kHeight = 50, kFrames = 5;
constexpr VmafSyclConfiguration kDefault = {-1, 0};
const char *const kScores[] = {"VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_adm2_score",
                               "VMAF_integer_feature_motion2_score"};

unsigned char sample(unsigned x, unsigned y, unsigned frame, bool is_ref) {
    return static_cast<unsigned char>(x * 7 + y * 13 + frame * 29 + (x * y) % 31 + (is_ref ? 0 : (x + y) % 5));
}
std::vector<unsigned char> plane(unsigned frame, bool is_ref) {
    std::vector<unsigned char> samples;
    for (unsigned y = 0; y < kHeight; y++)
        for (unsigned x = 0; x < kWidth; x++) samples.push_back(sample(x, y, frame, is_ref));
    return samples;
}

struct Context {
    VmafContext *ctx = nullptr;
    VmafSyclState *state = nullptr;
    explicit Context(bool with_state = true) {
        EXPECT_EQ(vmaf_init(&ctx, {}), 0);
        if (!with_state) return;
        EXPECT_EQ(vmaf_sycl_state_init(&state, kDefault), 0);
        EXPECT_EQ(vmaf_sycl_import_state(ctx, state), 0);
    }
    ~Context() {
        EXPECT_EQ(vmaf_close(ctx), 0);
        vmaf_sycl_state_free(&state);
        EXPECT_EQ(state, nullptr);
    }
    operator VmafContext *() { return ctx; }
    void use_model() {
        VmafModelConfig config{"vmaf", 0};
        VmafModel *model = nullptr;
        ASSERT_EQ(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
        ASSERT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        vmaf_model_destroy(model);
    }
    std::vector<double> scores() {
        std::vector<double> all;
        for (const char *name : kScores)
            for (unsigned i = 0; i < kFrames; i++) {
                double score = -1;
                EXPECT_EQ(vmaf_feature_score_at_index(ctx, name, &score, i), 0) << name << ' ' << i;
                all.push_back(score);
            }
        return all;
    }
};

// Scores with pictures from the context's ring, or ordinary ones.
std::vector<double> scores_of(Context &context, bool with_ring) {
    context.use_model();
    for (unsigned i = 0; i < kFrames; i++) {
        VmafPicture pair[2];
        for (const bool is_ref : {true, false}) {
            VmafPicture &pic = pair[is_ref ? 0 : 1];
            EXPECT_EQ(with_ring ? vmaf_sycl_picture_fetch(context, &pic)
                                : vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, kWidth, kHeight),
                      0);
            const auto samples = plane(i, is_ref);
            for (unsigned y = 0; y < kHeight; y++)
                std::memcpy(static_cast<char *>(pic.data[0]) + y * pic.stride[0], &samples[y * kWidth], kWidth);
        }
        EXPECT_EQ(vmaf_read_pictures(context, &pair[0], &pair[1], i), 0);
    }
    EXPECT_EQ(vmaf_read_pictures(context, nullptr, nullptr, 0), 0);
    return context.scores();
}
std::vector<double> scores_of_the_cpu() {
    Context context(false);
    return scores_of(context, false);
}

TEST(SyclApi, StatesAreMadeImportedOnceAndFreed) {
    EXPECT_EQ(vmaf_sycl_state_init(nullptr, kDefault), -EINVAL);
    int other = 0;
    auto *state = reinterpret_cast<VmafSyclState *>(&other);
    EXPECT_EQ(vmaf_sycl_state_init(&state, {1000, 0}), -ENODEV);
    EXPECT_EQ(state, nullptr);
    Context context;
    EXPECT_EQ(vmaf_sycl_import_state(nullptr, context.state), -EINVAL);
    EXPECT_EQ(vmaf_sycl_import_state(context, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_sycl_import_state(context, context.state), -EINVAL);
    vmaf_sycl_state_free(nullptr);
    EXPECT_EQ(vmaf_use_feature(context, "vif_sycl", nullptr), 0);
    EXPECT_EQ(vmaf_use_feature(context, "vif_cuda", nullptr), -EINVAL);
    EXPECT_GE(vmaf_sycl_list_devices(), 0);
}

TEST(SyclApi, PicturesOfEveryKindGiveTheScoresOfTheCpu) {
    const auto wanted = scores_of_the_cpu();
    Context ordinary;
    EXPECT_EQ(scores_of(ordinary, false), wanted);
    for (const auto method :
         {VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST}) {
        Context context;
        VmafSyclPictureConfiguration cfg{{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, method};
        VmafPicture pic;
        EXPECT_EQ(vmaf_sycl_picture_fetch(context, &pic), -EINVAL); // none yet
        cfg.pic_params.w = 0;
        EXPECT_EQ(vmaf_sycl_preallocate_pictures(context, cfg), -EINVAL);
        cfg.pic_params.w = kWidth;
        EXPECT_EQ(vmaf_sycl_preallocate_pictures(nullptr, cfg), -EINVAL);
        ASSERT_EQ(vmaf_sycl_preallocate_pictures(context, cfg), 0);
        EXPECT_EQ(vmaf_sycl_preallocate_pictures(context, cfg), -EINVAL);
        EXPECT_EQ(scores_of(context, true), wanted);
    }
    Context context; // at least four pictures
    ASSERT_EQ(vmaf_sycl_preallocate_pictures(
                  context, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE}),
              0);
    VmafPicture pictures[4];
    for (VmafPicture &pic : pictures) EXPECT_EQ(vmaf_sycl_picture_fetch(context, &pic), 0);
    for (VmafPicture &pic : pictures) EXPECT_EQ(vmaf_picture_unref(&pic), 0);
}

TEST(SyclApi, FrameBuffersGiveTheScoresOfTheCpu) {
    const auto wanted = scores_of_the_cpu();
    Context context;
    void *ref = &ref, *dis = &dis;
    EXPECT_EQ(vmaf_sycl_get_frame_buffers(context, &ref, &dis), -EINVAL); // none yet
    EXPECT_EQ(ref, nullptr);
    EXPECT_EQ(vmaf_read_pictures_sycl(context, 0), -EINVAL);
    EXPECT_EQ(vmaf_sycl_init_frame_buffers(context, 0, kHeight, 8), -EINVAL);
    EXPECT_EQ(vmaf_sycl_init_frame_buffers(context, kWidth, kHeight, 7), -EINVAL);
    const auto first = plane(0, true);
    EXPECT_EQ(vmaf_sycl_upload_plane(context.state, first.data(), kWidth, 1, kWidth, kHeight, 8), -EINVAL); // none yet
    ASSERT_EQ(vmaf_sycl_init_frame_buffers(context, kWidth, kHeight, 8), 0);
    EXPECT_EQ(vmaf_sycl_init_frame_buffers(context, kWidth, kHeight, 8), -EINVAL);
    ASSERT_EQ(vmaf_sycl_get_frame_buffers(context, &ref, &dis), 0);
    EXPECT_NE(ref, nullptr);
    EXPECT_NE(dis, nullptr);
    EXPECT_NE(ref, dis);
    EXPECT_EQ(vmaf_sycl_upload_plane(context.state, first.data(), kWidth - 1, 1, kWidth, kHeight, 8), -EINVAL);
    EXPECT_EQ(vmaf_sycl_upload_plane(context.state, first.data(), kWidth, 1, kWidth, kHeight, 10), -EINVAL);
    context.use_model();
    for (unsigned i = 0; i < kFrames; i++) {
        for (const bool is_ref : {true, false})
            ASSERT_EQ(
                vmaf_sycl_upload_plane(context.state, plane(i, is_ref).data(), kWidth, is_ref, kWidth, kHeight, 8), 0);
        ASSERT_EQ(vmaf_read_pictures_sycl(context, i), 0);
        EXPECT_EQ(i == 2 ? vmaf_sycl_wait_compute(context) : 0, 0);
    }
    ASSERT_EQ(vmaf_flush_sycl(context), 0);
    EXPECT_EQ(context.scores(), wanted);
}

TEST(SyclApi, FrameBuffersHaveLumaOnTheDeviceAndNothingElse) {
    for (const char *feature : {"psnr_hvs", "float_adm", "ciede"}) { // chroma; CPU only with that option; chroma
        Context context;
        ASSERT_EQ(vmaf_sycl_init_frame_buffers(context, kWidth, kHeight, 8), 0);
        VmafFeatureDictionary *options = nullptr;
        if (std::strcmp(feature, "float_adm") == 0) {
            ASSERT_EQ(vmaf_feature_dictionary_set(&options, "adm_p_norm", "2"), 0);
        }
        ASSERT_EQ(vmaf_use_feature(context, feature, options), 0);
        EXPECT_EQ(vmaf_read_pictures_sycl(context, 0), -EINVAL) << feature;
    }
}

TEST(SyclApi, ExternalSurfacesAndProfilingAreRefused) {
    Context context;
    void *at = &at;
    EXPECT_EQ(vmaf_sycl_dmabuf_import(context.state, 3, 100, &at), -ENOSYS);
    EXPECT_EQ(at, nullptr);
    vmaf_sycl_dmabuf_free(context.state, nullptr);
    EXPECT_EQ(vmaf_sycl_import_va_surface(context.state, nullptr, 0, 1, kWidth, kHeight, 8), -ENOSYS);
    EXPECT_EQ(vmaf_sycl_import_d3d11_surface(context.state, nullptr, nullptr, 0, 1, kWidth, kHeight, 8), -ENOSYS);
    EXPECT_EQ(vmaf_sycl_profiling_enable(context.state), -ENOSYS);
    vmaf_sycl_profiling_disable(context.state);
    vmaf_sycl_profiling_print(context.state);
    char *text = reinterpret_cast<char *>(&at);
    EXPECT_EQ(vmaf_sycl_profiling_get_string(context.state, &text), -ENOSYS);
    EXPECT_EQ(text, nullptr);
}

} // namespace
