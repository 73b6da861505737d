// Return codes, ownership and side effects of the C API as a client sees them (c-api.md 4 to 9).
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "client.hpp"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_sycl.h"

namespace {

using namespace capi_test;

TEST(CApi, NullArgumentsAreRefused) {
    EXPECT_EQ(vmaf_init(nullptr, quiet()), -EINVAL);
    EXPECT_EQ(vmaf_close(nullptr), -EINVAL);
    Context ctx;
    double score = 0;
    VmafModelConfig cfg{};
    VmafModel *model = nullptr;
    EXPECT_EQ(vmaf_use_feature(ctx, nullptr, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_use_feature(nullptr, "vif", nullptr), -EINVAL);
    EXPECT_EQ(vmaf_use_features_from_model(ctx, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_use_features_from_model_collection(ctx, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_import_feature_score(ctx, nullptr, 0, 0), -EINVAL);
    EXPECT_EQ(vmaf_read_pictures(nullptr, nullptr, nullptr, 0), -EINVAL);
    EXPECT_EQ(vmaf_score_at_index(ctx, nullptr, &score, 0), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "a", nullptr, 0), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "a", VMAF_POOL_METHOD_MEAN, nullptr, 0, 0), -EINVAL);
    EXPECT_EQ(vmaf_write_output(ctx, nullptr, VMAF_OUTPUT_FORMAT_JSON), -EINVAL);
    EXPECT_EQ(vmaf_model_load(&model, nullptr, "vmaf_v0.6.1"), -EINVAL);
    EXPECT_EQ(vmaf_model_load(nullptr, &cfg, "vmaf_v0.6.1"), -EINVAL);
    EXPECT_EQ(vmaf_model_load(&model, &cfg, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_picture_alloc(nullptr, VMAF_PIX_FMT_YUV420P, 8, 16, 16), -EINVAL);
    EXPECT_EQ(vmaf_picture_unref(nullptr), -EINVAL);
    EXPECT_EQ(vmaf_feature_dictionary_set(nullptr, "a", "b"), -EINVAL);
    EXPECT_EQ(vmaf_feature_dictionary_free(nullptr), -EINVAL);
    vmaf_model_destroy(nullptr);
    vmaf_model_collection_destroy(nullptr);
}

TEST(CApi, DictionariesAreCreatedAndFreed) {
    VmafFeatureDictionary *dict = nullptr;
    EXPECT_EQ(vmaf_feature_dictionary_free(&dict), 0);
    EXPECT_EQ(vmaf_feature_dictionary_set(&dict, "a", nullptr), -EINVAL);
    EXPECT_EQ(vmaf_feature_dictionary_set(&dict, nullptr, "1"), -EINVAL);
    EXPECT_EQ(vmaf_feature_dictionary_set(&dict, "a", "1"), 0);
    EXPECT_EQ(vmaf_feature_dictionary_set(&dict, "a", "2"), 0);
    EXPECT_NE(dict, nullptr);
    EXPECT_EQ(vmaf_feature_dictionary_free(&dict), 0);
    EXPECT_EQ(dict, nullptr);
}

TEST(CApi, UnknownFeatureLeavesTheOptionsToTheCaller) {
    Context ctx;
    VmafFeatureDictionary *dict = nullptr;
    vmaf_feature_dictionary_set(&dict, "debug", "true");
    EXPECT_EQ(vmaf_use_feature(ctx, "nosuch", dict), -EINVAL);
    EXPECT_EQ(vmaf_feature_dictionary_free(&dict), 0);
    vmaf_feature_dictionary_set(&dict, "debug", "maybe");
    EXPECT_EQ(vmaf_use_feature(ctx, "vif", dict), -EINVAL); // consumed
    dict = nullptr;
    vmaf_feature_dictionary_set(&dict, "no_such_option", "1");
    EXPECT_EQ(vmaf_use_feature(ctx, "vif", dict), 0);    // ignored
    EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0); // dropped as a duplicate
    dict = nullptr;
    vmaf_feature_dictionary_set(&dict, "debug", "true");
    EXPECT_EQ(vmaf_use_feature(ctx, "vif_cuda", dict), -EINVAL); // unknown without a device
    EXPECT_EQ(vmaf_feature_dictionary_free(&dict), 0);
}

TEST(CApi, PicturesHaveTheDocumentedGeometry) {
    struct Case {
        unsigned w, h, bpc, cw, ch;
        ptrdiff_t stride, chroma_stride;
    };
    for (const Case &c : {Case{176, 144, 8, 88, 72, 192, 96}, Case{175, 131, 8, 87, 65, 192, 96},
                          Case{175, 131, 10, 87, 65, 384, 192}, Case{1, 1, 8, 0, 0, 32, 0}}) {
        VmafPicture pic;
        ASSERT_EQ(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, c.bpc, c.w, c.h), 0);
        EXPECT_EQ(pic.w[1], c.cw);
        EXPECT_EQ(pic.h[2], c.ch);
        EXPECT_EQ(pic.stride[0], c.stride);
        EXPECT_EQ(pic.stride[1], c.chroma_stride);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(pic.data[0]) % 32, 0u);
        EXPECT_EQ(static_cast<char *>(pic.data[1]) - static_cast<char *>(pic.data[0]), c.stride * c.h);
        EXPECT_EQ(vmaf_picture_unref(&pic), 0);
        EXPECT_EQ(pic.data[0], nullptr);
        EXPECT_EQ(vmaf_picture_unref(&pic), -EINVAL);
    }
    VmafPicture pic;
    ASSERT_EQ(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV400P, 8, 33, 7), 0);
    EXPECT_EQ(pic.w[1], 0u);
    EXPECT_EQ(pic.data[1], nullptr);
    vmaf_picture_unref(&pic);
    EXPECT_EQ(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_UNKNOWN, 8, 16, 16), -EINVAL);
    EXPECT_EQ(vmaf_picture_alloc(&pic, static_cast<VmafPixelFormat>(5), 8, 16, 16), -EINVAL);
    EXPECT_EQ(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 7, 16, 16), -EINVAL);
    EXPECT_EQ(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 17, 16, 16), -EINVAL);
}

