// libvmaf_cuda.h as clients use it (c-api.md 10, backends.md 13.1): return codes, lifetimes, pictures, scores. Runs
// everywhere, since the device is the host device under another name; tests/cli/test_cuda.py and bench/device_check.sh
// (on real devices) test the driver.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/host/host_device.hpp"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"

namespace {

std::atomic<int> devices{0}, blocks{0};
std::atomic<unsigned> pinned_made{0};
std::atomic<bool> driver_fails{false};
void *context_given = nullptr;

// Counts the objects alive on it.
class TestDevice final : public vmaf::Device {
  public:
    TestDevice() : info_(inner_->info()) {
        info_.backend = "cuda";
        devices++;
    }
    ~TestDevice() override { devices--; }
    const vmaf::DeviceInfo &info() const override { return info_; }
    std::unique_ptr<vmaf::DeviceMemory> allocate(std::size_t bytes) override {
        return counted(inner_->allocate(bytes));
    }
    std::unique_ptr<vmaf::DeviceMemory> allocate_pinned(std::size_t bytes) override {
        pinned_made++;
        return counted(inner_->allocate_pinned(bytes));
    }
    std::unique_ptr<vmaf::Queue> make_queue() override { return inner_->make_queue(); }
    std::unique_ptr<vmaf::Event> make_event(bool timing) override { return inner_->make_event(timing); }
    vmaf::LoadedKernel load(const vmaf::Kernel &kernel) override { return inner_->load(kernel); }

  private:
    class Block final : public vmaf::DeviceMemory {
      public:
        explicit Block(std::unique_ptr<vmaf::DeviceMemory> inner)
            : DeviceMemory(inner->data(), inner->size()), inner_(std::move(inner)) {
            blocks++;
        }
        ~Block() override { blocks--; }

      private:
        std::unique_ptr<vmaf::DeviceMemory> inner_;
    };
    static std::unique_ptr<vmaf::DeviceMemory> counted(std::unique_ptr<vmaf::DeviceMemory> memory) {
        return std::make_unique<Block>(std::move(memory));
    }
    std::shared_ptr<vmaf::Device> inner_ = vmaf::open_host_device();
    vmaf::DeviceInfo info_;
};

constexpr unsigned kWidth = 64, kHeight = 48;

VmafConfiguration quiet() { return {}; }

VmafCudaPictureConfiguration pictures(VmafCudaPicturePreallocationMethod method, unsigned bpc = 8) {
    VmafCudaPictureConfiguration cfg{};
    cfg.pic_params.w = kWidth;
    cfg.pic_params.h = kHeight;
    cfg.pic_params.bpc = bpc;
    cfg.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
    cfg.pic_prealloc_method = method;
    return cfg;
}
constexpr auto kNone = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE;
constexpr auto kDevice = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE;
constexpr auto kHost = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST;
constexpr auto kPinned = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED;

// A context with an imported state.
struct CudaContext {
    VmafContext *ctx = nullptr;
    VmafCudaState *state = nullptr;
    CudaContext() {
        EXPECT_EQ(vmaf_init(&ctx, quiet()), 0);
        EXPECT_EQ(vmaf_cuda_state_init(&state, {}), 0);
        EXPECT_EQ(vmaf_cuda_import_state(ctx, state), 0);
    }
    ~CudaContext() {
        EXPECT_EQ(vmaf_close(ctx), 0);
        EXPECT_EQ(vmaf_cuda_state_free(state), 0);
    }
    operator VmafContext *() { return ctx; }
};

void fill(const VmafPicture &pic, unsigned seed, unsigned planes = 1) {
    for (unsigned p = 0; p < planes; p++)
        for (unsigned y = 0; y < pic.h[p]; y++) {
            auto *row = static_cast<unsigned char *>(pic.data[p]) + static_cast<std::ptrdiff_t>(y) * pic.stride[p];
            for (unsigned x = 0; x < pic.w[p]; x++) {
                const unsigned v = (x * 7 + y * 13 + seed * 29 + (x * y) % 31) & 0xff;
                if (pic.bpc == 8)
                    row[x] = static_cast<unsigned char>(v);
                else
                    reinterpret_cast<unsigned short *>(row)[x] = static_cast<unsigned short>(v << (pic.bpc - 8));
            }
        }
}

// Scores of the default model and of psnr, with pictures from the requested source; nullptr: a context without CUDA.
std::vector<double> scores(VmafContext *ctx, bool with_ring, unsigned bpc = 8, unsigned planes = 1) {
    VmafModel *model = nullptr;
    VmafModelConfig config{"vmaf", 0};
    EXPECT_EQ(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
    EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    constexpr unsigned kFrames = 9;
    for (unsigned i = 0; i < kFrames; i++) {
        VmafPicture pair[2];
        for (unsigned k = 0; k < 2; k++) {
            if (with_ring)
                EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pair[k]), 0);
            else
                EXPECT_EQ(vmaf_picture_alloc(&pair[k], VMAF_PIX_FMT_YUV420P, bpc, kWidth, kHeight), 0);
            fill(pair[k], 10 * i + k, planes);
        }
        EXPECT_EQ(vmaf_read_pictures(ctx, &pair[0], &pair[1], i), 0);
        EXPECT_EQ(pair[0].data[0], nullptr);
    }
    double pooled = 0;
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    EXPECT_EQ(vmaf_score_pooled(ctx, model, VMAF_POOL_METHOD_MEAN, &pooled, 0, kFrames - 1), 0);
    std::vector<double> all = {pooled};
    for (const char *name : {"VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_adm2_score",
                             "VMAF_integer_feature_motion2_score", "psnr_y", "psnr_cb"})
        for (unsigned i = 0; i < kFrames; i++) {
            double score = 0;
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, name, &score, i), 0) << name;
            all.push_back(score);
        }
    vmaf_model_destroy(model);
    return all;
}

