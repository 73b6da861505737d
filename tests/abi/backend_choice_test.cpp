// The reserved name `turbo` in overloads and options, without a GPU (backends.md 4.6).
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>

#include "client.hpp"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_sycl.h"

namespace {

using namespace capi_test;

int overload(VmafModel *model, const char *name, const char *key, const char *text) {
    VmafFeatureDictionary *options = nullptr;
    EXPECT_EQ(vmaf_feature_dictionary_set(&options, key, text), 0);
    return vmaf_model_feature_overload(model, name, options);
}

TEST(CApi, TurboIsReservedInOverloads) {
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(overload(model, "no_such_feature", "a", "b"), 0); // as in libvmaf
    EXPECT_EQ(overload(model, "turbo", "backends", "cpu"), -EINVAL);
    EXPECT_EQ(overload(model, "turbo", "backend", "gpu"), -EINVAL);
    EXPECT_EQ(overload(model, "turbo", "device", "first"), -EINVAL);
    EXPECT_EQ(overload(model, "turbo", "device", "1"), 0);
    Context ctx;
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), -EINVAL); // a device without a backend
    EXPECT_EQ(overload(model, "turbo", "backend", "cpu"), 0);
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), -EINVAL); // the CPU has no devices
    VmafModelConfig cfg{};
    VmafModel *base = nullptr;
    VmafModelCollection *collection = nullptr;
    ASSERT_EQ(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    for (const auto &[key, code] : {std::pair{"backend", 0}, {"x", -EINVAL}}) {
        VmafFeatureDictionary *options = nullptr;
        EXPECT_EQ(vmaf_feature_dictionary_set(&options, key, "cpu"), 0);
        EXPECT_EQ(vmaf_model_collection_feature_overload(base, &collection, "turbo", options), code);
    }
    EXPECT_EQ(vmaf_use_features_from_model_collection(ctx, collection), 0);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
}

TEST(CApi, TurboIsNoPartOfScoresOrTheirNames) {
    const auto document = [](const char *backend) {
        LoadedModel model("vmaf_v0.6.1");
        if (backend) {
            EXPECT_EQ(overload(model, "turbo", "backend", backend), 0);
        }
        Context ctx;
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        for (unsigned i = 0; i < 3; i++) EXPECT_EQ(feed(ctx, i), 0);
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        double score = 0;
        EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &score, 0, 2), 0);
        EXPECT_EQ(vmaf_write_output(ctx, "turbo.json", VMAF_OUTPUT_FORMAT_JSON), 0);
        std::string text = text_of("turbo.json");
        return text.erase(text.find("\"fps\""), text.find('\n', text.find("\"fps\"")) - text.find("\"fps\""));
    };
    const std::string plain = document(nullptr), used = ",\n  \"backend_used\": \"cpu\"";
    EXPECT_EQ(plain.find("backend_used"), std::string::npos); // as in libvmaf
    std::string asked = document("cpu");
    ASSERT_NE(asked.find(used), std::string::npos);
    EXPECT_EQ(asked.erase(asked.find(used), used.size()), plain);
}

TEST(CApi, TurboContradictionsAreRefused) {
    Context ctx;
    LoadedModel cpu("vmaf_v0.6.1"), first("vmaf_v0.6.1neg", "neg");
    EXPECT_EQ(overload(cpu, "turbo", "backend", "cpu"), 0);
    EXPECT_EQ(vmaf_use_features_from_model(ctx, cpu), 0);
    EXPECT_EQ(overload(first, "turbo", "backend", "auto"), 0);
    EXPECT_EQ(vmaf_use_features_from_model(ctx, first), -EINVAL);
    VmafFeatureDictionary *options = nullptr;
    EXPECT_EQ(vmaf_feature_dictionary_set(&options, "turbo.backend", "auto"), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", options), -EINVAL);
    Context other; // the refusal changed nothing
    EXPECT_EQ(vmaf_use_features_from_model(other, first), 0);
    EXPECT_EQ(feed(other, 0), 0); // on any available backend
}

TEST(CApi, ABackendThatIsNotBuiltIsRefusedAtRegistration) {
    double score = 0;
    for (const auto &[name, is_built] : {std::pair{"cuda", vmaf_cuda_available() != 0},
                                         {"hip", vmaf_hip_available() != 0},
                                         {"sycl", vmaf_sycl_list_devices() != -ENOSYS},
                                         {"metal", vmaf_metal_available() != 0}}) {
        if (is_built) continue;
        Context ctx;
        LoadedModel model("vmaf_v0.6.1");
        EXPECT_EQ(overload(model, "turbo", "backend", name), 0);
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), -ENOSYS);
        VmafFeatureDictionary *options = nullptr;
        EXPECT_EQ(vmaf_feature_dictionary_set(&options, "turbo.backend", name), 0);
        EXPECT_EQ(vmaf_use_feature(ctx, "psnr", options), -ENOSYS);
        EXPECT_EQ(feed(ctx, 0), 0); // the context is unchanged
        EXPECT_EQ(vmaf_feature_score_at_index(ctx, "psnr_y", &score, 0), -EINVAL);
    }
}

TEST(CApi, AutoSaysWhereItComputes) {
    VmafConfiguration configuration = quiet();
    configuration.log_level = VMAF_LOG_LEVEL_INFO;
    Context ctx(configuration);
    LoadedModel model("vmaf_v0.6.1");
    EXPECT_EQ(overload(model, "turbo", "backend", "auto"), 0);
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    testing::internal::CaptureStderr();
    for (unsigned i = 0; i < 3; i++) EXPECT_EQ(feed(ctx, i), 0);
    const std::string said = testing::internal::GetCapturedStderr();
    const std::size_t first = said.find("computing on ");
    EXPECT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find("computing on ", first + 1), std::string::npos) << said; // once
}

} // namespace