// Clients rely on it: FFmpeg 5.1 copies half of each row above 8 bits, and others fill luma only.
TEST(CApi, PicturesBeginAsZeros) {
    for (int round = 0; round < 3; round++) {
        VmafPicture pic{};
        ASSERT_EQ(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 10, 64, 32), 0);
        for (int p = 0; p < 3; p++)
            for (unsigned y = 0; y < pic.h[p]; y++) {
                auto *row = static_cast<unsigned char *>(pic.data[p]) + pic.stride[p] * static_cast<std::ptrdiff_t>(y);
                for (unsigned x = 0; x < 2 * pic.w[p]; x++) ASSERT_EQ(row[x], 0) << p << " " << y << " " << x;
                std::memset(row, 0xEE, 2 * pic.w[p]); // for the next one, which gets the same memory
            }
        EXPECT_EQ(vmaf_picture_unref(&pic), 0);
    }
}

TEST(CApi, HandMadePicturesAreRefused) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "null", nullptr), 0);
    std::vector<unsigned char> memory(64 * 48);
    VmafPicture fake{};
    fake.pix_fmt = VMAF_PIX_FMT_YUV400P;
    fake.bpc = 8;
    fake.w[0] = 64;
    fake.h[0] = 48;
    fake.stride[0] = 64;
    fake.data[0] = memory.data();
    VmafPicture other = fake;
    EXPECT_EQ(vmaf_read_pictures(ctx, &fake, &other, 0), -EINVAL);
}