std::vector<double> scores_of_the_cpu(unsigned bpc = 8, unsigned planes = 1) {
    VmafContext *ctx = nullptr;
    EXPECT_EQ(vmaf_init(&ctx, quiet()), 0);
    const auto all = scores(ctx, false, bpc, planes);
    EXPECT_EQ(vmaf_close(ctx), 0);
    return all;
}

class CudaApi : public ::testing::Test {
  protected:
    void SetUp() override { pinned_made = 0; }
    void TearDown() override {
        EXPECT_EQ(devices, 0);
        EXPECT_EQ(blocks, 0);
    }
};

TEST_F(CudaApi, IsThere) { EXPECT_EQ(vmaf_cuda_available(), 1); }

TEST_F(CudaApi, AFailedStateLeavesNothingAndTheNextMayWork) {
    EXPECT_EQ(vmaf_cuda_state_init(nullptr, {}), -EINVAL);
    auto *state = reinterpret_cast<VmafCudaState *>(&devices);
    driver_fails = true;
    EXPECT_EQ(vmaf_cuda_state_init(&state, {}), -EINVAL);
    EXPECT_EQ(state, nullptr);
    driver_fails = false;
    int callers = 0;
    EXPECT_EQ(vmaf_cuda_state_init(&state, {&callers}), 0);
    EXPECT_EQ(context_given, &callers);
    EXPECT_EQ(devices, 1);
    EXPECT_EQ(vmaf_cuda_state_free(state), 0);
    EXPECT_EQ(vmaf_cuda_state_free(nullptr), 0);
}

