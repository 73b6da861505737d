// libvmaf_hip.h as clients use it (backends.md 13.3), with the runtime of tests/fake_driver.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "client.hpp"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_hip.h"

namespace {

VmafContext *context() {
    VmafContext *ctx = nullptr;
    EXPECT_EQ(vmaf_init(&ctx, {}), 0);
    return ctx;
}

TEST(HipApi, ReturnCodes) {
    EXPECT_EQ(vmaf_hip_available(), 1);
    EXPECT_EQ(vmaf_hip_list_devices(), 1);
    auto *state = reinterpret_cast<VmafHipState *>(8);
    EXPECT_EQ(vmaf_hip_state_init(nullptr, {}), -EINVAL);
    EXPECT_EQ(vmaf_hip_state_init(&state, {.device_index = -2, .flags = 0}), -EINVAL);
    EXPECT_EQ(state, nullptr);
    EXPECT_EQ(vmaf_hip_state_init(&state, {.device_index = 0, .flags = 1}), -EINVAL);
    EXPECT_EQ(vmaf_hip_state_init(&state, {.device_index = 1, .flags = 0}), -ENODEV);
    EXPECT_EQ(state, nullptr);
    vmaf_hip_state_free(nullptr);
    vmaf_hip_state_free(&state);
    setenv("FAKE_HIP_DEVICES", "0", 1);
    EXPECT_EQ(vmaf_hip_state_init(&state, {.device_index = -1, .flags = 0}), -ENODEV);
    EXPECT_EQ(vmaf_hip_list_devices(), -ENODEV);
    unsetenv("FAKE_HIP_DEVICES");
    EXPECT_EQ(vmaf_hip_state_init(&state, {.device_index = -1, .flags = 0}), 0); // works on retry
    vmaf_hip_state_free(&state);
    EXPECT_EQ(state, nullptr);
}

TEST(HipApi, StatesAndContextsEndInAnyOrder) {
    VmafHipState *state = nullptr;
    ASSERT_EQ(vmaf_hip_state_init(&state, {.device_index = 0, .flags = 0}), 0);
    EXPECT_EQ(vmaf_hip_import_state(nullptr, state), -EINVAL);
    VmafContext *first = context(), *second = context();
    EXPECT_EQ(vmaf_hip_import_state(first, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_use_feature(first, "vif_hip", nullptr), -EINVAL); // nothing imported yet
    EXPECT_EQ(vmaf_hip_import_state(first, state), 0);
    EXPECT_EQ(vmaf_hip_import_state(first, state), -EINVAL); // one device per context
    EXPECT_EQ(vmaf_use_feature(first, "vif_hip", nullptr), 0);
    EXPECT_EQ(vmaf_use_feature(first, "vif_cuda", nullptr), -EINVAL);
    EXPECT_EQ(vmaf_hip_import_state(second, state), 0);
    EXPECT_EQ(vmaf_close(first), 0);
    vmaf_hip_state_free(&state);
    EXPECT_EQ(vmaf_close(second), 0);
}

// A context with a model that selects HIP.
struct Turbo {
    VmafContext *ctx = context();
    VmafModel *model = nullptr;
    explicit Turbo(const char *backend = "hip", const char *device = nullptr) {
        VmafModelConfig config{"vmaf", 0};
        EXPECT_EQ(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
        VmafFeatureDictionary *options = nullptr;
        EXPECT_EQ(vmaf_feature_dictionary_set(&options, "backend", backend), 0);
        if (device) {
            EXPECT_EQ(vmaf_feature_dictionary_set(&options, "device", device), 0);
        }
        EXPECT_EQ(vmaf_model_feature_overload(model, "turbo", options), 0);
    }
    ~Turbo() {
        vmaf_model_destroy(model);
        EXPECT_EQ(vmaf_close(ctx), 0);
    }
    int use() { return vmaf_use_features_from_model(ctx, model); }
    int feed(unsigned index) { return capi_test::feed(ctx, index); }
    std::string document() const {
        EXPECT_EQ(vmaf_write_output(ctx, "turbo_hip.json", VMAF_OUTPUT_FORMAT_JSON), 0);
        std::ifstream file("turbo_hip.json");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        std::remove("turbo_hip.json");
        return text;
    }
};

TEST(TurboBackend, ScoresComeFromIt) {
    Turbo turbo;
    ASSERT_EQ(turbo.use(), 0);
    EXPECT_EQ(vmaf_use_feature(turbo.ctx, "psnr_hip", nullptr), 0); // active from now on
    EXPECT_EQ(vmaf_use_feature(turbo.ctx, "psnr_cuda", nullptr), -EINVAL);
    for (unsigned i = 0; i < 5; i++) EXPECT_EQ(turbo.feed(i), 0);
    EXPECT_EQ(vmaf_read_pictures(turbo.ctx, nullptr, nullptr, 0), 0);
    EXPECT_NE(turbo.document().find("\"backend_used\": \"hip\""), std::string::npos);
}

TEST(TurboBackend, AFeatureMayAskForItToo) {
    VmafContext *ctx = context();
    VmafFeatureDictionary *options = nullptr;
    EXPECT_EQ(vmaf_feature_dictionary_set(&options, "turbo.backend", "hip"), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "vif_hip", options), 0);
    EXPECT_EQ(capi_test::feed(ctx, 0), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    EXPECT_EQ(vmaf_close(ctx), 0);
}

TEST(TurboBackend, TheDriverStartsWithTheFirstPictures) {
    setenv("FAKE_HIP_DEVICES", "0", 1);
    Turbo turbo;
    EXPECT_EQ(turbo.use(), 0);
    EXPECT_EQ(turbo.feed(0), -ENODEV); // immediately, not at the flush
    EXPECT_EQ(turbo.feed(0), -ENODEV);
    unsetenv("FAKE_HIP_DEVICES");
    EXPECT_EQ(turbo.feed(0), 0);
    Turbo second("hip", "1");
    EXPECT_EQ(second.use(), 0);
    EXPECT_EQ(second.feed(0), -ENODEV); // the device exists
}

TEST(TurboBackend, AutoFallsBackSoftly) {
    setenv("FAKE_HIP_DEVICES", "0", 1);
    Turbo turbo("auto");
    EXPECT_EQ(turbo.use(), 0);
    for (unsigned i = 0; i < 2; i++) EXPECT_EQ(turbo.feed(i), 0);
    unsetenv("FAKE_HIP_DEVICES");
    EXPECT_EQ(vmaf_read_pictures(turbo.ctx, nullptr, nullptr, 0), 0);
    EXPECT_NE(turbo.document().find("\"backend_used\": \"cpu\""), std::string::npos);
    setenv("FAKE_HIP_FAIL", "hipMalloc=2", 1); // it starts, but has no memory
    Turbo small("auto");
    EXPECT_EQ(small.use(), 0);
    EXPECT_EQ(small.feed(0), 0);
    unsetenv("FAKE_HIP_FAIL");
}

TEST(TurboBackend, AnImportedStateAgreesOrIsRefused) {
    VmafHipState *state = nullptr;
    ASSERT_EQ(vmaf_hip_state_init(&state, {.device_index = 0, .flags = 0}), 0);
    Turbo same, other("cpu"), late("cpu");
    EXPECT_EQ(vmaf_hip_import_state(same.ctx, state), 0);
    EXPECT_EQ(same.use(), 0);
    EXPECT_EQ(same.feed(0), 0);
    EXPECT_EQ(vmaf_hip_import_state(other.ctx, state), 0);
    EXPECT_EQ(other.use(), -EINVAL);
    EXPECT_EQ(late.use(), 0);
    EXPECT_EQ(vmaf_hip_import_state(late.ctx, state), -EINVAL);
    EXPECT_EQ(late.feed(0), 0);
    vmaf_hip_state_free(&state);
}

TEST(TurboBackend, ComesBeforeTheFirstPictures) {
    Turbo late;
    EXPECT_EQ(vmaf_use_feature(late.ctx, "psnr", nullptr), 0);
    EXPECT_EQ(late.feed(0), 0);
    EXPECT_EQ(late.use(), -EINVAL);
    EXPECT_EQ(late.feed(1), 0);
}

} // namespace
