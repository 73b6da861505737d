// Misuse by clients: refused calls change nothing, callbacks call back, samples are invalid, enums have any value.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "../support/process_usage.hpp"
#include "client.hpp"

namespace {

using namespace capi_test;

// Scores over the first frames, without NaN; missing ones are -1.
std::vector<double> scores_of(VmafContext *ctx, const char *name, unsigned frames) {
    std::vector<double> scores(frames, -1);
    for (unsigned i = 0; i < frames; i++) vmaf_feature_score_at_index(ctx, name, &scores[i], i);
    return scores;
}

constexpr const char *kVif = "VMAF_integer_feature_vif_scale0_score";
constexpr const char *kMotion2 = "VMAF_integer_feature_motion2_score";

// Everything the default model needs, from an undisturbed run.
std::map<std::string, std::vector<double>> straight_run(unsigned threads, unsigned frames, unsigned w = 64,
                                                        unsigned h = 48) {
    Context ctx(quiet(threads));
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    for (unsigned i = 0; i < frames; i++) EXPECT_EQ(feed(ctx, i, w, h), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    double mean = 0;
    EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &mean, 0, frames - 1), 0);
    return {{"vmaf", scores_of(ctx, "vmaf", frames)}, {kVif, scores_of(ctx, kVif, frames)}};
}

int feed_pair(VmafContext *ctx, VmafPicture ref, VmafPicture dis, unsigned index) {
    const int err = vmaf_read_pictures(ctx, &ref, &dis, index);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dis);
    }
    return err;
}

// ---- long runs ----

TEST(Soak, MemoryAndHandlesDoNotGrow) {
    const unsigned frames = soak::frames(3000);
    for (unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
        std::optional<soak::Usage> early;
        for (unsigned i = 0; i < frames; i++) {
            ASSERT_EQ(feed(ctx, i, 16, 16), 0);
            if (i == frames / 10) early = soak::usage();
        }
        const auto late = soak::usage();
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        if (!early || !late) continue; // this system does not report it
        EXPECT_EQ(late->handles, early->handles);
        EXPECT_EQ(late->threads, early->threads);
        if (std::getenv("VMAF_SOAK")) { // sanitizers delay freeing
            EXPECT_LT(late->bytes - early->bytes, soak::kBytesPerFrame * frames + soak::kOtherBytes);
        }
    }
}

// ---- children ----

#ifndef _WIN32
TEST(Children, OfAForkAreRefusedTheContextOfTheirParent) {
    for (unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        for (unsigned i = 0; i < 3; i++) EXPECT_EQ(feed(ctx, i, 64, 48), 0);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(20); // ends a wait for threads that do not exist
            double score = 0;
            const bool are_refused = feed(ctx, 3, 64, 48) == -EPERM &&
                                     vmaf_read_pictures(ctx, nullptr, nullptr, 0) == -EPERM &&
                                     vmaf_score_at_index(ctx, model, &score, 0) == -EPERM &&
                                     vmaf_use_feature(ctx, "psnr", nullptr) == -EPERM &&
                                     vmaf_write_output(ctx, "/dev/null", VMAF_OUTPUT_FORMAT_XML) == -EPERM &&
                                     vmaf_close(ctx) == (threads ? -EPERM : 0);
            VmafContext *own = nullptr; // a new context works
            const bool can_work = vmaf_init(&own, quiet(0)) == 0 && vmaf_use_feature(own, "psnr", nullptr) == 0 &&
                                  feed(own, 0, 64, 48) == 0 && vmaf_read_pictures(own, nullptr, nullptr, 0) == 0 &&
                                  vmaf_close(own) == 0;
            _exit(are_refused && can_work ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
        EXPECT_EQ(feed(ctx, 3, 64, 48), 0); // the parent continues
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    }
}
#endif

// ---- refused calls leave no trace ----

TEST(Refusals, APictureThatOneMetricRefusesPreparesNone) {
    for (unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0); // prepared for 64x64 ...
        EXPECT_EQ(vmaf_use_feature(ctx, "cambi", nullptr), 0);  // ... which this refuses
        EXPECT_EQ(feed(ctx, 0, 64, 64), -EINVAL);
        for (unsigned i = 0; i < 3; i++) EXPECT_EQ(feed(ctx, i, 240, 120), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        double mean = 0;
        EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &mean, 0, 2), 0);
        EXPECT_EQ(scores_of(ctx, "vmaf", 3), straight_run(0, 3, 240, 120)["vmaf"]);
    }
}

