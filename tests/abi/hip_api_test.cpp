// libvmaf_hip.h as clients use it (backends.md 13.3), over the runtime of tests/fake_driver.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

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
    EXPECT_EQ(vmaf_hip_state_init(&state, {.device_index = -1, .flags = 0}), 0); // later it works
    vmaf_hip_state_free(&state);
    EXPECT_EQ(state, nullptr);
}

TEST(HipApi, StatesAndContextsEndInAnyOrder) {
    VmafHipState *state = nullptr;
    ASSERT_EQ(vmaf_hip_state_init(&state, {.device_index = 0, .flags = 0}), 0);
    EXPECT_EQ(vmaf_hip_import_state(nullptr, state), -EINVAL);
    VmafContext *first = context(), *second = context();
    EXPECT_EQ(vmaf_hip_import_state(first, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_use_feature(first, "vif_hip", nullptr), -EINVAL); // nothing is imported yet
    EXPECT_EQ(vmaf_hip_import_state(first, state), 0);
    EXPECT_EQ(vmaf_hip_import_state(first, state), -EINVAL); // one is enough
    EXPECT_EQ(vmaf_use_feature(first, "vif_hip", nullptr), 0);
    EXPECT_EQ(vmaf_use_feature(first, "vif_cuda", nullptr), -EINVAL);
    EXPECT_EQ(vmaf_hip_import_state(second, state), 0);
    EXPECT_EQ(vmaf_close(first), 0);
    vmaf_hip_state_free(&state);
    EXPECT_EQ(vmaf_close(second), 0);
}

} // namespace