TEST_F(CudaApi, ImportNeedsBothAndHappensOnce) {
    CudaContext ctx;
    EXPECT_EQ(vmaf_cuda_import_state(nullptr, ctx.state), -EINVAL);
    EXPECT_EQ(vmaf_cuda_import_state(ctx, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_cuda_import_state(ctx, ctx.state), -EINVAL);
    VmafCudaState *another = nullptr;
    EXPECT_EQ(vmaf_cuda_state_init(&another, {}), 0);
    EXPECT_EQ(vmaf_cuda_import_state(ctx, another), -EINVAL);
    EXPECT_EQ(vmaf_cuda_state_free(another), 0);
}

TEST_F(CudaApi, TheHandleMayGoBeforeOrAfterTheContextOrNever) {
    for (const int order : {0, 1, 2}) {
        VmafContext *ctx = nullptr;
        VmafCudaState *state = nullptr;
        ASSERT_EQ(vmaf_init(&ctx, quiet()), 0);
        ASSERT_EQ(vmaf_cuda_state_init(&state, {}), 0);
        ASSERT_EQ(vmaf_cuda_import_state(ctx, state), 0);
        if (order == 0) vmaf_cuda_state_free(state);
        EXPECT_EQ(devices, 1);
        scores(ctx, false);
        EXPECT_EQ(vmaf_close(ctx), 0);
        EXPECT_EQ(devices, 0) << "the device stays though only a handle is left";
        if (order == 1) vmaf_cuda_state_free(state);
        if (order == 2) { // the handle that FFmpeg never frees still works
            ASSERT_EQ(vmaf_init(&ctx, quiet()), 0);
            EXPECT_EQ(vmaf_cuda_import_state(ctx, state), 0);
            EXPECT_EQ(vmaf_close(ctx), 0);
            vmaf_cuda_state_free(state);
        }
    }
}

TEST_F(CudaApi, TwoContextsShareAState) {
    VmafCudaState *state = nullptr;
    VmafContext *a = nullptr, *b = nullptr;
    ASSERT_EQ(vmaf_cuda_state_init(&state, {}), 0);
    ASSERT_EQ(vmaf_init(&a, quiet()), 0);
    ASSERT_EQ(vmaf_init(&b, quiet()), 0);
    EXPECT_EQ(vmaf_cuda_import_state(a, state), 0);
    EXPECT_EQ(vmaf_cuda_import_state(b, state), 0);
    EXPECT_EQ(devices, 1);
    std::future<std::vector<double>> other = std::async(std::launch::async, [&] { return scores(b, false); });
    EXPECT_EQ(scores(a, false), other.get());
    vmaf_close(a);
    EXPECT_EQ(devices, 1);
    vmaf_close(b);
    vmaf_cuda_state_free(state);
}

TEST_F(CudaApi, PreallocationChecksItsArguments) {
    VmafContext *plain = nullptr;
    ASSERT_EQ(vmaf_init(&plain, quiet()), 0);
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(plain, pictures(kDevice)), -EINVAL); // no state
    vmaf_close(plain);
    CudaContext ctx;
    VmafPicture pic;
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(nullptr, pictures(kDevice)), -EINVAL);
    EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), -EINVAL); // none yet
    VmafCudaPictureConfiguration unknown = pictures(kDevice);
    const int method = 4;
    std::memcpy(&unknown.pic_prealloc_method, &method, sizeof method);
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(ctx, unknown), -EINVAL);
    for (const int zero : {0, 1, 2, 3}) {
        VmafCudaPictureConfiguration cfg = pictures(kDevice);
        if (zero == 0) cfg.pic_params.w = 0;
        if (zero == 1) cfg.pic_params.h = 0;
        if (zero == 2) cfg.pic_params.bpc = 0;
        if (zero == 3) cfg.pic_params.pix_fmt = VMAF_PIX_FMT_UNKNOWN;
        EXPECT_EQ(vmaf_cuda_preallocate_pictures(ctx, cfg), -EINVAL);
    }
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kDevice)), 0); // after failures
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kPinned)), -EINVAL);
    EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(nullptr, &pic), -EINVAL);
    CudaContext none;
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(none, pictures(kNone)), 0);
    EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(none, &pic), -EINVAL);
    EXPECT_EQ(vmaf_cuda_preallocate_pictures(none, pictures(kDevice)), -EINVAL);
}

TEST_F(CudaApi, PicturesHaveTheGeometryOfOrdinaryOnes) {
    VmafPicture ordinary;
    ASSERT_EQ(vmaf_picture_alloc(&ordinary, VMAF_PIX_FMT_YUV420P, 10, kWidth, kHeight), 0);
    for (const auto method : {kDevice, kHost, kPinned}) {
        CudaContext ctx;
        ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(method, 10)), 0);
        VmafPicture pic;
        ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
        EXPECT_EQ(pic.bpc, 10u);
        EXPECT_EQ(pic.pix_fmt, VMAF_PIX_FMT_YUV420P);
        for (unsigned p = 0; p < 3; p++) {
            EXPECT_NE(pic.data[p], nullptr);
            EXPECT_EQ(pic.w[p], ordinary.w[p]);
            EXPECT_EQ(pic.h[p], ordinary.h[p]);
            EXPECT_EQ(pic.stride[p], ordinary.stride[p]);
        }
        EXPECT_EQ(vmaf_picture_unref(&pic), 0);
    }
    vmaf_picture_unref(&ordinary);
}