TEST(CApi, MismatchedPicturesStayTheCallers) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
    EXPECT_EQ(feed(ctx, 0), 0);
    VmafPicture ref = picture(64, 48, 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, &ref, nullptr, 1), -EINVAL);
    for (VmafPicture other :
         {picture(66, 48, 0), picture(64, 48, 0, 10), picture(64, 48, 0, 8, VMAF_PIX_FMT_YUV444P)}) {
        EXPECT_EQ(vmaf_read_pictures(ctx, &ref, &other, 1), -EINVAL);
        EXPECT_NE(ref.data[0], nullptr);
        EXPECT_EQ(vmaf_picture_unref(&other), 0);
    }
    VmafPicture a = picture(32, 32, 0), b = picture(32, 32, 1); // of equal size, but not that of the first pair
    EXPECT_EQ(vmaf_read_pictures(ctx, &a, &b, 1), -EINVAL);
    vmaf_picture_unref(&a);
    vmaf_picture_unref(&b);
    vmaf_picture_unref(&ref);
}

TEST(CApi, PoolHandsOutPicturesAndTakesThemBack) {
    Context ctx;
    VmafPicture pic;
    EXPECT_EQ(vmaf_fetch_preallocated_picture(ctx, &pic), -EINVAL);
    VmafPictureConfiguration cfg{};
    EXPECT_EQ(vmaf_preallocate_pictures(ctx, cfg), -EINVAL);
    cfg.pic_params.w = 64;
    cfg.pic_params.h = 48;
    cfg.pic_params.bpc = 8;
    cfg.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
    cfg.pic_cnt = 4;
    EXPECT_EQ(vmaf_preallocate_pictures(ctx, cfg), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "motion", nullptr), 0);
    for (unsigned i = 0; i < 20; i++) { // four pictures are enough for any number of frames
        VmafPicture ref, dis;
        ASSERT_EQ(vmaf_fetch_preallocated_picture(ctx, &ref), 0);
        ASSERT_EQ(vmaf_fetch_preallocated_picture(ctx, &dis), 0);
        ASSERT_EQ(vmaf_read_pictures(ctx, &ref, &dis, i), 0);
    }
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
}

TEST(CApi, FlushComesOnceAndAfterPictures) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "motion", nullptr), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), -EINVAL); // no pictures yet
    EXPECT_EQ(feed(ctx, 0), 0);
    double score = -1;
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_motion_sad_score", &score, 0), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_motion2_score", &score, 0), -EINVAL);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_motion2_score", &score, 0), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "integer_motion2", &score, 0), -EINVAL); // aliases are not names
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), -EINVAL);
    EXPECT_EQ(feed(ctx, 1), -EINVAL);
}

TEST(CApi, TooSmallPicturesAreRefusedAtTheFirstPair) {
    for (unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        EXPECT_EQ(feed(ctx, 0, 16, 16), -EINVAL);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), -EINVAL); // no scores
        EXPECT_EQ(feed(ctx, 0), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    }
}

TEST(CApi, ImportedScoresFeedModelsAndAreNeverOverwritten) {
    Context ctx;
    LoadedModel model("vmaf_v0.6.1");
    const char *names[] = {"VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
                           "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
                           "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};
    double score = 0;
    EXPECT_EQ(vmaf_score_at_index(ctx, model, &score, 7), -EINVAL);
    for (const char *name : names) EXPECT_EQ(vmaf_import_feature_score(ctx, name, 0.9, 7), 0);
    EXPECT_EQ(vmaf_import_feature_score(ctx, names[0], 0.9, 7), -EINVAL);
    EXPECT_EQ(vmaf_score_at_index(ctx, model, &score, 7), 0);
    double again = 0;
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "vmaf", &again, 7), 0);
    EXPECT_EQ(score, again);
    EXPECT_EQ(vmaf_import_feature_score(ctx, "vmaf", 12.5, 8), 0); // replaces the prediction
    EXPECT_EQ(vmaf_score_at_index(ctx, model, &score, 8), 0);
    EXPECT_EQ(score, 12.5);
}

TEST(CApi, OneScoreFarAwayCostsLittle) { // a series as a plain array would need 16 GiB here
    Context ctx;
    const unsigned far = (1u << 30) - 1;
    EXPECT_EQ(vmaf_import_feature_score(ctx, "x", 1.5, far), 0);
    EXPECT_EQ(vmaf_import_feature_score(ctx, "x", 1.5, far + 1), -EINVAL);
    double out = 0;
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "x", &out, far), 0);
    EXPECT_EQ(out, 1.5);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "x", &out, far - 1), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_MEAN, &out, far, far), 0);
}