TEST(Refusals, EveryMetricSurvivesAChangeOfMind) {
    for (const char *feature :
         {"adm", "vif", "motion", "psnr", "ciede", "psnr_hvs", "float_ssim", "float_ms_ssim", "ssimulacra2",
          "float_vif", "float_adm", "float_motion", "float_ansnr", "speed_chroma", "speed_temporal", "ssim"}) {
        Context ctx;
        const int known = vmaf_use_feature(ctx, feature, nullptr);
        if (known != 0) continue; // not in every build
        EXPECT_EQ(vmaf_use_feature(ctx, "cambi", nullptr), 0);
        for (const auto &[w, h] : {std::pair{100u, 180u}, {32u, 32u}, {200u, 20u}})
            EXPECT_EQ(feed(ctx, 0, w, h), -EINVAL) << feature;
        EXPECT_EQ(feed(ctx, 0, 320, 240), 0) << feature;
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0) << feature;
    }
}

TEST(Refusals, ContextsContinueAfterRefusedFrames) {
    const auto expected = straight_run(0, 6);
    for (unsigned threads : {0u, 1u, 3u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        EXPECT_EQ(feed(ctx, 1), -EINVAL);                                 // number 0 was not read
        EXPECT_EQ(feed(ctx, 7, 640, 480), -EINVAL);                       // another size
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), -EINVAL); // nothing to flush
        for (unsigned i = 0; i < 6; i++) {
            EXPECT_EQ(feed(ctx, i), 0) << i;
            EXPECT_EQ(feed(ctx, i), -EINVAL); // already read
            EXPECT_EQ(feed(ctx, i, 66, 48), -EINVAL);
            if (i) {
                EXPECT_EQ(feed(ctx, i - 1), -EINVAL);
            }
            EXPECT_EQ(feed(ctx, 1u << 30), -EINVAL); // beyond the largest number
            VmafPicture ref = picture(64, 48, 1);
            EXPECT_EQ(vmaf_read_pictures(ctx, &ref, nullptr, i + 1), -EINVAL);
            vmaf_picture_unref(&ref);
            EXPECT_EQ(vmaf_use_feature(ctx, "nosuch", nullptr), -EINVAL);
            EXPECT_EQ(vmaf_import_feature_score(ctx, kVif, 1, i), -EINVAL); // the frame will produce one
            EXPECT_EQ(vmaf_import_feature_score(ctx, kMotion2, 1, i), -EINVAL);
        }
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        double mean = 0;
        EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &mean, 0, 5), 0);
        EXPECT_EQ(scores_of(ctx, "vmaf", 6), expected.at("vmaf")) << threads;
        EXPECT_EQ(scores_of(ctx, kVif, 6), expected.at(kVif)) << threads;
    }
}