TEST_F(CudaApi, AnyKindOfPictureGivesTheScoresOfTheCpu) {
    for (const unsigned bpc : {8u, 10u, 16u}) {
        for (const auto method : {kHost, kPinned}) {
            CudaContext ctx;
            ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(method, bpc)), 0);
            EXPECT_EQ(scores(ctx, true, bpc, 3), scores_of_the_cpu(bpc, 3));
        }
        CudaContext ctx;
        ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kNone, bpc)), 0);
        EXPECT_EQ(scores(ctx, false, bpc, 3), scores_of_the_cpu(bpc, 3));
    }
}

// FFmpeg's libvmaf_cuda fills luma only. Metrics on the CPU see zero chroma.
TEST_F(CudaApi, DevicePicturesGiveTheScoresOfTheCpuWithZeroChroma) {
    for (const unsigned bpc : {8u, 16u}) {
        CudaContext ctx;
        ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kDevice, bpc)), 0);
        EXPECT_EQ(scores(ctx, true, bpc), scores_of_the_cpu(bpc));
    }
}

// A later call reports it once; the frame has no score and the context continues.
TEST_F(CudaApi, SamplesAboveTheDepthAreFoundInPicturesOfAnyKind) {
    for (const auto method : {kDevice, kHost, kPinned}) {
        CudaContext ctx;
        EXPECT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
        EXPECT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(method, 10)), 0);
        int refused = 0;
        for (unsigned i = 0; i < 6; i++) {
            VmafPicture pair[2];
            for (unsigned k = 0; k < 2; k++) {
                ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pair[k]), 0);
                fill(pair[k], i + k);
            }
            if (i == 2) static_cast<unsigned short *>(pair[1].data[0])[5] = 1024;
            int error = vmaf_read_pictures(ctx, &pair[0], &pair[1], i);
            if (error == -EINVAL) { // the error of frame 2; the call did nothing
                refused++;
                error = vmaf_read_pictures(ctx, &pair[0], &pair[1], i);
            }
            EXPECT_EQ(error, 0) << i;
        }
        int flushed = vmaf_read_pictures(ctx, nullptr, nullptr, 0);
        if (flushed == -EINVAL) {
            refused++;
            flushed = vmaf_read_pictures(ctx, nullptr, nullptr, 0);
        }
        EXPECT_EQ(flushed, 0);
        EXPECT_EQ(refused, 1);
        for (unsigned i = 0; i < 6; i++) {
            double score = 0;
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_vif_scale0_score", &score, i),
                      i == 2 ? -EINVAL : 0)
                << i;
        }
    }
}

TEST_F(CudaApi, PinnedNamesNeedTheState) {
    CudaContext ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "vif_cuda", nullptr), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "vif_hip", nullptr), -EINVAL);
    VmafContext *plain = nullptr;
    ASSERT_EQ(vmaf_init(&plain, quiet()), 0);
    EXPECT_EQ(vmaf_use_feature(plain, "vif_cuda", nullptr), -EINVAL);
    vmaf_close(plain);
}

TEST_F(CudaApi, BothPicturesMustBeOfOneKind) {
    CudaContext ctx;
    ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kDevice)), 0);
    ASSERT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
    VmafPicture on_device, in_memory;
    ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &on_device), 0);
    ASSERT_EQ(vmaf_picture_alloc(&in_memory, VMAF_PIX_FMT_YUV420P, 8, kWidth, kHeight), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, &on_device, &in_memory, 0), -EINVAL);
    EXPECT_NE(on_device.data[0], nullptr); // the caller keeps them
    vmaf_picture_unref(&on_device);
    vmaf_picture_unref(&in_memory);
    VmafContext *plain = nullptr;
    ASSERT_EQ(vmaf_init(&plain, quiet()), 0);
    ASSERT_EQ(vmaf_use_feature(plain, "vif", nullptr), 0);
    VmafPicture pair[2];
    for (VmafPicture &pic : pair) ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
    EXPECT_EQ(vmaf_read_pictures(plain, &pair[0], &pair[1], 0), -EINVAL); // it has no device
    for (VmafPicture &pic : pair) vmaf_picture_unref(&pic);
    vmaf_close(plain);
}