TEST(CApi, PoolingFollowsTheFormulas) {
    Context ctx;
    const double x[] = {4, 1, 3, 9};
    for (unsigned i = 0; i < 4; i++) vmaf_import_feature_score(ctx, "x", x[i], i);
    double out = 0;
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_MEAN, &out, 0, 3), 0);
    EXPECT_EQ(out, 17.0 / 4);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_HARMONIC_MEAN, &out, 0, 3), 0);
    EXPECT_EQ(out, 4 / (1.0 / 5 + 1.0 / 2 + 1.0 / 4 + 1.0 / 10) - 1);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_MIN, &out, 0, 3), 0);
    EXPECT_EQ(out, 1);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_MAX, &out, 1, 2), 0);
    EXPECT_EQ(out, 3);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_MEAN, &out, 0, 4), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_MEAN, &out, 2, 1), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_UNKNOWN, &out, 0, 1), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", VMAF_POOL_METHOD_NB, &out, 0, 1), -EINVAL);
}

TEST(CApi, SubsamplingSkipsFramesForPoolingAndPrediction) {
    Context ctx(quiet(2, 2));
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    for (unsigned i = 0; i < 5; i++) EXPECT_EQ(feed(ctx, i), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    double out = 0;
    EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &out, 0, 4), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_vif_scale0_score", &out, 1), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_motion2_score", &out, 1), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "vmaf", &out, 2), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "vmaf", &out, 3), -EINVAL);
}

TEST(CApi, ThreadsDoNotChangeScores) {
    std::vector<double> expected;
    for (unsigned threads : {0u, 1u, 2u, 5u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        for (unsigned i = 0; i < 12; i++) EXPECT_EQ(feed(ctx, i, 80, 64), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        std::vector<double> scores(12);
        for (unsigned i = 12; i-- > 0;) EXPECT_EQ(vmaf_score_at_index(ctx, model, &scores[i], i), 0);
        if (expected.empty()) expected = scores;
        EXPECT_EQ(scores, expected) << threads;
    }
}

TEST(CApi, ContextsRunSideBySide) {
    LoadedModel model("vmaf_v0.6.1");
    std::vector<double> means(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < means.size(); t++)
        threads.emplace_back([&, t] {
            Context ctx(quiet(static_cast<unsigned>(t % 3)));
            EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
            for (unsigned i = 0; i < 5; i++) EXPECT_EQ(feed(ctx, i), 0);
            EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
            EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &means[t], 0, 4), 0);
        });
    for (std::thread &thread : threads) thread.join();
    for (double mean : means) EXPECT_EQ(mean, means[0]);
}

TEST(CApi, ContextsCloseAtAnyTime) {
    { Context ctx; }
    { Context ctx(quiet(3)); }
    Context ctx(quiet(2));
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    for (unsigned i = 0; i < 4; i++) EXPECT_EQ(feed(ctx, i), 0); // closes with frames in progress
}