TEST(Refusals, FramesWithImportedScoresAreRefusedAndOthersAreNot) {
    for (unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
        EXPECT_EQ(vmaf_import_feature_score(ctx, kVif, 0.5, 1), 0);
        EXPECT_EQ(feed(ctx, 0), 0);
        EXPECT_EQ(feed(ctx, 1), -EINVAL);
        EXPECT_EQ(feed(ctx, 2), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        EXPECT_EQ(scores_of(ctx, kVif, 3)[1], 0.5);
        EXPECT_GT(scores_of(ctx, kVif, 3)[2], 0);
    }
}

TEST(Refusals, LateRegistrationsStartWhereTheyAreOrAreRefused) {
    const auto expected = straight_run(0, 8);
    for (unsigned threads : {0u, 2u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
        for (unsigned i = 0; i < 3; i++) EXPECT_EQ(feed(ctx, i), 0);
        EXPECT_EQ(vmaf_use_feature(ctx, "cambi", nullptr), -EINVAL); // too small for cambi
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        EXPECT_EQ(vmaf_use_feature(ctx, "float_motion", nullptr), 0);
        for (unsigned i = 3; i < 8; i++) EXPECT_EQ(feed(ctx, i), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        const std::vector<double> vif = scores_of(ctx, kVif, 8);
        for (unsigned i = 0; i < 8; i++) EXPECT_EQ(vif[i], i < 3 ? -1 : expected.at(kVif)[i]) << i;
        // Frame 3 has no earlier picture for the late metrics: no score rather than a wrong one.
        const std::vector<double> sad = scores_of(ctx, "VMAF_integer_feature_motion_sad_score", 8);
        const std::vector<double> motion2 = scores_of(ctx, "VMAF_feature_motion2_score", 8);
        EXPECT_EQ(sad[3], -1);
        EXPECT_EQ(motion2[3], -1);
        for (unsigned i = 4; i < 8; i++) {
            EXPECT_GT(sad[i], 0) << i;
            EXPECT_GT(motion2[i], 0) << i;
        }
    }
}

TEST(Refusals, ASecondPoolReplacesTheFirst) {
    Context ctx;
    VmafPictureConfiguration cfg{};
    cfg.pic_params.w = 64;
    cfg.pic_params.h = 48;
    cfg.pic_params.bpc = 8;
    cfg.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
    cfg.pic_cnt = 2;
    ASSERT_EQ(vmaf_preallocate_pictures(ctx, cfg), 0);
    VmafPicture old[2], fresh[3];
    for (VmafPicture &pic : old) ASSERT_EQ(vmaf_fetch_preallocated_picture(ctx, &pic), 0);
    cfg.pic_cnt = 3;
    cfg.pic_params.w = 80;
    ASSERT_EQ(vmaf_preallocate_pictures(ctx, cfg), 0);
    for (VmafPicture &pic : fresh) {
        ASSERT_EQ(vmaf_fetch_preallocated_picture(ctx, &pic), 0);
        EXPECT_EQ(pic.w[0], 80u);
    }
    cfg.pic_params.bpc = 99;
    EXPECT_EQ(vmaf_preallocate_pictures(ctx, cfg), -EINVAL); // the second pool stays
    std::memset(old[0].data[0], 7, 64);                      // the caller still owns it
    for (VmafPicture &pic : old) EXPECT_EQ(vmaf_picture_unref(&pic), 0);
    for (VmafPicture &pic : fresh) EXPECT_EQ(vmaf_picture_unref(&pic), 0);
    EXPECT_EQ(vmaf_fetch_preallocated_picture(ctx, &fresh[0]), 0);
    EXPECT_EQ(fresh[0].w[0], 80u);
    EXPECT_EQ(vmaf_picture_unref(&fresh[0]), 0);
}

TEST(Refusals, OverloadsDoNotReachWhatIsRegistered) {
    Context ctx;
    LoadedModel model("vmaf_v0.6.1");
    VmafFeatureDictionary *dict = nullptr;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.0");
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    EXPECT_EQ(vmaf_model_feature_overload(model, "vif", dict), 0); // changes the model, not the registered features
    EXPECT_EQ(feed(ctx, 0), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    EXPECT_GE(scores_of(ctx, kVif, 1)[0], 0);
}

// ---- callbacks ----

struct Client {
    VmafContext *ctx = nullptr;
    VmafModel *model = nullptr;
    std::atomic<unsigned> calls{0};
    std::atomic<bool> go_on{true};
};

TEST(Callbacks, ModelsMayGoBeforeAnUnflushedContext) {
    for (int round = 0; round < 5; round++) {
        Client client;
        VmafContext *ctx = nullptr;
        ASSERT_EQ(vmaf_init(&ctx, quiet(2)), 0);
        VmafModel *model = nullptr;
        VmafModelConfig cfg{};
        ASSERT_EQ(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        char name[] = "VMAF_integer_feature_vif_scale0_score";
        EXPECT_EQ(vmaf_register_metadata_handler(
                      ctx, {name, [](void *data, VmafMetadata *) { static_cast<Client *>(data)->calls++; }, &client}),
                  0);
        for (unsigned i = 0; i < 6; i++) EXPECT_EQ(feed(ctx, i), 0);
        vmaf_model_destroy(model);
        EXPECT_EQ(vmaf_close(ctx), 0);
        EXPECT_EQ(client.calls, 6u);
    }
}

TEST(Callbacks, CallsThatWouldWaitForTheCallbackAreRefused) {
    for (unsigned threads : {0u, 1u, 3u}) {
        Context ctx(quiet(threads));
        LoadedModel model("vmaf_v0.6.1");
        Client client;
        client.ctx = ctx;
        client.model = model;
        VmafPictureConfiguration pool{};
        pool.pic_params = {64, 48, 8, VMAF_PIX_FMT_YUV420P};
        pool.pic_cnt = 1;
        EXPECT_EQ(vmaf_preallocate_pictures(ctx, pool), 0);
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        const auto misbehave = [](void *data, VmafMetadata *m) {
            auto &c = *static_cast<Client *>(data);
            const unsigned call = ++c.calls;
            EXPECT_EQ(feed(c.ctx, m->picture_index + 100), -EINVAL);
            EXPECT_EQ(vmaf_read_pictures(c.ctx, nullptr, nullptr, 0), -EINVAL);
            EXPECT_EQ(vmaf_close(c.ctx), -EINVAL);
            EXPECT_EQ(vmaf_use_feature(c.ctx, "psnr", nullptr), -EINVAL);
            EXPECT_EQ(vmaf_use_features_from_model(c.ctx, c.model), -EINVAL);
            VmafPictureConfiguration cfg{};
            cfg.pic_params = {64, 48, 8, VMAF_PIX_FMT_YUV420P};
            cfg.pic_cnt = 1;
            VmafPicture pic;
            EXPECT_EQ(vmaf_preallocate_pictures(c.ctx, cfg), -EINVAL);
            EXPECT_EQ(vmaf_fetch_preallocated_picture(c.ctx, &pic), -EINVAL);
            // Calls that do not wait are allowed.
            double score = 0;
            EXPECT_EQ(vmaf_feature_score_at_index(c.ctx, m->feature_name, &score, m->picture_index), 0);
            vmaf_score_at_index(c.ctx, c.model, &score, m->picture_index);
            vmaf_feature_score_pooled(c.ctx, m->feature_name, VMAF_POOL_METHOD_MEAN, &score, 0, m->picture_index);
            vmaf_score_pooled(c.ctx, c.model, VMAF_POOL_METHOD_MEAN, &score, 0, m->picture_index);
            EXPECT_EQ(vmaf_import_feature_score(c.ctx, "mine", m->score, call), 0);
            EXPECT_EQ(vmaf_write_output(c.ctx, "/dev/null", VMAF_OUTPUT_FORMAT_JSON), 0);
            // Other contexts are not affected.
            Context other;
            EXPECT_EQ(vmaf_use_feature(other, "vif", nullptr), 0);
            EXPECT_EQ(feed(other, 0), 0);
            EXPECT_EQ(vmaf_read_pictures(other, nullptr, nullptr, 0), 0);
        };
        char vif[] = "VMAF_integer_feature_vif_scale0_score", prediction[] = "vmaf", imported[] = "elsewhere";
        for (char *name : {vif, prediction, imported})
            EXPECT_EQ(vmaf_register_metadata_handler(ctx, {name, misbehave, &client}), 0);
        EXPECT_EQ(vmaf_import_feature_score(ctx, imported, 1, 1000), 0);
        for (unsigned i = 0; i < 4; i++) EXPECT_EQ(feed(ctx, i), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        EXPECT_EQ(client.calls, 9u) << threads; // vif and vmaf of four frames, and the imported score
        EXPECT_EQ(scores_of(ctx, kVif, 4), straight_run(0, 4)[kVif]);
    }
}

TEST(Callbacks, ContextsThatFeedEachOtherInACycleAreRefused) {
    struct Pair {
        VmafContext *first = nullptr, *second = nullptr;
        int fed_second = 1, fed_first = 1;
    } pair;
    Context first, second;
    pair.first = first;
    pair.second = second;
    for (VmafContext *ctx : {pair.first, pair.second}) EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    char name[] = "psnr_y";
    const auto feeds_second = [](void *data, VmafMetadata *m) {
        auto &p = *static_cast<Pair *>(data);
        p.fed_second = feed(p.second, m->picture_index);
    };
    const auto feeds_first = [](void *data, VmafMetadata *m) {
        auto &p = *static_cast<Pair *>(data);
        p.fed_first = feed(p.first, m->picture_index + 1);
        EXPECT_EQ(vmaf_close(p.first), -EINVAL);
        EXPECT_EQ(vmaf_close(p.second), -EINVAL);
    };
    EXPECT_EQ(vmaf_register_metadata_handler(first, {name, feeds_second, &pair}), 0);
    EXPECT_EQ(vmaf_register_metadata_handler(second, {name, feeds_first, &pair}), 0);
    EXPECT_EQ(feed(first, 0), 0);
    EXPECT_EQ(pair.fed_second, 0);
    EXPECT_EQ(pair.fed_first, -EINVAL);
}

TEST(Models, SharedByContextsMayGoWhenTheyLike) {
    VmafModel *model = nullptr;
    VmafModelConfig cfg{};
    ASSERT_EQ(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    Context late;
    double of_early = 0, of_late = 0;
    {
        Context early(quiet(3));
        for (VmafContext *ctx : {early.ctx, late.ctx}) {
            EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
            for (unsigned i = 0; i < 4; i++) EXPECT_EQ(feed(ctx, i), 0);
            EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        }
        EXPECT_EQ(vmaf_score_pooled(early, model, VMAF_POOL_METHOD_MEAN, &of_early, 0, 3), 0);
    }
    EXPECT_EQ(vmaf_score_pooled(late, model, VMAF_POOL_METHOD_MEAN, &of_late, 0, 3), 0);
    EXPECT_EQ(of_early, of_late);
    vmaf_model_destroy(model);
    EXPECT_EQ(vmaf_feature_score_pooled(late, kVif, VMAF_POOL_METHOD_MEAN, &of_late, 0, 3), 0);
    EXPECT_EQ(vmaf_write_output(late, "/dev/null", VMAF_OUTPUT_FORMAT_XML), 0);
}

TEST(Pictures, GivenBackTwiceAreRefused) {
    VmafPicture pic = picture(64, 48, 1), none{};
    EXPECT_EQ(vmaf_picture_unref(&pic), 0);
    EXPECT_EQ(vmaf_picture_unref(&pic), -EINVAL);
    EXPECT_EQ(vmaf_picture_unref(&none), -EINVAL);
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    VmafPicture ref = picture(64, 48, 1), dis = picture(64, 48, 2);
    EXPECT_EQ(vmaf_read_pictures(ctx, &ref, &dis, 0), 0);
    EXPECT_EQ(vmaf_picture_unref(&ref), -EINVAL); // the context owns them
    EXPECT_EQ(vmaf_picture_unref(&dis), -EINVAL);
}

TEST(Callbacks, ClosingWithoutFlushWaitsForThem) {
    Client client;
    {
        Context ctx(quiet(3));
        client.ctx = ctx;
        EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
        char name[] = "VMAF_integer_feature_vif_scale3_score";
        EXPECT_EQ(vmaf_register_metadata_handler(
                      ctx, {name,
                            [](void *data, VmafMetadata *m) {
                                auto &c = *static_cast<Client *>(data);
                                double score = 0;
                                EXPECT_EQ(vmaf_feature_score_at_index(c.ctx, m->feature_name, &score, m->picture_index),
                                          0);
                                EXPECT_EQ(feed(c.ctx, 50 + m->picture_index), -EINVAL);
                                c.calls++;
                            },
                            &client}),
                  0);
        for (unsigned i = 0; i < 8; i++) EXPECT_EQ(feed(ctx, i), 0);
    }
    EXPECT_EQ(client.calls, 8u);
}

// ---- samples above the stated depth ----

VmafPicture with_sample(unsigned plane, unsigned short value, unsigned bpc = 10,
                        VmafPixelFormat format = VMAF_PIX_FMT_YUV420P) {
    VmafPicture pic = picture(64, 48, 3, bpc, format);
    auto *row = reinterpret_cast<unsigned short *>(static_cast<char *>(pic.data[plane]) + 5 * pic.stride[plane]);
    row[pic.w[plane] - 1] = value;
    return pic;
}

TEST(Samples, AboveTheDepthAreRefusedWithoutThreads) {
    Context ctx;
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    EXPECT_EQ(feed_pair(ctx, with_sample(0, 1024), picture(64, 48, 1, 10), 0), -EINVAL);
    EXPECT_EQ(feed_pair(ctx, picture(64, 48, 1, 10), with_sample(0, 0xffff), 0), -EINVAL);
    EXPECT_EQ(feed_pair(ctx, picture(64, 48, 1, 12), with_sample(0, 4096, 12), 0), -EINVAL); // does not fix the depth
    EXPECT_EQ(feed_pair(ctx, with_sample(0, 1023), with_sample(0, 1023), 0), 0);
    EXPECT_EQ(feed_pair(ctx, with_sample(1, 0x8000), with_sample(2, 0x8000), 1), 0); // chroma is not read
    EXPECT_EQ(feed_pair(ctx, with_sample(0, 1024), picture(64, 48, 1, 10), 2), -EINVAL);
    EXPECT_EQ(feed_pair(ctx, picture(64, 48, 2, 10), picture(64, 48, 1, 10), 2), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    EXPECT_EQ(feed_pair(ctx, with_sample(1, 0x8000), picture(64, 48, 1, 10), 3), -EINVAL); // now it is
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), -EINVAL);                      // psnr has no picture
    EXPECT_EQ(feed_pair(ctx, picture(64, 48, 2, 10), picture(64, 48, 1, 10), 3), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    double mean = 0;
    EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &mean, 0, 3), 0);
}

TEST(Samples, AboveTheDepthAreReportedByTheNextCallWithThreads) {
    for (unsigned threads : {1u, 3u}) {
        Context ctx(quiet(threads));
        EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
        EXPECT_EQ(feed_pair(ctx, picture(64, 48, 1, 10), picture(64, 48, 2, 10), 0), 0);
        EXPECT_EQ(feed_pair(ctx, picture(64, 48, 1, 10), with_sample(0, 0x4000), 1), 0);
        EXPECT_EQ(feed_pair(ctx, picture(64, 48, 1, 10), picture(64, 48, 2, 10), 2), -EINVAL); // reports frame 1, once
        EXPECT_EQ(feed_pair(ctx, picture(64, 48, 1, 10), picture(64, 48, 2, 10), 2), 0);
        EXPECT_EQ(feed_pair(ctx, with_sample(0, 0x4000, 12), picture(64, 48, 1, 12), 3), -EINVAL); // another depth
        EXPECT_EQ(feed_pair(ctx, with_sample(0, 0x4000), picture(64, 48, 1, 10), 3), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), -EINVAL); // reports frame 3
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        const std::vector<double> vif = scores_of(ctx, kVif, 4);
        EXPECT_GT(vif[0], 0);
        EXPECT_EQ(vif[1], -1);
        EXPECT_EQ(vif[2], vif[0]);
        EXPECT_EQ(vif[3], -1);
    }
}

TEST(Samples, EveryDepthAndPositionIsChecked) {
    for (unsigned bpc = 9; bpc < 16; bpc++) {
        Context ctx;
        EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
        for (unsigned w : {8u, 31u, 33u, 64u, 130u, 257u}) {
            const unsigned h = 9;
            for (unsigned x : {0u, w / 2, w - 1})
                for (unsigned y : {0u, h - 1}) {
                    VmafPicture dis = picture(w, h, 1, bpc);
                    reinterpret_cast<unsigned short *>(static_cast<char *>(dis.data[0]) +
                                                       static_cast<ptrdiff_t>(y) * dis.stride[0])[x] =
                        static_cast<unsigned short>(1u << bpc);
                    EXPECT_EQ(feed_pair(ctx, picture(w, h, 2, bpc), dis, 0), -EINVAL)
                        << bpc << " " << w << " " << x << " " << y;
                }
            // Bytes after the rows do not matter.
            VmafPicture ref = picture(w, h, 1, bpc);
            for (unsigned y = 0; y < h; y++) {
                auto *row = reinterpret_cast<unsigned short *>(static_cast<char *>(ref.data[0]) +
                                                               static_cast<ptrdiff_t>(y) * ref.stride[0]);
                for (std::size_t x = w; x < static_cast<std::size_t>(ref.stride[0]) / 2; x++) row[x] = 0xffff;
            }
            Context fresh;
            EXPECT_EQ(vmaf_use_feature(fresh, "vif", nullptr), 0);
            EXPECT_EQ(feed_pair(fresh, ref, picture(w, h, 2, bpc), 0), 0);
        }
    }
}

// ---- enums ----

// As in C, where an enum is a number; hides the C++ undefined behaviour from the sanitizer.
#define LIKE_C __attribute__((no_sanitize("undefined")))

template <class Enum> LIKE_C Enum number(int value) {
    Enum e;
    std::memcpy(&e, &value, sizeof e);
    return e;
}

LIKE_C void try_number(int value) {
    VmafConfiguration cfg{};
    cfg.log_level = number<VmafLogLevel>(value > 0 ? -value : value); // none: keeps the test quiet
    VmafContext *ctx = nullptr;
    ASSERT_EQ(vmaf_init(&ctx, cfg), 0);
    VmafPicture pic;
    EXPECT_EQ(vmaf_picture_alloc(&pic, number<VmafPixelFormat>(value), 8, 16, 16), -EINVAL);
    VmafPictureConfiguration pool{};
    pool.pic_params.w = pool.pic_params.h = 64;
    pool.pic_params.bpc = 8;
    pool.pic_params.pix_fmt = number<VmafPixelFormat>(value);
    pool.pic_cnt = 1;
    EXPECT_EQ(vmaf_preallocate_pictures(ctx, pool), -EINVAL);
    EXPECT_EQ(vmaf_import_feature_score(ctx, "x", 1, 0), 0);
    double score = 0;
    EXPECT_EQ(vmaf_feature_score_pooled(ctx, "x", number<VmafPoolingMethod>(value), &score, 0, 0), -EINVAL);
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(vmaf_import_feature_score(ctx, "vmaf", 1, 0), 0);
    EXPECT_EQ(vmaf_score_pooled(ctx, model, number<VmafPoolingMethod>(value), &score, 0, 0), -EINVAL);
    VmafModel *base = nullptr;
    VmafModelCollection *collection = nullptr;
    VmafModelConfig model_cfg{nullptr, ~0ull};
    ASSERT_EQ(vmaf_model_collection_load(&base, &collection, &model_cfg, "vmaf_b_v0.6.3"), 0);
    VmafModelCollectionScore out;
    EXPECT_EQ(vmaf_score_pooled_model_collection(ctx, collection, number<VmafPoolingMethod>(value), &out, 0, 0),
              -EINVAL);
    EXPECT_EQ(vmaf_write_output(ctx, "/dev/null", number<VmafOutputFormat>(value)), -EINVAL);
    EXPECT_EQ(vmaf_write_output_with_format(ctx, "/dev/null", number<VmafOutputFormat>(value), nullptr), -EINVAL);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
    EXPECT_EQ(vmaf_close(ctx), 0);
}

TEST(Enums, AnyNumberIsReadAsOne) {
    for (int value : {-2147483647 - 1, -1, 5, 6, 77, 2147483647}) try_number(value);
}

} // namespace