TEST_F(CudaApi, AScoreInFlightIsWaitedFor) {
    CudaContext ctx;
    ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kPinned)), 0);
    ASSERT_EQ(vmaf_use_feature(ctx, "vif", nullptr), 0);
    for (unsigned i = 0; i < 5; i++) {
        VmafPicture pair[2];
        for (VmafPicture &pic : pair) {
            ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
            fill(pic, i);
        }
        ASSERT_EQ(vmaf_read_pictures(ctx, &pair[0], &pair[1], i), 0);
        double score = 0;
        EXPECT_EQ(vmaf_feature_score_at_index(ctx, "VMAF_integer_feature_vif_scale0_score", &score, i), 0);
        EXPECT_EQ(score, 1.0);
    }
}

TEST_F(CudaApi, PicturesAreRecycled) {
    CudaContext ctx;
    ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kPinned)), 0);
    const unsigned made = pinned_made;
    EXPECT_GE(made, 4u);
    for (int round = 0; round < 50; round++) {
        VmafPicture four[4];
        for (VmafPicture &pic : four) ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
        for (VmafPicture &pic : four) EXPECT_EQ(vmaf_picture_unref(&pic), 0);
    }
    EXPECT_EQ(pinned_made, made);
}

TEST_F(CudaApi, FetchingTooManyWaitsUntilOneComesBack) {
    CudaContext ctx;
    ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kPinned)), 0);
    std::vector<VmafPicture> out;
    std::atomic<unsigned> count{0};
    std::atomic<bool> enough{false};
    std::thread client([&] {
        while (!enough) {
            VmafPicture pic;
            ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
            out.push_back(pic);
            count++;
        }
    });
    unsigned seen = 0;
    do { // until nothing changes
        seen = count;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    } while (seen != count || seen == 0);
    EXPECT_GE(seen, 4u);
    enough = true;
    VmafPicture first = out[0]; // the client waits without using them
    EXPECT_EQ(vmaf_picture_unref(&first), 0);
    client.join();
    EXPECT_EQ(count, seen + 1);
    for (std::size_t i = 1; i < out.size(); i++) EXPECT_EQ(vmaf_picture_unref(&out[i]), 0);
}

TEST_F(CudaApi, PicturesMayOutliveTheirContext) {
    VmafPicture pic;
    {
        CudaContext ctx;
        ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(kPinned)), 0);
        ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
    }
    EXPECT_EQ(devices, 1);
    fill(pic, 1, 3);
    EXPECT_EQ(vmaf_picture_unref(&pic), 0);
}

TEST_F(CudaApi, ClosingAtAnyTimeWaitsForAllWork) {
    for (unsigned frames = 0; frames < 12; frames++) {
        CudaContext ctx;
        ASSERT_EQ(vmaf_cuda_preallocate_pictures(ctx, pictures(frames % 2 ? kPinned : kDevice)), 0);
        ASSERT_EQ(vmaf_use_feature(ctx, "motion", nullptr), 0);
        for (unsigned i = 0; i < frames; i++) {
            VmafPicture pair[2];
            for (VmafPicture &pic : pair) {
                ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(ctx, &pic), 0);
                fill(pic, i);
            }
            ASSERT_EQ(vmaf_read_pictures(ctx, &pair[0], &pair[1], i), 0);
        }
    }
}

} // namespace

std::vector<vmaf::DeviceInfo> vmaf::list_cuda_devices() { return {}; }
std::shared_ptr<vmaf::Device> vmaf::open_cuda_device(void *context, unsigned) {
    if (driver_fails) throw vmaf::invalid("cuda: no driver");
    context_given = context;
    return std::make_shared<TestDevice>();
}