TEST(CApi, ModelsLoadByVersionAndPath) {
    VmafModelConfig cfg{};
    auto *const untouched = reinterpret_cast<VmafModel *>(&cfg);
    VmafModel *model = untouched;
    EXPECT_EQ(vmaf_model_load(&model, &cfg, "vmaf_v9"), -EINVAL);
    EXPECT_EQ(model, untouched);
    EXPECT_EQ(vmaf_model_load_from_path(&model, &cfg, "/nonexistent.json"), -EINVAL);
    EXPECT_EQ(model, nullptr);
    EXPECT_EQ(vmaf_model_load_from_path(&model, &cfg, "model.pkl"), -EINVAL);
    EXPECT_EQ(vmaf_model_load(&model, &cfg, "vmaf_b_v0.6.3"), -EINVAL); // a collection is not a single model
    VmafModelCollection *collection = nullptr;
    EXPECT_EQ(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_v0.6.1"), -EINVAL);
    EXPECT_EQ(collection, nullptr);
    EXPECT_EQ(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    VmafFeatureDictionary *dict = nullptr;
    vmaf_feature_dictionary_set(&dict, "adm_enhn_gain_limit", "1.0");
    EXPECT_EQ(vmaf_model_collection_feature_overload(model, &collection, "adm", dict), 0);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(model);
}

TEST(CApi, VersionsCanBeListed) {
    const char *version = nullptr;
    std::vector<std::string> versions;
    for (const void *it = vmaf_model_version_next(nullptr, &version); it; it = vmaf_model_version_next(it, &version))
        versions.emplace_back(version);
    ASSERT_FALSE(versions.empty());
    EXPECT_EQ(versions.front(), "vmaf_v0.6.1");
    for (const std::string &name : versions) {
        VmafModelConfig cfg{};
        VmafModel *model = nullptr;
        VmafModelCollection *collection = nullptr;
        if (vmaf_model_load(&model, &cfg, name.c_str())) {
            EXPECT_EQ(vmaf_model_collection_load(&model, &collection, &cfg, name.c_str()), 0) << name;
        }
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
}

TEST(CApi, CollectionsScoreRepeatably) {
    Context ctx;
    VmafModelConfig cfg{"boot", 0};
    VmafModel *model = nullptr;
    VmafModelCollection *collection = nullptr;
    ASSERT_EQ(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    EXPECT_EQ(vmaf_use_features_from_model_collection(ctx, collection), 0);
    for (unsigned i = 0; i < 3; i++) EXPECT_EQ(feed(ctx, i), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    VmafModelCollectionScore first, second;
    EXPECT_EQ(vmaf_score_at_index_model_collection(ctx, collection, &first, 1), 0);
    EXPECT_EQ(vmaf_score_at_index_model_collection(ctx, collection, &second, 1), 0);
    EXPECT_EQ(first.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    EXPECT_EQ(first.bootstrap.bagging_score, second.bootstrap.bagging_score);
    EXPECT_EQ(vmaf_score_pooled_model_collection(ctx, collection, VMAF_POOL_METHOD_MEAN, &first, 0, 2), 0);
    double member = 0;
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "boot_0020", &member, 2), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "boot_ci_p95_lo", &member, 2), 0);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
}

TEST(CApi, OverloadsWithoutEffectHaveAWarning) {
    VmafConfiguration config{};
    config.log_level = VMAF_LOG_LEVEL_WARNING;
    Context ctx(config);
    LoadedModel model("vmaf_v0.6.1");
    const auto heard = [&](const char *feature, const char *option) {
        VmafFeatureDictionary *dict = nullptr;
        vmaf_feature_dictionary_set(&dict, option, "1.0");
        testing::internal::CaptureStderr();
        EXPECT_EQ(vmaf_model_feature_overload(model, feature, dict), 0);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_NE(heard("vif", "vif_enhn_gain_limt").find("has no option 'vif_enhn_gain_limt'"), std::string::npos);
    EXPECT_NE(heard("ciede", "whatever").find("uses no feature 'ciede'"), std::string::npos);
    EXPECT_EQ(heard("vif", "vif_enhn_gain_limit"), "");
}

TEST(CApi, OverloadsChangeTheNamesThatAModelLooksUp) {
    Context ctx;
    LoadedModel model("vmaf_v0.6.1");
    VmafFeatureDictionary *dict = nullptr;
    EXPECT_EQ(vmaf_model_feature_overload(model, "vif", nullptr), -EINVAL);
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.0");
    EXPECT_EQ(vmaf_model_feature_overload(model, "vif", dict), 0);
    dict = nullptr;
    vmaf_feature_dictionary_set(&dict, "whatever", "1.0");
    EXPECT_EQ(vmaf_model_feature_overload(model, "ciede", dict), 0); // not used by the model
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    EXPECT_EQ(feed(ctx, 0), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    double score = 0;
    EXPECT_EQ(vmaf_score_at_index(ctx, model, &score, 0), 0);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "integer_vif_scale0_egl_1", &score, 0), 0);
}

TEST(CApi, DocumentsAreWrittenInEveryFormat) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "motion", nullptr), 0);
    EXPECT_EQ(feed(ctx, 0), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    const std::string path = testing::TempDir() + "capi_document";
    const char *starts[] = {"", "<VMAF", "{", "Frame,", "{0}{1}"};
    for (int fmt = 1; fmt <= 4; fmt++) {
        EXPECT_EQ(vmaf_write_output(ctx, path.c_str(), static_cast<VmafOutputFormat>(fmt)), 0);
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        EXPECT_EQ(text.str().rfind(starts[fmt], 0), 0u) << text.str();
        EXPECT_EQ(text.str().find("backend_used"), std::string::npos);
    }
    EXPECT_EQ(vmaf_write_output_with_format(ctx, path.c_str(), VMAF_OUTPUT_FORMAT_JSON, "%.17g"), 0);
    for (const char *bad : {"%s", "%d", "%f %f", "none", "%n", "%.999f"})
        EXPECT_EQ(vmaf_write_output_with_format(ctx, path.c_str(), VMAF_OUTPUT_FORMAT_JSON, bad), -EINVAL) << bad;
    EXPECT_EQ(vmaf_write_output(ctx, path.c_str(), VMAF_OUTPUT_FORMAT_NONE), -EINVAL);
    EXPECT_EQ(vmaf_write_output(ctx, "/nonexistent/folder/x.json", VMAF_OUTPUT_FORMAT_JSON), -EINVAL);
    std::remove(path.c_str());
}

TEST(CApi, CallbacksDeliverPredictionsAsFeaturesComplete) {
    std::vector<std::pair<unsigned, double>> got;
    Context ctx(quiet(2));
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    char name[] = "vmaf";
    VmafMetadataConfiguration cfg{name,
                                  [](void *data, VmafMetadata *m) {
                                      static_cast<std::vector<std::pair<unsigned, double>> *>(data)->emplace_back(
                                          m->picture_index, m->score);
                                  },
                                  &got};
    EXPECT_EQ(vmaf_register_metadata_handler(ctx, cfg), 0);
    for (unsigned i = 0; i < 4; i++) EXPECT_EQ(feed(ctx, i), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    ASSERT_EQ(got.size(), 4u);
    for (const auto &[index, score] : got) {
        double expected = 0;
        EXPECT_EQ(vmaf_score_at_index(ctx, model, &expected, index), 0);
        EXPECT_EQ(score, expected);
    }
}

TEST(CApi, CallbacksMayAskForScores) {
    struct Client {
        VmafContext *ctx;
        VmafModel *model;
        unsigned calls = 0;
    };
    for (const unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        Client client{ctx, model};
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        char name[] = "VMAF_integer_feature_vif_scale0_score";
        const auto ask = [](void *data, VmafMetadata *m) {
            auto &c = *static_cast<Client *>(data);
            double score = 0;
            c.calls++;
            EXPECT_EQ(vmaf_feature_score_at_index(c.ctx, m->feature_name, &score, m->picture_index), 0);
            EXPECT_EQ(score, m->score);
            EXPECT_EQ(vmaf_feature_score_at_index(c.ctx, "none", &score, m->picture_index), -EINVAL);
            EXPECT_EQ(vmaf_score_at_index(c.ctx, c.model, &score, m->picture_index),
                      -EINVAL); // motion2 is not stored yet
        };
        EXPECT_EQ(vmaf_register_metadata_handler(ctx, {name, ask, &client}), 0);
        for (unsigned i = 0; i < 4; i++) EXPECT_EQ(feed(ctx, i), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        EXPECT_EQ(client.calls, 4u);
    }
}

TEST(CApi, BackendsThatAreNotBuiltAnswerEnosys) {
    Context ctx;
    if (!vmaf_hip_available()) {
        auto *state = reinterpret_cast<VmafHipState *>(&ctx);
        EXPECT_EQ(vmaf_hip_state_init(&state, {}), -ENOSYS);
        EXPECT_EQ(state, nullptr);
        EXPECT_EQ(vmaf_hip_import_state(ctx, nullptr), -ENOSYS);
        vmaf_hip_state_free(&state);
        vmaf_hip_state_free(nullptr);
    }
    if (!vmaf_metal_available()) {
        auto *state = reinterpret_cast<VmafMetalState *>(&ctx);
        EXPECT_EQ(vmaf_metal_state_init(&state, {}), -ENOSYS);
        EXPECT_EQ(state, nullptr);
        EXPECT_EQ(vmaf_metal_state_init_external(&state, {}), -ENOSYS);
        EXPECT_EQ(vmaf_metal_import_state(ctx, state), -ENOSYS);
        vmaf_metal_state_free(&state);
        EXPECT_EQ(vmaf_metal_list_devices(), -ENOSYS);
        EXPECT_EQ(vmaf_metal_picture_import(state, 0, 0, 64, 64, 8, 1, 0), -ENOSYS);
        EXPECT_EQ(vmaf_metal_wait_compute(state), -ENOSYS);
        EXPECT_EQ(vmaf_metal_read_imported_pictures(ctx, 0), -ENOSYS);
    }
    if (!vmaf_cuda_available()) {
        VmafCudaState *state = nullptr;
        EXPECT_EQ(vmaf_cuda_state_init(&state, {}), -ENOSYS);
        EXPECT_EQ(vmaf_cuda_import_state(ctx, state), -ENOSYS);
        EXPECT_EQ(vmaf_cuda_preallocate_pictures(ctx, {}), -ENOSYS);
        EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, nullptr), -ENOSYS);
    }
    void *ref = &ref, *dis = &dis;
    const int code = vmaf_sycl_get_frame_buffers(ctx, &ref, &dis);
    EXPECT_TRUE(code == -ENOSYS || code == -EINVAL); // built, but none exist yet
    EXPECT_EQ(ref, nullptr);
    EXPECT_EQ(dis, nullptr);
    if (code == -ENOSYS) {
        auto *state = reinterpret_cast<VmafSyclState *>(&ctx);
        EXPECT_EQ(vmaf_sycl_state_init(&state, {}), -ENOSYS);
        EXPECT_EQ(state, nullptr);
        EXPECT_EQ(vmaf_sycl_import_state(ctx, state), -ENOSYS);
        vmaf_sycl_state_free(&state);
        EXPECT_EQ(vmaf_sycl_list_devices(), -ENOSYS);
        EXPECT_EQ(vmaf_sycl_preallocate_pictures(ctx, {}), -ENOSYS);
        EXPECT_EQ(vmaf_sycl_picture_fetch(ctx, nullptr), -ENOSYS);
        EXPECT_EQ(vmaf_sycl_init_frame_buffers(ctx, 64, 64, 8), -ENOSYS);
        EXPECT_EQ(vmaf_read_pictures_sycl(ctx, 0), -ENOSYS);
        EXPECT_EQ(vmaf_sycl_wait_compute(ctx), -ENOSYS);
        EXPECT_EQ(vmaf_flush_sycl(ctx), -ENOSYS);
        EXPECT_EQ(vmaf_sycl_upload_plane(state, nullptr, 64, 1, 64, 64, 8), -ENOSYS);
        vmaf_sycl_dmabuf_free(state, nullptr);
        vmaf_sycl_profiling_disable(state);
        vmaf_sycl_profiling_print(state);
    }
    // In every build external surfaces and profiling are refused.
    ref = &ref;
    auto *text = reinterpret_cast<char *>(&ctx);
    EXPECT_EQ(vmaf_sycl_dmabuf_import(nullptr, 0, 0, &ref), -ENOSYS);
    EXPECT_EQ(ref, nullptr);
    EXPECT_EQ(vmaf_sycl_import_va_surface(nullptr, nullptr, 0, 1, 64, 64, 8), -ENOSYS);
    EXPECT_EQ(vmaf_sycl_import_d3d11_surface(nullptr, nullptr, nullptr, 0, 1, 64, 64, 8), -ENOSYS);
    EXPECT_EQ(vmaf_sycl_profiling_enable(nullptr), -ENOSYS);
    EXPECT_EQ(vmaf_sycl_profiling_get_string(nullptr, &text), -ENOSYS);
    EXPECT_EQ(text, nullptr);
}

} // namespace
